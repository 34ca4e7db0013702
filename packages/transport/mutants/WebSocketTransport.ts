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
      name: "websocket-close-frame-as-a-message",
      promise: 9,
      test: "packages/node/test/webSocket/Unfinished.test.ts",
      find: `    if (this.shut !== undefined) return\n    const reason`,
      replace: `    if (this.inbox.broken !== undefined) return\n    const reason`,
      title: "a close frame is no unfinished message"
    }
  ]
} satisfies Mutants
