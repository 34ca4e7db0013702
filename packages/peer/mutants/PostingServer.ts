import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/PostingServer.ts",
  test: "packages/peer/test/Asked.test.ts",
  mutants: [
    {
      name: "replies-that-are-not-taken-hold-back-nothing",
      promise: 17,
      title: "gives up a post of a reply that is not taken",
      find: `isCongested: () => replies >= limits.inFlight`,
      replace: `isCongested: () => false`
    },
    {
      name: "a-crowded-caller-takes-notifications",
      promise: 17,
      find: `dispatcher.isFull() && !isOver && Crowd.waits(batch, dialect)`,
      replace: `false`
    },
    {
      name: "a-caller-closes-before-its-handlers-end",
      promise: 9,
      find: `!dispatcher.isIdle() || dispatcher.following() > 0`,
      replace: `false`
    }
  ]
} satisfies Mutants
