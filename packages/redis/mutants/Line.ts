import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/redis/src",
  test: "packages/redis/test/RedisEngine.test.ts",
  mutants: [
    {
      name: "a-text-in-redis-that-is-too-old-counts",
      promise: 9,
      test: "packages/redis/test/RedisJournal.test.ts",
      find: `more.length < size || texts.length >= most`,
      replace: `more.length < size || newest >= after + most`,
      title: "reads on behind those that are too old"
    },
    {
      name: "a-redis-that-stands-still-is-asked-more",
      promise: 18,
      find: `return this.#overdue === undefined ? undefined : silence(now - this.#overdue)`,
      replace: `return undefined`,
      title: "is given up after its time"
    },
    {
      name: "a-command-to-redis-is-waited-for",
      promise: 8,
      find: `for (const asked of handed) this.#tell(asked, Exit.fail(new Failure(reason, true)))`,
      replace: ``,
      title: "is given up after its time"
    },
    {
      name: "commands-to-redis-have-no-bound",
      promise: 17,
      find: `this.#weight + asked.weight > this.#pending`,
      replace: `asked.weight < 0`,
      title: "is bounded by its characters"
    },
    {
      name: "a-command-to-redis-overtakes-one-that-waits",
      promise: 18,
      find: `this.#weight + asked.weight > this.#pending) return`,
      replace: `this.#weight + asked.weight > this.#pending) continue`,
      title: "waits where it is full"
    },
    {
      name: "a-command-waits-for-room-for-ever",
      promise: 8,
      find: `this.#tell(asked, Exit.fail(new Failure(full(this.#pending), false)))`,
      replace: `full(this.#pending)`,
      title: "waits where it is full"
    },
    {
      name: "an-older-connection-to-redis-goes-on",
      promise: 13,
      find: `return run !== "" && run === before.run &&`,
      replace: `return run === "another" && run === before.run &&`,
      title: "for long loses its connection"
    },
    {
      name: "a-text-that-may-be-published-is-refused",
      promise: 7,
      find: `mayBeDone ? Effect.succeed(true)`,
      replace: `reason === "" ? Effect.succeed(true)`,
      title: "leaves it open whether a text was published"
    },
    {
      name: "a-text-that-was-refused-is-published-later",
      promise: 7,
      find: `this.#waiting = this.#waiting.filter((asked) => !isOver(asked))`,
      replace: `for (const asked of waiting) asked.tell = () => {}`,
      title: "while a connection is opened"
    },
    {
      name: "what-a-closed-connection-did-not-send-loses-its-order",
      promise: 13,
      find: `const again = [...link.handed]`,
      replace: `const again = [...link.handed].toReversed()`,
      title: "goes over another connection"
    },
    {
      name: "a-command-of-a-lost-connection-ends-twice",
      promise: 8,
      find: `this.#link?.handed.clear()`,
      replace: ``,
      title: "to all that is under way, because it is a replica now"
    },
    {
      name: "a-refused-connection-is-tried-without-a-pause",
      promise: 18,
      find: `if (this.#life === undefined && now - at < pause) return reason`,
      replace: ``,
      title: "to a connection is not asked at once again"
    },
    {
      name: "a-script-that-redis-forgot-stays-forgotten",
      promise: 14,
      find: `failure.reason.includes("NOSCRIPT")`,
      replace: `failure.reason === "NOSCRIPT"`,
      title: "to a script that it has forgotten"
    }
  ]
} satisfies Mutants
