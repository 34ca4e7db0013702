import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/OpenRpc.ts",
  test: "packages/openrpc/test/OpenRpc.test.ts",
  mutants: [
    {
      name: "openrpc-method-of-the-other-direction-is-lost",
      promise: 2,
      find: `other === undefined ? method :`,
      replace: `true ? method :`,
      title: "gives both directions"
    }
  ]
} satisfies Mutants
