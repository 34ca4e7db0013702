import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client.ts",
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
    },
    {
      name: "a-call-has-no-say",
      promise: 8,
      title: "gives way to what a call says itself",
      find: `timeout: options.timeout ?? deadline`,
      replace: `timeout: deadline`
    }
  ]
} satisfies Mutants
