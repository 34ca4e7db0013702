import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/module/errors.ts",
  test: "packages/openrpc/test/notices.test.ts",
  mutants: [
    {
      name: "openrpc-second-errors-of-a-code-go-in-silence",
      promise: 2,
      find: `if (length === 1) return []`,
      replace: `if (length > 0) return []`,
      title: "of two errors with one code"
    },
    {
      name: "openrpc-value-of-an-error-goes-in-silence",
      promise: 2,
      find: `added === undefined && error.data !== undefined`,
      replace: `false`,
      title: "of an error whose data is a value"
    },
    {
      name: "openrpc-tag-of-an-error-goes-in-silence",
      promise: 2,
      find: `? lossOf(error, own)`,
      replace: `? undefined`,
      title: "of an error whose data has no place"
    }
  ]
} satisfies Mutants
