import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/framed.ts",
  test: "packages/transport/test/FramedTransport.test.ts",
  mutants: [
    {
      name: "framing-without-the-limits",
      promise: 5,
      find: `it.splitter(limits)`,
      replace: `it.splitter(Limits.defaults)`
    },
    {
      name: "what-comes-with-a-lost-place-is-split-as-before",
      promise: 14,
      find: `chunks.flatMap((chunk) => by.splitter.push(chunk))`,
      replace: `chunks.flatMap(by.splitter.push)`
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
      replace: `if (fiber !== reader && isWaiting() && by.splitter.partial()) {`,
      title: "one reader"
    },
    {
      name: "a-peer-changes-the-framing-that-was-given",
      promise: 4,
      find: `let isChosen = options.framing !== undefined`,
      replace: `let isChosen = false`,
      title: "a framing that is given stays"
    },
    {
      name: "what-was-read-by-one-framing-goes-on-by-another",
      promise: 4,
      find: `    isChosen = true
    reader = fiber`,
      replace: `    reader = fiber`,
      title: "what was read or written has chosen"
    },
    {
      name: "what-was-written-by-one-framing-goes-on-by-another",
      promise: 4,
      find: `      isChosen = true
      occupancy?.touch()`,
      replace: `      occupancy?.touch()`,
      title: "what was read or written has chosen"
    }
  ]
} satisfies Mutants
