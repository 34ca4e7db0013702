import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/webSocketPlatform.ts",
  test: "packages/node/test/NodeWebSocket.test.ts",
  mutants: [
    {
      name: "websocket-pings-of-a-server-with-a-mask",
      promise: 5,
      find: `url === undefined ? 6 : 2`,
      replace: `url === undefined ? 6 : 6`,
      title: "a server that never finishes its message ends in time"
    }
  ]
} satisfies Mutants
