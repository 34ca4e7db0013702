import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/webSocketPlatform.ts",
  test: "packages/node/test/NodeWebSocket.test.ts",
  mutants: [
    {
      name: "websocket-pings-of-a-server-with-a-mask",
      promise: 5,
      find: `socket.url === undefined ? "client" : "server"`,
      replace: `"client"`,
      title: "a server that never finishes its message ends in time"
    }
  ]
} satisfies Mutants
