import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/effect-rpc/src/internal/payload.ts",
  test: "packages/effect-rpc/test/Errors.test.ts",
  mutants: [
    {
      name: "rpc-payload-stands-bare",
      promise: 14,
      test: "packages/effect-rpc/test/Wire.test.ts",
      find: `? payload : only(payload)`,
      replace: `? payload : payload`,
      title: "a payload that is no object"
    },
    {
      name: "rpc-token-stands-among-entries",
      promise: 11,
      find: ` && ast.indexSignatures.length === 0`,
      replace: ``,
      title: "where a stream has no place"
    },
    {
      name: "rpc-payload-loses-its-key",
      promise: 14,
      test: "packages/effect-rpc/test/Serving.test.ts",
      find: `?.startsWith("effect/rpc/Rpc/")`,
      replace: `?.startsWith("nothing")`,
      title: "is given the payload with its primary key"
    }
  ]
} satisfies Mutants
