import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/suites",
  test: "packages/conform/test/suites/faults.test.ts",
  mutants: [
    {
      name: "any-code-is-that-of-an-unknown-method",
      promise: 14,
      find: "expected.codes.includes(message.error.code)",
      replace: "true",
      title: "jsonrpc/method-not-found"
    },
    {
      name: "an-answered-notification-is-not-looked-for",
      promise: 20,
      find: "carried.filter((one) => !isSilent || one.reply !== undefined)",
      replace: "carried.filter((one) => one.reply !== undefined)",
      title: "jsonrpc/notification-silent"
    },
    {
      name: "one-lost-request-of-many-is-not-missed",
      promise: 17,
      find: "return first === undefined ? [] : [{\n          expected: `a response to each of",
      replace: "return missing.size < many ? [] : [{\n          expected: `a response to each of",
      title: "robustness/many"
    }
  ]
} satisfies Mutants
