import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/utf8.ts",
  test: "packages/protocol/test/framing/Framing.line.test.ts",
  mutants: [
    {
      name: "invalid-utf8-is-replaced",
      promise: 4,
      find: "{ fatal: true, ignoreBOM: true }",
      replace: "{ fatal: false, ignoreBOM: true }"
    },
    {
      name: "long-text-loses-what-found-no-room",
      promise: 4,
      find: "concat([bytes.subarray(0, room + written), encoder.encode(text.slice(read))])",
      replace: "bytes"
    }
  ]
} satisfies Mutants
