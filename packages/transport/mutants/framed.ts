import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/framed.ts",
  test: "packages/transport/test/FramedTransport.test.ts",
  mutants: [
    {
      name: "framing-without-the-limits",
      promise: 5,
      find: `framing.splitter(limits)`,
      replace: `framing.splitter(Limits.defaults)`
    },
    {
      name: "what-comes-with-a-lost-place-is-split-as-before",
      promise: 14,
      find: `chunks.flatMap((chunk) => splitter.push(chunk))`,
      replace: `chunks.flatMap(splitter.push)`
    },
    {
      name: "end-of-input-ends-sending",
      promise: 19,
      find: `if (reason !== "EndOfInput") ended = broken = failure`,
      replace: `ended = broken = failure`
    },
    {
      name: "more-bytes-buy-time",
      promise: 21,
      find: `else since ??= Monotonic`,
      replace: `else since = Monotonic`,
      title: "more bytes of the same frame do not buy time"
    },
    {
      name: "second-reader-served",
      promise: 12,
      find: `if (fiber !== reader && isWaiting()) {`,
      replace: `if (fiber !== reader && isWaiting() && splitter.partial()) {`,
      title: "one reader"
    }
  ]
} satisfies Mutants
