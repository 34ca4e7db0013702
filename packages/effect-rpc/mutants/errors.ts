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
      name: "rpc-reserved-codes-are-taken",
      promise: 15,
      find: `(!ErrorCode.isReserved(code) || ErrorCode.isServerError(code))`,
      replace: `true`,
      title: "where a code is reserved"
    },
    {
      name: "rpc-code-of-two-errors-is-the-last",
      promise: 15,
      find: `else if (other !== undefined)`,
      replace: `else if (false)`,
      title: "where two errors have one code"
    },
    {
      name: "rpc-codes-of-its-own-are-ignored",
      promise: 15,
      find: `Object.hasOwn(codes, name) ? codes[name] : `,
      replace: ``,
      title: "are those that the Rpc names"
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
