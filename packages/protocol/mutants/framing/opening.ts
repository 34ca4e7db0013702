import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing",
  test: "packages/protocol/test/framing/Framing.line.test.ts",
  mutants: [
    {
      name: "http-request-is-a-text",
      promise: 6,
      find: "if (++this.matched === version.length) this.outcome = \"request\"",
      replace: "this.matched++"
    },
    {
      name: "http-request-is-lost-later",
      promise: 6,
      find: "if (isLost(final)) waiting = final",
      replace: "if (isLost(final)) return close(frames)",
      test: "packages/protocol/test/framing/Framing.contentLength.test.ts"
    },
    {
      name: "only-capitals-are-methods",
      promise: 6,
      find: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
      replace: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    },
    {
      name: "http-request-behind-a-blank-line-is-a-text",
      promise: 6,
      find: "kinds[lineFeed] = end | skipped",
      replace: "kinds[lineFeed] = end"
    },
    {
      name: "tls-hello-is-a-text",
      promise: 6,
      find: "[0x16, 0x03]",
      replace: "[0x16, 0x04]"
    },
    {
      name: "foreign-bytes-in-cuts-pass",
      promise: 6,
      find: "if (undecided(head)) return []",
      replace: "",
      test: "packages/protocol/test/framing/Framing.concatenated.test.ts"
    }
  ]
} satisfies Mutants
