import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client/items.ts",
  test: "packages/contract/test/subscription/Items.test.ts",
  mutants: [
    {
      name: "a-pause-within-going-on-is-lost",
      promise: 12,
      title: "brings everything, in its order",
      find: `    const resumed = resume\n    resume = undefined\n    resumed?.()\n`,
      replace: `    resume?.()\n    resume = undefined\n`
    },
    {
      name: "a-message-has-its-place-on-the-stack",
      promise: 11,
      title: "of one message may be more than there are places on the stack",
      find: `for (const item of items) waiting.push(item)`,
      replace: `waiting.push(...items)`
    },
    {
      name: "sliding-keeps-the-oldest",
      promise: 11,
      title: "gives what its model gives",
      find: `slice(-capacity)`,
      replace: `slice(0, capacity)`
    },
    {
      name: "sliding-copies-what-it-keeps",
      promise: 12,
      test: "packages/bench/test/loaded/looks.slow.test.ts",
      title: "loaded/sliding",
      find: `    for (const item of items) {\n      waiting[oldest] = item`,
      replace: `    waiting = [...waiting]\n    for (const item of items) {\n      waiting[oldest] = item`
    }
  ]
} satisfies Mutants
