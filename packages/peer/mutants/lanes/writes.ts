import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Texts that wait to be written to a transport. */
export default {
  file: "packages/peer/src/internal/lanes/StreamLane.ts",
  test: "packages/peer/test/Ends.test.ts",
  mutants: [
    {
      name: "a-transport-that-throws-is-not-lost",
      promise: 9,
      test: "packages/peer/test/regression/defects.test.ts",
      find: `return Exit.die(defect)`,
      replace: `throw defect`
    },
    {
      name: "little-is-written-in-halves",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      title: "writes in one go what little had to say",
      find: `>= worthwhile`,
      replace: `>= 1`
    },
    {
      name: "writing-takes-a-fiber",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      title: "reads and writes without a fiber where its transport needs none",
      find: `Direct.giveOf(transport) ?? `,
      replace: ``
    },
    {
      name: "transports-are-no-objects",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      title: "speaks over a transport that is a class",
      find: `((texts) => transport.send(texts))`,
      replace: `transport.send`
    },
    {
      name: "what-is-written-keeps-its-room",
      promise: 18,
      find: `this.traffic.calls -= calls this.traffic.replies -= replies`,
      replace: `this.traffic.calls -= replies; this.traffic.replies -= calls`
    },
    {
      name: "short-texts-that-are-not-written-weigh-their-characters",
      promise: 17,
      test: "packages/peer/test/regression/unread.test.ts",
      title: "promise 17: calls beyond the in-flight limit wait in a bounded inbox, and short",
      find: `Weight.ofWaiting(text)`,
      replace: `text.length`
    },
    {
      name: "stalled-writes-wait-for-ever",
      promise: 18,
      find: `if (!this.conversation.isClosed) this.conversation.host.timers.set(this.#stall, milliseconds)`,
      replace: ``
    },
    {
      name: "a-write-that-ends-stays-unread",
      promise: 17,
      test: "packages/peer/test/regression/unread.test.ts",
      find: `this.#reader.takes() this.conversation.step()`,
      replace: `this.conversation.step()`
    },
    {
      name: "the-budget-is-not-told-of-more-for-who-reads-nothing",
      promise: 17,
      test: "packages/peer/test/regression/unread.test.ts",
      find: `this.#reader.gains()`,
      replace: ``
    },
    {
      name: "replies-that-pile-up-start-calls",
      promise: 18,
      test: "packages/peer/test/regression/congestion.test.ts",
      find: `this.#reader.takes() this.conversation.step()`,
      replace: `this.#reader.takes()`
    },
    {
      name: "a-write-looks-for-more-before-it-has-ended",
      promise: 22,
      test: "packages/peer/test/Rest.test.ts",
      find: `sent(exit) this.#flush()`,
      replace: `this.#flush(); sent(exit)`
    }
  ]
} satisfies Mutants
