import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/WorkerTransport.ts",
  test: "packages/node/test/workerTransport.test.ts",
  mutants: [
    {
      name: "worker-of-effect-that-exits-is-not-noticed",
      promise: 9,
      title: "a worker that exits is Lost for who reads",
      find: `events?.onEnd({ error })`,
      replace: `void error`
    },
    {
      name: "worker-of-effect-that-fails-to-start-is-waited-for",
      promise: 9,
      title: "a worker that does not start is Open",
      find: `Deferred.doneUnsafe(started, Effect.fail(openError(error)))`,
      replace: ``
    }
  ]
} satisfies Mutants
