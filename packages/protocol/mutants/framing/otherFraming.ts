import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Streams that begin in another framing. */
export default {
  file: "packages/protocol/src/internal/framing",
  test: "packages/peer/test/Framings.test.ts",
  mutants: [
    {
      name: "a-header-is-a-line",
      promise: 14,
      title: "hear so at once",
      find: `return isHeader(first) ? lose([otherFraming(`,
      replace: `return false ? lose([otherFraming(`
    },
    {
      name: "json-without-a-header-waits-for-its-line-end",
      promise: 14,
      title: "hear so at once",
      find: `if (isFirst && (byte === 0x7b || byte === 0x5b)) this.lose(this.bytes.length - 1, noHeader) else if`,
      replace: `if`
    },
    {
      name: "another-framing-is-not-told-to-the-other-side",
      promise: 14,
      title: "hear so at once",
      find: `[...frames.slice(0, -1), told(final), final]`,
      replace: `frames`
    }
  ]
} satisfies Mutants
