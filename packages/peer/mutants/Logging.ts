import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/middleware/Logging.ts",
  test: "packages/peer/test/middleware/Logging.test.ts",
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
    }
  ]
} satisfies Mutants
