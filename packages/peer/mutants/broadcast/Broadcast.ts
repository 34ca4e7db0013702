import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Those who are told what is published, and what waits for them. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/broadcast/Broadcast.test.ts",
  mutants: [
    {
      name: "a-text-is-pushed-behind-any-other",
      promise: 26,
      find: `traffic.isFull || (line === "pushed" && traffic.calls >= mostBeforePush)`,
      replace: `traffic.isFull && line !== "pushed"`
    },
    {
      name: "what-waits-for-a-recipient-stays",
      promise: 26,
      find: `() => owner.flush()`,
      replace: `() => {}`
    },
    {
      name: "what-is-pushed-waits-before-what-is-called",
      promise: 26,
      title: "shares a connection with its other calls",
      find: `return this.#free.size > 0 || (isWindowed && this.#windowed.size > 0)`,
      replace: `return this.#free.size > 0 || this.#pushed.size > 0 || (isWindowed && this.#windowed.size > 0)`
    },
    {
      name: "what-waits-last-is-told-first",
      promise: 27,
      find: `this.#entries.push(entry)`,
      replace: `this.#entries.splice(this.#first, 0, entry)`
    },
    {
      name: "the-queue-of-a-recipient-forgets-its-size",
      promise: 27,
      find: `this.size < messages && this.#weight + weight <= bytes`,
      replace: `this.size < messages`
    },
    {
      name: "the-queue-of-a-recipient-forgets-its-count",
      promise: 27,
      find: `this.size < messages && this.#weight + weight <= bytes`,
      replace: `this.#weight + weight <= bytes`
    },
    {
      name: "a-slow-recipient-only-loses",
      promise: 27,
      find: `if (slow === "disconnect") this.audience.remove(this, "lagged")`,
      replace: ``
    },
    {
      name: "what-waits-for-one-who-leaves-is-not-counted",
      promise: 27,
      find: `this.countDropped(this.#queue?.clear().length ?? 0)`,
      replace: `this.#queue?.clear()`
    },
    {
      name: "a-text-is-larger-than-the-frames-of-a-connection",
      promise: 27,
      title: "writes nothing to a connection that is larger than its frames",
      find: `if (!this.canTake(entry)) return this.countDropped()`,
      replace: ``
    },
    {
      name: "a-recipient-is-in-any-number-of-groups",
      promise: 27,
      title: "lets one recipient be in a bounded number of groups",
      find: `recipient.groups.size > this.rules.groups`,
      replace: `recipient.groups.size > Infinity`
    },
    {
      name: "who-watches-a-closed-broadcast-waits-for-ever",
      promise: 27,
      title: "ends with its scope: nobody is told any more",
      find: `if (audience.isClosed) notes.close()`,
      replace: ``
    },
    {
      name: "a-notification-is-written-for-each",
      promise: 28,
      title: "writes a text once for all",
      find: `if (form === undefined) return this.#text`,
      replace: `if (form === undefined) return new SharedText(Message.notificationText(this.#method, this.#params))`
    },
    {
      name: "a-text-is-joined-for-each",
      promise: 28,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      find: `if (framing !== this.#framing)`,
      replace: ``
    },
    {
      name: "the-bytes-of-a-text-are-those-of-one-framing",
      promise: 28,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      find: `if (framing !== this.#framing)`,
      replace: `if (this.#framing === undefined)`
    },
    {
      name: "what-is-published-is-overtaken-in-its-turn",
      promise: 26,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      title: "goes out at once where it is first, else in one write",
      find: `if (this.#shared !== undefined) this.#unshare(this.#shared)`,
      replace: ``
    },
    {
      name: "who-comes-while-others-are-told-is-told",
      promise: 26,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      title: "is told only to those who had joined",
      find: `of [...this.find(name)?.recipients ?? []])`,
      replace: `of this.find(name)?.recipients ?? [])`
    },
    {
      name: "what-is-taken-from-a-queue-is-dropped-as-well",
      promise: 27,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      title: "counts once",
      find: `if (!this.take(next)) return queue?.putBack(next)`,
      replace: `queue?.putBack(next)\n      if (!this.take(next)) return\n      queue?.shift()`
    },
    {
      name: "what-is-written-at-once-leaves-a-reply-behind",
      promise: 22,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      find: `if (text.isFirst) this.flush()`,
      replace: `if (text.isFirst) this.#writeShared(text)`
    },
    {
      name: "what-is-published-in-one-turn-is-written-one-by-one",
      promise: 28,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      title: "goes out at once where it is first, else in one write",
      find: `return this.#turn === turn`,
      replace: `return true`
    },
    {
      name: "what-waits-for-what-is-published-waits-for-ever",
      promise: 22,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      find: `if (!this.conversation.isClosed) this.conversation.stepIfUnsettled(this)`,
      replace: ``
    },
    {
      name: "what-is-published-and-not-written-weighs-nothing",
      promise: 17,
      test: "packages/peer/test/broadcast/sharing.test.ts",
      title: "weighs while it waits",
      find: `if (!this.conversation.isClosed) this.#weigh(chunk, Weight.ofWaiting(text.texts[0]))`,
      replace: ``
    },
    {
      name: "the-form-of-a-dialect-is-written-for-each",
      promise: 28,
      title: "writes a text once for all",
      find: `if (!others.has(form)) others.set(form, this.#write(form))`,
      replace: `others.set(form, this.#write(form))`
    }
  ]
} satisfies Mutants
