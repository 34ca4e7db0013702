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
      name: "foreign-protocol-read-as-nothing",
      promise: 6,
      find: `reason === "ForeignProtocol"`,
      replace: `reason === "Syntax"`
    },
    { name: "closed-transport-still-sends", promise: 9, find: `    broken ??= failure\n`, replace: `` },
    {
      name: "lost-place-takes-frames-with-it",
      promise: 14,
      find: `return textsOf(frames.slice(0, -1))`,
      replace: `return undefined`
    },
    {
      name: "end-of-input-ends-sending",
      promise: 19,
      find: `if (reason !== "EndOfInput") ended = broken = failure`,
      replace: `ended = broken = failure`
    },
    {
      name: "timer-for-whole-frames",
      promise: 21,
      find: `if (!splitter.partial()) since = undefined`,
      replace: `if (splitter.partial()) since = undefined`
    },
    {
      name: "unfinished-frame-without-time",
      promise: 21,
      find: `watcher === undefined ? Effect.flatMap`,
      replace: `watcher !== undefined ? Effect.flatMap`,
      title: "a frame that begins and does not end is a FrameTimeout"
    },
    {
      name: "more-bytes-buy-time",
      promise: 21,
      find: `else since ??= clock`,
      replace: `else since = clock`,
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
