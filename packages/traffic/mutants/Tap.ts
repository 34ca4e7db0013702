import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/traffic/src/Tap.ts",
  test: "packages/traffic/test/Tap.test.ts",
  mutants: [
    {
      name: "tap-hands-on-before-it-is-seen",
      promise: 12,
      find: `return Effect.flatMap(shown, () => {`,
      replace: `return Effect.flatMap(Effect.forkDetach(shown), () => {`,
      title: "shows a text before it goes on"
    },
    {
      name: "tap-sends-out-of-turn",
      promise: 13,
      find: `Semaphore.makeUnsafe(1)`,
      replace: `Semaphore.makeUnsafe(2)`,
      title: "what several fibers send is seen in the order of the wire"
    }
  ]
} satisfies Mutants
