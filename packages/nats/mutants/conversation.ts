import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/nats/src/internal/conversation",
  test: "packages/nats/test/conversation/Conversation.test.ts",
  mutants: [
    {
      name: "a-lost-packet-goes-unnoticed",
      promise: 14,
      find: `if (sequence !== this.#came + 1) {`,
      replace: `if (sequence <= this.#came) {`,
      title: "ends on both sides when a packet was lost"
    },
    {
      name: "a-beat-knows-no-number",
      promise: 14,
      find: `if (packet.sequence !== this.#came) this.#gap()`,
      replace: ``,
      title: "finds by a beat that the last packet was lost"
    },
    {
      name: "data-leaves-by-a-wire-that-is-away",
      promise: 8,
      find: `>= room || !this.#wire.isUp()) return`,
      replace: `>= room) return`,
      title: "goes on after its wire was away"
    },
    {
      name: "a-conversation-bears-any-silence",
      promise: 9,
      find: `if (now - last >= bound) {`,
      replace: `if (now < last) {`,
      title: "ends when the other side is silent"
    },
    {
      name: "a-paused-process-blames-the-other-side",
      promise: 9,
      find: `const isAwake = now - before < 2 * interval`,
      replace: `const isAwake = true`,
      title: "bears that its process was paused"
    },
    {
      name: "one-beat-that-nobody-hears-ends-a-conversation",
      promise: 9,
      find: `if (this.#missedSince === undefined) {`,
      replace: `if (now < 0) {`,
      title: "goes on when nobody has heard one beat"
    },
    {
      name: "a-conversation-knows-no-window",
      promise: 18,
      find: `this.#spent - this.#granted >= room ||`,
      replace: ``,
      title: "grants no more than a window"
    },
    {
      name: "what-nobody-reads-is-kept-without-bound",
      promise: 18,
      find: `if (this.#unread > window + Packet.weightOf(largest))`,
      replace: `if (this.#unread < 0)`,
      title: "ends with a side that sends more than was granted"
    },
    {
      name: "an-end-overtakes-what-was-sent",
      promise: 19,
      find: `return Effect.andThen(this.#written, this.#close)`,
      replace: `return this.#close`,
      title: "gives the other side all that was taken before its end"
    }
  ]
} satisfies Mutants
