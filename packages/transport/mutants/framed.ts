import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/framed.ts",
  test: "packages/transport/test/FramedTransport.test.ts",
  mutants: [
    {
      name: "framing-without-the-limits",
      promise: 5,
      find: `this.framing.splitter(this.#limits)
    this.#bytes`,
      replace: `this.framing.splitter(Limits.defaults)
    this.#bytes`
    },
    {
      name: "what-comes-with-a-lost-place-is-split-as-before",
      promise: 14,
      find: `chunks.flatMap((chunk) => this.#splitter.push(chunk))`,
      replace: `chunks.flatMap(this.#splitter.push)`
    },
    {
      name: "end-of-input-ends-sending",
      promise: 19,
      find: `if (reason !== "EndOfInput") this.#ended = this.#broken = failure`,
      replace: `this.#ended = this.#broken = failure`
    },
    {
      name: "more-bytes-buy-time",
      promise: 21,
      find: `else this.#since ??= Monotonic`,
      replace: `else this.#since = Monotonic`,
      title: "more bytes of the same frame do not buy time"
    },
    {
      name: "second-reader-served",
      promise: 12,
      find: `if (fiber !== this.#reader && this.#isWaiting) {`,
      replace: `if (fiber !== this.#reader && this.#isWaiting && this.#splitter.partial()) {`,
      title: "one reader"
    },
    {
      name: "a-chosen-framing-without-the-limits",
      promise: 5,
      find: `this.framing.splitter(this.#limits)
    return`,
      replace: `this.framing.splitter(Limits.defaults)
    return`,
      title: "promise 5: a frame beyond its limit is never buffered: in a framing that was chosen"
    },
    {
      name: "a-peer-changes-the-framing-that-was-given",
      promise: 4,
      find: `this.#isChosen = options.framing !== undefined`,
      replace: `this.#isChosen = false`,
      title: "a framing that is given stays"
    },
    {
      name: "what-was-read-by-one-framing-goes-on-by-another",
      promise: 4,
      find: `    this.#isChosen = true
    this.#reader = fiber`,
      replace: `    this.#reader = fiber`,
      title: "what was read or written has chosen"
    },
    {
      name: "what-was-written-by-one-framing-goes-on-by-another",
      promise: 4,
      find: `    this.#isChosen = true
    this.#occupancy?.touch()
    return`,
      replace: `    this.#occupancy?.touch()
    return`,
      title: "what was read or written has chosen"
    }
  ]
} satisfies Mutants
