import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/traffic/src/internal/Foreign.ts",
  test: "packages/traffic/test/Foreign.test.ts",
  mutants: [
    {
      name: "what-is-no-message-is-heard-before-its-turn",
      promise: 13,
      find: `next === undefined || next instanceof Heard) break`,
      replace: `next === undefined) break
        if (next instanceof Heard) continue`
    },
    {
      name: "a-listener-that-dies-ends-the-reading",
      promise: 15,
      find: `Effect.catchDefect( Effect.suspend(() => hear(value)),`,
      replace: `Effect.mapError( Effect.suspend(() => hear(value)),`
    },
    {
      name: "what-waits-for-a-listener-counts-for-ever",
      promise: 18,
      find: `if (done >= waiting.length) hold([], 0)`,
      replace: `if (done >= waiting.length) hold([], weight)`
    }
  ]
} satisfies Mutants
