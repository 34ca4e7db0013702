import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/nats/src/internal",
  test: "packages/nats/test/internal/Facts.test.ts",
  mutants: [
    {
      name: "a-text-to-nats-overtakes-one-that-waits",
      promise: 18,
      test: "packages/nats/test/internal/Room.test.ts",
      find: `this.#waiting.first() === undefined ? send() : this.#full`,
      replace: `send()`,
      title: "are sent in their order"
    },
    {
      name: "a-text-to-nats-waits-for-room-for-ever",
      promise: 8,
      test: "packages/nats/test/internal/Room.test.ts",
      find: `duration: this.#client.timeout, orElse: () => Effect.fail(error)`,
      replace: `duration: 1e9, orElse: () => Effect.fail(error)`,
      title: "are sent in their order"
    },
    {
      name: "what-waits-for-nats-has-no-bound",
      promise: 17,
      test: "packages/nats/test/internal/Room.test.ts",
      find: `if (!this.#waiting.add(waiting)) return Effect.fail(error)`,
      replace: `this.#waiting.add(waiting)`,
      title: "have a weight of 64 Mi at most"
    },
    {
      name: "a-mark-knows-too-much-before-it",
      promise: 9,
      find: `const before = facts.total - facts.weight
  return {`,
      replace: `const before = facts.total + 100_000
  return {`,
      title: "keep what the bounds allow"
    },
    {
      name: "a-mark-begins-behind-the-parts-of-its-text",
      promise: 9,
      find: `seq: facts.behind + 1, before }`,
      replace: `seq, before }`,
      title: "keep what the bounds allow"
    },
    {
      name: "a-purge-takes-what-is-kept",
      promise: 9,
      find: `mark.position <= first || total - mark.before >= weight`,
      replace: `mark.position <= first + 64 || total - mark.before >= weight`,
      title: "keep what the bounds allow"
    },
    {
      name: "a-state-is-kept-many-times",
      promise: 9,
      find: `Math.min(stride, (last - first + 1) / 2)`,
      replace: `Math.min(stride, last / 2)`,
      title: "are many more than marks"
    },
    {
      name: "a-text-is-put-together-without-a-part",
      promise: 9,
      test: "packages/nats/test/internal/Parts.test.ts",
      find: `before.id !== id || before.pieces.length !== place`,
      replace: `before.id !== id`,
      title: "are dropped where a part is missing"
    },
    {
      name: "parts-that-are-not-finished-have-no-bound",
      promise: 17,
      test: "packages/nats/test/internal/Parts.test.ts",
      find: `if (this.#weight <= this.#most) break
      this.#forget(oldest)`,
      replace: `if (this.#most < 0) this.#forget(oldest)`,
      title: "are held up to a bound"
    },
    {
      name: "a-ping-covers-what-was-written-behind-it",
      promise: 18,
      test: "packages/nats/test/internal/Written.test.ts",
      find: `this.#ping().then(() => this.#took(place),`,
      replace: `this.#ping().then(() => this.#took(this.#written),`,
      title: "are covered by one ping for each turn"
    },
    {
      name: "two-names-are-one-token",
      promise: 9,
      test: "packages/nats/test/internal/Subject.test.ts",
      find: `.padStart(2, "0")`,
      replace: `.slice(0, 1)`,
      title: "is another for each character"
    },
    {
      name: "empty-parts-weigh-nothing",
      promise: 17,
      test: "packages/nats/test/internal/Parts.test.ts",
      find: `before.weight += message.data.length + overhead`,
      replace: `before.weight += message.data.length`,
      title: "are held up to the bound though they are empty"
    },
    {
      name: "answers-go-to-the-server-itself",
      promise: 17,
      test: "packages/nats/test/internal/Foreign.test.ts",
      find: `reply === "" || reply.startsWith("$")`,
      replace: `reply === ""`,
      title: "is no place for answers where the server itself listens"
    },
    {
      name: "a-password-is-told",
      promise: 17,
      test: "packages/nats/test/internal/Foreign.test.ts",
      find: `/^([a-z]+:\\/\\/)?.*@/i`,
      replace: `/^([a-z]+:\\/\\/)?[^:]*@/i`,
      title: "is told without passwords"
    }
  ]
} satisfies Mutants
