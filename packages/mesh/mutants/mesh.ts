import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mesh/src",
  test: "packages/mesh/test/Mesh.test.ts",
  mutants: [
    {
      name: "a-node-refuses-a-claim-because-it-frees-the-key",
      promise: 12,
      test: "packages/mesh/test/regression/claims.test.ts",
      find: "this.#locked(key, Effect.ignore(Effect.scoped(this.#claim(key))))",
      replace: "Effect.ignore(Effect.scoped(this.#claim(key)))",
      title: "and is back does not refuse a claim"
    },
    {
      name: "a-text-that-cannot-be-taken-stops-later-ones",
      promise: 14,
      test: "packages/mesh/test/signed.test.ts",
      find: ".catch((defect) => gate.fail(defect))",
      replace: "",
      title: "are taken behind one that could not be"
    },
    {
      name: "texts-that-wait-for-their-check-have-no-bound",
      promise: 17,
      test: "packages/mesh/test/signed.test.ts",
      find: "waiting > 0 && waiting + weight > unchecked",
      replace: "unchecked < 0",
      title: "are dropped unchecked beyond the bound"
    },
    {
      name: "a-fleet-without-keys-says-nothing",
      promise: 6,
      test: "packages/mesh/test/signed.test.ts",
      find: "if (keys === undefined) return Effect.die(",
      replace: "if (keys === undefined) return Effect.logDebug(",
      title: "are a choice"
    },
    {
      name: "a-text-that-comes-again-is-taken",
      promise: 6,
      test: "packages/mesh/test/signed.test.ts",
      find: "if (number <= (this.#last.get(from) ?? 0)) return false",
      replace: "",
      title: "are dropped where they come again"
    },
    {
      name: "a-tag-is-for-any-node",
      promise: 6,
      test: "packages/mesh/test/signed.test.ts",
      find: "JSON.stringify([to, from, number])",
      replace: "JSON.stringify([from, number])",
      title: "are dropped where they come again, or for another node"
    },
    {
      name: "a-tag-does-not-hold-the-number",
      promise: 6,
      test: "packages/mesh/test/signed.test.ts",
      find: "JSON.stringify([to, from, number])",
      replace: "JSON.stringify([to, from])",
      title: "are dropped "
    },
    {
      name: "texts-are-signed-side-by-side",
      promise: 6,
      test: "packages/mesh/test/signed.test.ts",
      find: "sending = signed.catch(() => undefined)",
      replace: "",
      title: "are taken in their order, also where the first tags"
    },
    {
      name: "a-lost-key-is-not-told",
      promise: 9,
      find: `this.#leases.kept,`,
      replace: `Effect.void,`,
      title: "is lost to who stands still for too long"
    },
    {
      name: "a-beat-that-was-not-answered-hides-a-death",
      promise: 9,
      test: "packages/mesh/test/regression/beats.test.ts",
      find: `this.#clock.currentTimeMillisUnsafe() - this.#beaten >= this.#lease`,
      replace: `this.#lease < 0`,
      title: "finds out with the next beat what it has lost"
    },
    {
      name: "a-lost-key-still-takes-texts",
      promise: 9,
      find: `this.#held.delete(held.key)
          held.lose()`,
      replace: `held.lose()`,
      title: "is lost to who stands still for too long"
    },
    {
      name: "a-group-hears-its-own-echo",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `members.filter((member) => member !== this.node)`,
      replace: `members`,
      title: "an engine of memory"
    },
    {
      name: "a-full-queue-takes-its-caller-for-gone",
      promise: 18,
      test: "packages/mesh/test/laws.test.ts",
      find: `post.deliver(from, { ...frame, id })`,
      replace: `post.send(from, { ...frame, id })`,
      title: "an engine of memory"
    },
    {
      name: "a-key-that-was-dropped-forgets-its-epoch",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `this.#remember(key, epoch)
    this.#tell(key, true)`,
      replace: `this.#epochs.delete(key)
    this.#tell(key, true)`,
      title: "a journal of memory"
    },
    {
      name: "a-dropped-key-of-a-store-forgets-its-epoch",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `epoch === 0
            ? knowns.remove(nameOf(key))`,
      replace: `epoch >= 0
            ? knowns.remove(nameOf(key))`,
      title: "a journal in a KeyValueStore"
    },
    {
      name: "a-key-of-a-store-has-one-life",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `life: crypto.randomUUID().slice(0, 8)`,
      replace: `life: ""`,
      title: "a journal in a KeyValueStore"
    },
    {
      name: "an-empty-engine-says-that-nobody-owns-a-key",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `owners.has(key) || !wasEmptied || now >= known`,
      replace: `owners.has(key) || !wasEmptied || now >= 0`,
      title: "an engine of memory"
    },
    {
      name: "an-answer-knows-no-pace",
      promise: 18,
      test: "packages/mesh/test/laws.test.ts",
      find: `if (this.#sent - this.#read >= this.#window)`,
      replace: `if (this.#window < 0)`,
      title: "an engine of memory"
    },
    {
      name: "one-answer-alone-hears-that-there-is-room",
      promise: 18,
      test: "packages/mesh/test/regression/together.test.ts",
      find: `waiting?.forEach((wake) => wake())`,
      replace: `for (const wake of [...waiting ?? []].slice(-1)) wake()`,
      title: "all come, however little"
    },
    {
      name: "a-reader-that-leaves-says-nothing",
      promise: 8,
      find: `if (isOver && !isLost) return`,
      replace: `if (!isLost) return`,
      title: "that nobody reads any more interrupts who gives it"
    },
    {
      name: "a-node-that-connects-again-is-gone",
      promise: 7,
      test: "packages/mesh/test/regression/reconnects.test.ts",
      find: `>= this.#lease / beats / 2`,
      replace: `>= 0`,
      title: "is not gone for those who wait for its answers"
    },
    {
      name: "an-answer-without-a-receiver-is-not-sent-again",
      promise: 7,
      test: "packages/mesh/test/regression/reconnects.test.ts",
      find: `isHeard || waited >= this.#lease`,
      replace: `waited >= 0`,
      title: "gets the answers that it waits for"
    },
    {
      name: "what-waits-for-an-engine-has-no-bound",
      promise: 17,
      test: "packages/redis/test/RedisEngine.test.ts",
      find: `items.size > 0 && weight + item.weight > bound`,
      replace: `bound < 0`,
      title: "waits with no more than 64 Mi"
    },
    {
      name: "beats-wait-for-room-behind-large-texts",
      promise: 17,
      test: "packages/nats/test/internal/Room.test.ts",
      find: `item.weight > small ? 0.75 * most : most`,
      replace: `0.75 * most`,
      title: "have a weight of 64 Mi at most"
    },
    {
      name: "a-silent-node-is-waited-for",
      promise: 9,
      find: `(this.#at.get(node) ?? Number.POSITIVE_INFINITY) <= time`,
      replace: `this.#at.size < 0`,
      title: "ends with OwnerGone when its node dies, or is silent for a lease"
    },
    {
      name: "the-inbox-of-a-node-has-no-bound",
      promise: 17,
      find: `this.#weight + weight > inbox`,
      replace: `inbox < 0`,
      title: "is refused at its sender"
    },
    {
      name: "an-older-owner-appends",
      promise: 9,
      test: "packages/mesh/test/interleavings.test.ts",
      find: `return epoch < newest ? Effect.fail`,
      replace: `return epoch < newest - 1_000 ? Effect.fail`,
      title: "are exclusive among those that are awake"
    },
    {
      name: "a-gap-is-not-told",
      promise: 9,
      test: "packages/mesh/test/Journal.test.ts",
      find: `if (place < last) items.push({ _tag: "Gap", after: place, before: last + 1 })`,
      replace: ``,
      title: "of many keys is bounded"
    },
    {
      name: "silence-is-not-heard-while-the-engine-is-slow",
      promise: 7,
      test: "packages/mesh/test/regression/watches.test.ts",
      find: `this.#watch()
      return`,
      replace: `if (this.#telling === undefined) this.#watch()
      return`,
      title: "is told within a lease and a beat"
    },
    {
      name: "an-older-claim-frees-a-key",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `if (owner?.epoch === epoch) free(key, owner)`,
      replace: `if (owner !== undefined) free(key, owner)`,
      title: "an engine of memory"
    },
    {
      name: "an-engine-that-is-back-waits-for-no-owner",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `if (now >= known) return false`,
      replace: `if (now >= 0) return false`,
      title: "an engine of memory"
    },
    {
      name: "the-last-text-is-never-too-old",
      promise: 9,
      test: "packages/mesh/test/laws.test.ts",
      find: `newest !== undefined && newest.at >= since`,
      replace: `newest !== undefined`,
      title: "a journal of memory"
    },
    {
      name: "a-key-that-was-forgotten-has-no-epoch",
      promise: 9,
      test: "packages/mesh/test/Journal.test.ts",
      find: `this.#epochs.set(key, epoch)`,
      replace: ``,
      title: "refuses an older epoch of a key that it has forgotten"
    }
  ]
} satisfies Mutants
