import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client/client.ts",
  test: "packages/contract/test/Calls.test.ts",
  mutants: [
    {
      name: "deadlines-are-ignored",
      promise: 8,
      find: `const { deadline, idempotent } = method`,
      replace: `const { deadline, idempotent } = { ...method, deadline: undefined }`
    },
    {
      name: "idempotence-is-ignored",
      promise: 9,
      find: `const { deadline, idempotent } = method`,
      replace: `const { deadline, idempotent } = { ...method, idempotent: false }`
    }
  ]
} satisfies Mutants
