import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/webSocket.ts",
  test: "packages/transport/test/WebSocketTransport.test.ts",
  mutants: [
    {
      name: "websocket-counts-units-for-bytes",
      promise: 14,
      find: `(text.length > frame || encoder.encode(text).length > frame)`,
      replace: `text.length > frame`
    },
    {
      name: "websocket-sends-without-room",
      promise: 18,
      find: `return this.buffered > sendMark ? this.drained(`,
      replace: `return this.buffered < 0 ? this.drained(`
    },
    {
      name: "websocket-sends-into-its-closing",
      promise: 9,
      find: `return this.socket.readyState === states.open ? undefined : lost`,
      replace: `return this.socket.readyState !== states.closed ? undefined : lost`,
      title: "what is sent when the connection is closing fails"
    },
    {
      name: "websocket-error-takes-texts-with-it",
      promise: 9,
      find: `    this.deliver()\n    this.inbox.end(reason)`,
      replace: `    this.inbox.end(reason)`,
      title: "texts that came before the end are received before it"
    },
    {
      name: "websocket-pings-after-its-end",
      promise: 21,
      find: `    this.beating?.interruptUnsafe()\n    if (failed === undefined) return`,
      replace: `    if (failed === undefined) return`
    },
    {
      name: "websocket-never-lets-the-other-side-wait",
      promise: 18,
      find: `if (full) this.socket.pause?.()`,
      replace: `if (full) this.hear()`,
      title: "with one, the other side waits until it was read"
    },
    {
      name: "websocket-kept-alive-by-nobody",
      promise: 9,
      find: `this.heard || this.paused ? beat : ask`,
      replace: `this.heard ? beat : ask`,
      title: "a silence after a ping is the end, but not while"
    },
    {
      name: "websocket-read-without-end",
      promise: 12,
      find: `    this.deliver()\n    // A close frame`,
      replace: `    // A close frame`,
      title: "the texts of one read are received together"
    },
    {
      name: "websocket-unfinished-message-for-nothing",
      promise: 5,
      find: `    const reason = this.unfinished.read(bytes)`,
      replace: `    const reason = this.unfinished.read(0)`,
      test: "packages/node/test/NodeWebSocket.test.ts",
      title: "messages that are never finished hold no more than the budget"
    },
    {
      name: "websocket-close-frame-as-a-message",
      promise: 9,
      find: `    if (this.shut !== undefined) return\n    const reason`,
      replace: `    if (this.inbox.broken !== undefined) return\n    const reason`,
      title: "a close frame is no unfinished message"
    },
    {
      name: "websocket-unfinished-message-for-ever",
      promise: 5,
      find: `        this.unfinished.control(bytes)`,
      replace: `        this.unfinished.message()`,
      title: "a message may take so long to come"
    },
    {
      name: "websocket-unfinished-message-never-given-back",
      promise: 21,
      find: `    this.unfinished.drop()`,
      replace: ``,
      title: "what has come of an unfinished message takes from the budget"
    }
  ]
} satisfies Mutants
