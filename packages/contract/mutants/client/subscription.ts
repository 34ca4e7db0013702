import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client",
  test: "packages/contract/test/subscription/Subscribing.test.ts",
  mutants: [
    {
      name: "early-items-are-dropped",
      promise: 11,
      find: `if (this.#waiting >= mostEarly * this.#opening.size)`,
      replace: `if (this.#waiting >= 0)`
    },
    {
      name: "items-of-others-are-taken",
      promise: 11,
      find: `of this.#open.get(id) ?? []`,
      replace: `of [...this.#open.values()].flatMap((all) => [...all])`
    },
    {
      name: "who-leaves-an-old-connection-closes-on-the-next",
      promise: 9,
      test: "packages/contract/test/subscription/Draining.test.ts",
      title: "lets a subscription that opens hear the next server",
      find: `events?.isPast === true ? Effect.void`,
      replace: `false ? Effect.void`
    },
    {
      name: "who-leaves-is-not-missed",
      promise: 8,
      find: `Effect.forkScoped(ended, { startImmediately: true })`,
      replace: `Effect.forkDetach(ended, { startImmediately: true })`
    }
  ]
} satisfies Mutants
