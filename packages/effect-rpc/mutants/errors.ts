import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/effect-rpc/src/internal/errors.ts",
  test: "packages/effect-rpc/test/Errors.test.ts",
  mutants: [
    {
      name: "rpc-error-without-code-is-code-zero",
      promise: 15,
      find: "report(`fails with ${name}, which has no code`)",
      replace: `errors[0] = schema`,
      title: "where an error has no code"
    },
    {
      name: "rpc-union-is-one-error",
      promise: 15,
      test: "packages/effect-rpc/test/Wire.test.ts",
      find: `schema.members.flatMap((member) => split(member, codes))`,
      replace: `schema.members.slice(0, 1)`,
      title: "another error of the union"
    }
  ]
} satisfies Mutants
