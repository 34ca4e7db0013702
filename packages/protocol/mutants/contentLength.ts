import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/contentLength.ts",
  test: "packages/protocol/test/Framing.contentLength.test.ts",
  mutants: [
    {
      name: "header-starts-anew-with-each-chunk",
      promise: 4,
      find: "header ??= new",
      replace: "header = new"
    },
    {
      name: "length-is-counted-in-letters",
      promise: 4,
      find: "? bytes : concat(texts.map(framed))",
      replace: "? bytes : bytes"
    },
    {
      name: "too-large-body-within-a-chunk-is-a-text",
      promise: 5,
      find: " && missing <= limits.frame",
      replace: ""
    }
  ]
} satisfies Mutants
