import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/webSockets.ts",
  test: "packages/node/test/NodeWebSocket.test.ts",
  mutants: [
    {
      name: "websocket-short-texts-as-bytes",
      promise: 2,
      find: `{ binary: false }`,
      replace: `{ binary: true }`,
      title: "texts of any length arrive as texts"
    },
    {
      name: "websocket-answers-what-is-too-large-and-goes-on",
      promise: 14,
      test: "packages/node/test/badFrames/server.test.ts",
      find: `maxPayload: limits.frame,`,
      replace: `maxPayload: 4 * limits.frame,`,
      title: "over WebSocket, "
    },
    {
      name: "websocket-text-that-is-no-utf8-is-read",
      promise: 14,
      test: "packages/node/test/badFrames/server.test.ts",
      find: `perMessageDeflate: false, closeTimeout })`,
      replace: `perMessageDeflate: false, closeTimeout, skipUTF8Validation: true })`,
      title: "over WebSocket, "
    }
  ]
} satisfies Mutants
