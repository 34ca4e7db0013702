import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal",
  test: "packages/protocol/test/framing/Framing.contentLength.test.ts",
  mutants: [
    {
      name: "blank-line-before-a-header-is-a-block",
      promise: 14,
      find: "if (!this.isBegun) {",
      replace: "if (this.limit === 0) {",
      title: "a blank line before a block is skipped"
    },
    {
      name: "blank-line-behind-a-body-begins-a-frame",
      promise: 21,
      find: "header?.isBlank === false",
      replace: "header !== undefined",
      title: "a newline behind a body begins no frame"
    },
    {
      name: "bad-text-tells-nothing",
      promise: 14,
      test: "packages/protocol/test/shared/ErrorReply.test.ts",
      find: "envelopeOfText(text))",
      replace: "{})",
      title: "is answered with its id where it is only too large"
    }
  ]
} satisfies Mutants
