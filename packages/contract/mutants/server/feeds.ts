import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Items that a feed has published, on their way to subscriptions. */
export default {
  file: "packages/contract/src/internal/server/subscription.ts",
  test: "packages/contract/test/subscription/Feeds.test.ts",
  mutants: [
    {
      name: "a-published-item-is-encoded-for-each",
      promise: 28,
      find: `Feeds.itemOf(given.encode) === item`,
      replace: `false`
    },
    {
      name: "the-json-of-any-feed-is-taken",
      promise: 28,
      title: "encodes the items of a feed that is of no Schema",
      find: `Feeds.itemOf(given.encode) === item`,
      replace: `true`
    },
    {
      name: "a-notification-writes-its-item-again",
      promise: 28,
      find: `Written.wrap({ [carrier.id]: id, ...members })`,
      replace: `{ [carrier.id]: id, ...members }`
    }
  ]
} satisfies Mutants
