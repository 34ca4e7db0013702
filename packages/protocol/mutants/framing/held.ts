import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/held.ts",
  test: "packages/protocol/test/framing/Framing.line.test.ts",
  mutants: [
    {
      name: "too-large-line-is-buffered",
      promise: 5,
      find: "if (this.size > this.limit + 1) this.refuse()",
      replace: ""
    },
    {
      name: "too-large-body-is-buffered",
      promise: 5,
      find: "if (this.size > this.limit + 1) this.refuse()",
      replace: "",
      test: "packages/protocol/test/framing/Framing.contentLength.test.ts"
    },
    {
      name: "too-large-value-is-buffered",
      promise: 5,
      find: "if (this.size > this.limit + 1) this.refuse()",
      replace: "",
      test: "packages/protocol/test/framing/Framing.concatenated.test.ts"
    },
    {
      name: "too-large-is-called-invalid",
      promise: 5,
      find: "end > this.limit ? this.bad(\"TooLarge\") : ",
      replace: ""
    }
  ]
} satisfies Mutants
