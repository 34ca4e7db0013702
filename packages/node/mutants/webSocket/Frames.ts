import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/webSocket/Frames.ts",
  test: "packages/node/test/webSocket/Frames.test.ts",
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
