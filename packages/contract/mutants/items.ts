import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/items.ts",
  test: "packages/contract/test/Items.test.ts",
  mutants: [
    {
      name: "gaps-are-hidden",
      promise: 11,
      test: "packages/contract/test/SlowConsumers.test.ts",
      title: "fails with Lagged after what was kept",
      find: `    if (missed > 0) return Exit.fail(new Lagged({ method, missed }))\n`,
      replace: ``
    },
    {
      name: "what-was-paused-stays-so",
      promise: 12,
      test: "packages/contract/test/SlowConsumers.test.ts",
      title: "suspends the reading, and gets everything in its order",
      find: `      goOn()\n      return Exit.succeed(items)`,
      replace: `      return Exit.succeed(items)`
    },
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
      name: "the-last-end-stands",
      promise: 7,
      title: "end with what came first",
      find: `      ended ??= end\n`,
      replace: `      ended = end\n`
    }
  ]
} satisfies Mutants
