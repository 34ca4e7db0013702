import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/webSockets.ts",
  test: "packages/node/test/NodeWebSocket.test.ts",
  mutants: [
    {
      name: "websocket-message-of-any-size",
      promise: 5,
      find: `maxPayload: limits.frame,`,
      replace: ``
    },
    {
      name: "websocket-from-any-page",
      promise: 6,
      find: `if (access(headers) !== undefined) return 403`,
      replace: ``,
      test: "packages/node/test/NodeWebSocket.refusals.test.ts",
      title: "a Host or an Origin that is not allowed is refused"
    },
    {
      name: "websocket-drops-what-came-before-its-handler",
      promise: 9,
      find: `ws.pause()`,
      replace: ``,
      title: "connections wait for "
    },
    {
      name: "websocket-client-counts-no-reads",
      promise: 5,
      find: `      ws.once("open", () => onOpen())\n`,
      replace: ``,
      title: "a server that never finishes its message ends in time"
    },
    {
      name: "websocket-short-texts-as-bytes",
      promise: 2,
      find: `{ binary: false }`,
      replace: `{ binary: true }`,
      title: "texts of any length arrive as texts"
    },
    {
      name: "websocket-connections-without-bound",
      promise: 17,
      find: `(open < limits.connections ? undefined : 503)`,
      replace: `undefined`,
      test: "packages/node/test/NodeWebSocket.refusals.test.ts",
      title: "connections beyond the limit are refused"
    },
    {
      name: "websocket-upgrade-without-time",
      promise: 21,
      find: `requestTimeout: limits.handshake,`,
      replace: ``,
      test: "packages/node/test/NodeWebSocket.refusals.test.ts",
      title: "garbage is answered and closed, half a request is closed in time"
    }
  ]
} satisfies Mutants
