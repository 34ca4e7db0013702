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
    }
  ]
} satisfies Mutants
