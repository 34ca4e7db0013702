import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/middleware/src/Logging.ts",
  test: "packages/middleware/test/Logging.test.ts",
  mutants: [
    {
      name: "nothing-is-redacted",
      promise: 15,
      title: "has what a call carries when it is asked for, redacted",
      find: `add(where, redacted(json, where))`,
      replace: `add(where, json)`
    },
    {
      name: "what-calls-carry-is-logged-unasked",
      promise: 15,
      title: "has nothing of what a call carries",
      find: `if (redact !== undefined && json !== undefined) add(where, redacted(json, where))`,
      replace: `if (json !== undefined) add(where, redact === undefined ? json : redacted(json, where))`
    },
    {
      name: "logged-call-has-its-method-as-sent",
      promise: 15,
      test: "packages/peer/test/regression/logs.test.ts",
      title: "no line of a log",
      find: `{ method: Excerpt.line(method) }`,
      replace: `{ method }`
    }
  ]
} satisfies Mutants
