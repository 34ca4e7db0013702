import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/ChildProcessTransport.ts",
  test: "packages/node/test/NodeChildProcess.test.ts",
  mutants: [
    {
      name: "process-waits-for-an-observer-that-died",
      promise: 14,
      title: "an `onStderr` that dies",
      find: `return Effect.catchCause(Effect.suspend(() => this.see(text)), this.giveUp)`,
      replace: `return this.see(text)`
    }
  ]
} satisfies Mutants
