import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/webSocketFrames.ts",
  test: "packages/transport/test/webSocketFrames.test.ts",
  mutants: [
    {
      name: "websocket-frames-all-with-a-mask",
      promise: 4,
      find: `(byte & 0x80) === 0 ? 0 : 4`,
      replace: `4`,
      title: "promise 4: any way of cutting"
    }
  ]
} satisfies Mutants
