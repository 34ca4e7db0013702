import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/opening.ts",
  test: "packages/protocol/test/Framing.line.test.ts",
  mutants: [
    {
      name: "http-request-is-a-text",
      promise: 6,
      find: "foreign.find((one) => starts",
      replace: "foreign.slice(-1).find((one) => starts"
    },
    {
      name: "http-request-is-lost-later",
      promise: 6,
      find: "foreign.find((one) => starts",
      replace: "foreign.slice(-1).find((one) => starts",
      test: "packages/protocol/test/Framing.contentLength.test.ts"
    },
    {
      name: "tls-hello-is-a-text",
      promise: 6,
      find: "{ bytes: [0x16, 0x03],",
      replace: "{ bytes: [0x16, 0x04],"
    },
    {
      name: "foreign-bytes-in-cuts-pass",
      promise: 6,
      find: "if (undecided(head)) return []",
      replace: "",
      test: "packages/protocol/test/Framing.concatenated.test.ts"
    }
  ]
} satisfies Mutants
