import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/middleware/src/Metrics.ts",
  test: "packages/middleware/test/Metrics.test.ts",
  mutants: [
    {
      name: "interrupted-calls-stay-in-flight",
      promise: 7,
      title: "take a call that is interrupted out of those in flight",
      find: `    this.#active.modifyUnsafe(-1, context)\n`,
      replace: `    if (type !== "interrupted") this.#active.modifyUnsafe(-1, context)\n`
    },
    {
      name: "metrics-of-any-method",
      promise: 17,
      title: "tell 256 methods apart, and no more",
      find: `size < mostMethods`,
      replace: `true`
    },
    {
      name: "metrics-of-any-error",
      promise: 17,
      title: "tell 32 errors of a method apart, and no more",
      find: `size < mostErrors`,
      replace: `true`
    }
  ]
} satisfies Mutants
