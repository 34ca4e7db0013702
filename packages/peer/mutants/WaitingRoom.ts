import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/WaitingRoom.ts",
  test: "packages/peer/test/Reconnecting.test.ts",
  mutants: [
    {
      name: "who-is-interrupted-still-waits-for-a-connection",
      promise: 8,
      title: "calls that wait for a connection are bounded in number",
      find: `return Effect.sync(() => leave(entry))`,
      replace: `return Effect.void`
    },
    {
      name: "waiting-for-a-connection-costs-no-time",
      promise: 8,
      title: "the time that a call waits for a connection is its own",
      find: `left: Math.max(0, entry.due - now())`,
      replace: `left: 30_000`
    },
    {
      name: "any-number-waits-for-a-connection",
      promise: 9,
      title: "calls that wait for a connection are bounded in number",
      find: `size + needed > limit`,
      replace: `size + needed < 0`
    },
    {
      name: "the-young-go-out-first",
      promise: 13,
      title: "calls that are made without a connection wait for it, and go out in the order",
      find: `for (const entry of [...entries]) resume(entry, Exit.succeed(`,
      replace: `for (const entry of [...entries].reverse()) resume(entry, Exit.succeed(`
    },
    {
      name: "who-calls-again-at-once-holds-up-all",
      promise: 12,
      title: "who calls again at once",
      find: `for (const entry of [...entries]) resume(entry, Exit.succeed(`,
      replace: `for (const entry of entries) resume(entry, Exit.succeed(`
    }
  ]
} satisfies Mutants
