import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/nats/src",
  test: "packages/nats/test/laws.test.ts",
  mutants: [
    {
      name: "a-text-in-nats-that-is-too-old-counts",
      promise: 9,
      find: `stored.micros / 1_000 >= since`,
      replace: `since < Infinity`,
      title: "the journal of NATS"
    },
    {
      name: "a-key-in-nats-is-read-to-its-end",
      promise: 21,
      test: "packages/nats/test/internal/Batch.test.ts",
      find: `if (this.#isEnough(stored)) this.#end()`,
      replace: `if (this.#isEnough(stored) && this.#isDone) this.#end()`,
      title: "are none behind the one that is enough"
    },
    {
      name: "an-empty-server-says-that-nobody-owns-a-key",
      promise: 9,
      find: `this.#store.wasEmptied(this.#beats.longestLease)`,
      replace: `this.#store.wasEmptied(0 * this.#beats.longestLease)`,
      title: "the engine of NATS"
    },
    {
      name: "a-key-that-was-never-written-is-not-dropped",
      promise: 9,
      find: `head.seq === 0 && epoch === 0`,
      replace: `head.seq === 0 && epoch >= 0`,
      title: "the journal of NATS"
    },
    {
      name: "what-finds-no-room-to-nats-is-refused",
      promise: 18,
      find: `boolean => reason._tag === "Full"`,
      replace: `boolean => reason._tag === "Closed"`,
      title: "the engine of NATS"
    },
    {
      name: "a-record-is-written-behind-any-other",
      promise: 9,
      find: `this.#stream.put(subject, JSON.stringify(value), after)`,
      replace: `this.#stream.put(subject, JSON.stringify(value), undefined)`,
      title: "the engine of NATS"
    },
    {
      name: "an-epoch-is-the-sequence-of-its-record",
      promise: 9,
      find: `Math.max(above + 1, stored.micros)`,
      replace: `Math.max(above + 1, stored.seq)`,
      title: "the engine of NATS"
    },
    {
      name: "a-key-is-kept-that-others-had-since",
      promise: 9,
      find: `owner.epoch === epoch && owner.node === node`,
      replace: `owner.node === node || owner.node === nobody`,
      title: "the engine of NATS"
    },
    {
      name: "an-emptied-engine-gives-keys-to-others",
      promise: 9,
      find: `owner === undefined && this.#store.wasEmptied(`,
      replace: `owner === undefined && this.#store.wasEmptied(0 * `,
      title: "the engine of NATS"
    },
    {
      name: "a-node-that-is-there-again-has-its-keys",
      promise: 9,
      find: `if (heard?.life !== life) return`,
      replace: `if (heard === undefined) return`,
      title: "the engine of NATS"
    },
    {
      name: "a-text-that-nobody-hears-was-sent",
      promise: 9,
      find: `onSuccess: () => !this.#unheard.has(id)`,
      replace: `onSuccess: () => id > 0`,
      title: "the engine of NATS"
    },
    {
      name: "an-older-epoch-writes-to-the-journal",
      promise: 9,
      find: `if (epoch < newest) return Effect.fail(new Fenced({ key, epoch, newest }))`,
      replace: `if (epoch < newest - 100) return Effect.fail(new Fenced({ key, epoch, newest }))`,
      title: "the journal of NATS"
    },
    {
      name: "a-text-follows-any-other",
      promise: 9,
      find: `this.#stream.put(this.subjectOf(key), text, after,`,
      replace: `this.#stream.put(this.subjectOf(key), text, undefined,`,
      title: "the journal of NATS"
    },
    {
      name: "who-follows-outlives-the-drop",
      promise: 9,
      find: `if (found !== life) return undefined`,
      replace: `if (found === "") return undefined`,
      title: "the journal of NATS"
    },
    {
      name: "a-text-has-no-age",
      promise: 9,
      find: `position > after && at >= since`,
      replace: `position > after`,
      title: "the journal of NATS"
    }
  ]
} satisfies Mutants
