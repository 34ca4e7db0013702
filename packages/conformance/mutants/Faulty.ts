import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conformance/src",
  test: "packages/conformance/test/Faulty.test.ts",
  mutants: [
    {
      name: "bad-line-sends-out-of-turn",
      promise: 13,
      find: "Semaphore.makeUnsafe(1)",
      replace: "Semaphore.makeUnsafe(9)",
      title: "is a transport"
    },
    {
      name: "a-simulated-stream-is-opened-beside-another",
      promise: 22,
      test: "packages/conformance/test/Simulation.test.ts",
      title: "opens the stream of a session once where it is lost twice at once",
      find: "if (--cuts === 0) open()",
      replace: "open()"
    },
    {
      name: "bad-line-forgets-its-seed",
      promise: 7,
      find: "`${seed} ${direction}`",
      replace: "`${direction}`",
      title: "is treated the same way by the same seed"
    },
    {
      name: "bad-line-loses-what-an-interrupted-reader-read",
      promise: 12,
      find: "if (first === undefined) return Effect.andThen(read, handOver)",
      replace:
        "if (first === undefined) return Effect.andThen(Effect.andThen(read, Effect.sync(() => void (late = undefined))), handOver)",
      title: "keeps a text that comes last for the next one"
    }
  ]
} satisfies Mutants
