import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/suites",
  test: "packages/conform/test/specimens/specimens.test.ts",
  mutants: [
    {
      name: "an-id-of-another-type-is-the-same",
      promise: 7,
      find: `RequestId.keyOf(one) === RequestId.keyOf(other)`,
      replace: `String(one) === String(other)`,
      title: "finds the defect of a plain mutant, and says it in bytes"
    },
    {
      name: "any-status-refuses-a-foreign-origin",
      promise: 23,
      find: `? status === 403 :`,
      replace: `? status >= 200 :`,
      title: "finds the one defect of a server with one tool over HTTP, and nothing beside it"
    },
    {
      name: "an-error-belongs-to-no-request",
      promise: 7,
      find: `isSame(message.id, expected.id) || nullId && message.id === null`,
      replace: `message.id === null`,
      title: "finds nothing in the correct plain servers"
    }
  ]
} satisfies Mutants
