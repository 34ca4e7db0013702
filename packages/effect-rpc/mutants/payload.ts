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
    }
  ]
} satisfies Mutants
