import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/Correlator.ts",
  test: "packages/peer/test/Calls.test.ts",
  mutants: [
    {
      name: "settled-calls-stay",
      promise: 7,
      find: `    entries.delete(id)\n`,
      replace: ``
    },
    {
      name: "invalid-responses-are-ignored",
      promise: 10,
      find: `      resume(entry, Exit.fail(new CallerError.InvalidResponse({ method: entry.method, rule })))\n`,
      replace: ``
    },
    {
      name: "ids-start-at-zero",
      promise: 16,
      test: "packages/peer/test/Serving.test.ts",
      find: `new Entry(++lastId, `,
      replace: `new Entry(lastId++, `
    },
    {
      name: "ids-are-reused",
      promise: 16,
      test: "packages/peer/test/Serving.test.ts",
      find: `new Entry(++lastId, `,
      replace: `new Entry(entries.size + 1, `
    },
    {
      name: "progress-is-nobodys",
      promise: 11,
      find: `      entry.onProgress(params)\n      return true`,
      replace: `      return true`
    },
    {
      name: "partial-results-are-nobodys",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      find: `      onPartialResult(value)\n`,
      replace: ``
    },
    {
      name: "streams-are-ordinary-calls",
      promise: 12,
      test: "packages/peer/test/Streaming.test.ts",
      find: `    if (onPartialResult !== undefined) streaming++\n`,
      replace: ``
    },
    {
      name: "always-sent",
      promise: 9,
      find: `sent: isSent(entry) `,
      replace: `sent: true `
    },
    {
      name: "observers-that-throw-stop-the-sweeper",
      promise: 21,
      test: "packages/peer/test/regression/defects.test.ts",
      find: `      onDefect(defect)\n`,
      replace: `      throw defect\n`
    },
    {
      name: "the-scope-forgets-its-calls",
      promise: 9,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `correlator.close({ _tag: "Closed" }, isWritten)`,
      replace: `void correlator`
    },
    {
      name: "progress-gives-time-for-ever",
      promise: 8,
      test: "packages/peer/test/Prolonging.test.ts",
      find: `sweeper.set(entry, Math.min(entry.timeout, left))`,
      replace: `sweeper.set(entry, entry.timeout)`
    },
    {
      name: "progress-gives-no-time",
      promise: 8,
      test: "packages/peer/test/Prolonging.test.ts",
      find: `if (entry.latest !== 0) rearm(entry)`,
      replace: ``
    }
  ]
} satisfies Mutants
