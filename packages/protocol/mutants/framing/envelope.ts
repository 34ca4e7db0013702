import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/envelope.ts",
  test: "packages/protocol/test/framing/Framing.line.test.ts",
  mutants: [
    {
      name: "skipped-frame-tells-a-nested-id",
      promise: 5,
      find: "if (this.depth > 1) at =",
      replace: "if (this.depth > 3) at ="
    },
    {
      name: "skipped-frame-forgets-an-escape-at-a-cut",
      promise: 5,
      find: "this.escaped = at > end\n      if",
      replace: "this.escaped = false\n      if"
    },
    {
      name: "blanks-push-the-id-of-a-skipped-frame-out",
      promise: 5,
      test: "packages/protocol/test/framing/envelope.test.ts",
      title: "whatever blanks stand beside an id",
      find: " && !isBlank(this.captured[this.count - 1]!)",
      replace: ""
    },
    {
      name: "notification-may-have-lost-its-id",
      promise: 14,
      test: "packages/protocol/test/shared/ErrorReply.test.ts",
      title: "is no notification where it may have lost its id",
      find: `return !this.isBroken && this.place === "after"`,
      replace: "return true"
    }
  ]
} satisfies Mutants
