import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/HttpRoute.ts",
  test: "packages/node/test/NodeHttp.test.ts",
  mutants: [
    {
      name: "a-client-that-goes-away-interrupts-nothing",
      promise: 8,
      find: `  return Effect.interruptible(`,
      replace: `  return Effect.uninterruptible(`
    }
  ]
} satisfies Mutants
