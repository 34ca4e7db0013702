import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/Tap.ts",
  test: "packages/transport/test/Tap.test.ts",
  mutants: [
    {
      name: "tap-shows-the-end-each-time",
      promise: 19,
      find: `void (isEndSeen = true)`,
      replace: `void (isEndSeen = false)`,
      title: "shows each text of both directions with its time, and the end once"
    },
    {
      name: "tap-hands-on-before-it-is-seen",
      promise: 12,
      find: `return Effect.flatMap(shown, () => {`,
      replace: `return Effect.flatMap(Effect.forkDetach(shown), () => {`,
      title: "shows a text before it goes on"
    },
    {
      name: "tap-interrupted-receive-takes-texts",
      promise: 12,
      find: `waiting.length === 0 ? Effect.andThen(read, takeSeen) : takeSeen`,
      replace: `Effect.andThen(read, takeSeen)`,
      title: "a receive that is interrupted while it waits for the observer takes nothing with it"
    },
    {
      name: "tap-sends-out-of-turn",
      promise: 13,
      find: `Semaphore.makeUnsafe(1)`,
      replace: `Semaphore.makeUnsafe(2)`,
      title: "what several fibers send is seen in the order of the wire"
    },
    {
      name: "tap-says-nothing-of-a-failed-send",
      promise: 9,
      find: `see({ _tag: "Unsent", count: texts.length, error })`,
      replace: `Effect.succeed(error)`,
      title: "shows that a send failed, after its texts"
    },
    {
      name: "tap-gives-texts-after-close",
      promise: 9,
      find: `      waiting = []\n      return inner.close`,
      replace: `      return inner.close`,
      title: "closing while a receive waits for the observer ends it with Closed"
    },
    {
      name: "tap-counts-one-connection",
      promise: 16,
      find: `const connection = ++connections`,
      replace: `const connection = connections = 1`,
      title: "one wrapping counts its connections"
    }
  ]
} satisfies Mutants
