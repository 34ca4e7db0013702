import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/streams.ts",
  test: "packages/node/test/regression/sockets.test.ts",
  mutants: [
    {
      name: "a-stream-that-floods-never-rests",
      promise: 12,
      find: `if (this.came >= mostPerTurn) this.rest()`,
      replace: ``,
      title: "a stream that brings more and more"
    }
  ]
} satisfies Mutants
