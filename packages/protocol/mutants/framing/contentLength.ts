import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/contentLength.ts",
  test: "packages/protocol/test/framing/Framing.contentLength.test.ts",
  mutants: [
    {
      name: "a-text-of-another-charset-is-read",
      promise: 14,
      test: "packages/node/test/badFrames/server.test.ts",
      find: `if (!isUtf8) held.refuse()`,
      replace: `if (!isUtf8 && length === 0) held.refuse()`,
      title: "over TCP, "
    },
    {
      name: "length-is-counted-in-letters",
      promise: 4,
      find: "? bytes : concat(texts.map(framed))",
      replace: "? bytes : bytes"
    }
  ]
} satisfies Mutants
