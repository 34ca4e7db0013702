/** A key of a journal as a list of messages, beside a list of what has to be kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Facts from "../../src/internal/journal/Facts.ts"

const heaviest = 4_000

const Steps = Schema.Array(Schema.Union([
  Schema.TaggedStruct("Append", {
    weight: Schema.Int.check(Schema.isBetween({ minimum: 256, maximum: heaviest })),
    keep: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
    parts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })),
    times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))
  }),
  Schema.TaggedStruct("Fence", {}),
  Schema.TaggedStruct("Drop", {})
])).check(Schema.isMaxLength(12))

const bounds: Facts.Bounds = { count: 50, weight: 100_000 }

/** A stream with one subject, and others between its messages. */
const streamOf = () => {
  let messages: Array<Facts.Head> = []
  let head: Facts.Head = { seq: 0, facts: Facts.nothing }
  let seq = 0
  const write = (facts: Facts.Facts) => {
    seq += 1 + seq % 3
    const decoded = Facts.decode(`NATS/1.0\r\n${Facts.header}: ${Facts.encode(facts)}\r\n\r\n`)
    assert.deepStrictEqual(decoded, facts)
    head = { seq, facts }
    messages.push(head)
  }
  return {
    get messages() {
      return messages
    },
    get head() {
      return head
    },
    append: (weight: number, keep: number, parts: number) => {
      const before = head
      for (let part = 1; part < parts; part++) write(Facts.between(before, bounds, "part", 0))
      write(Facts.appended(before, bounds, { epoch: 0, keep, parts, weight }))
      if (!Facts.isExcess(head.facts, bounds)) return
      let { mark } = head.facts
      const { kept } = head.facts
      while (mark.position > kept.position && !Facts.isFloor(mark, head.facts, bounds)) {
        mark = messages.find((message) => message.seq >= mark.seq)?.facts.mark ?? kept
      }
      if (mark.position <= kept.position) return
      messages = messages.filter((message) => message.seq >= mark.seq)
      head = { seq: head.seq, facts: { ...head.facts, kept: mark } }
    },
    fence: () => write(Facts.between(head, bounds, "fence", 0)),
    drop: () => {
      write(Facts.dropped(head, 0))
      messages = messages.slice(-1)
    }
  }
}

const weightOf = (texts: ReadonlyArray<{ readonly weight: number }>): number =>
  texts.reduce((sum, { weight }) => sum + weight, 0)

/** After each step, the messages are those that the bounds allow. */
const keeps = (steps: typeof Steps.Type): void => {
  const stream = streamOf()
  let [texts, last]: [Array<{ readonly position: number; readonly weight: number }>, number] = [[], 0]
  for (const step of steps) {
    if (step._tag === "Fence") stream.fence()
    else if (step._tag === "Drop") {
      if (stream.head.seq > 0) stream.drop()
      texts = []
      last = 0
    } else {
      for (let time = 0; time < step.times; time++) {
        stream.append(step.weight, step.keep, step.parts)
        texts.push({ position: ++last, weight: step.weight })
        while (texts.length > Math.min(bounds.count, step.keep)) texts.shift()
        while (texts.length > 1 && weightOf(texts) > bounds.weight) texts.shift()
      }
    }
    const { facts } = stream.head
    const kept = stream.messages.filter((message) =>
      message.facts.kind === "text" && Facts.isKept(message.facts, facts, bounds)
    )
    assert.deepStrictEqual(kept.map((message) => message.facts.last), texts.map(({ position }) => position))
    for (const { facts, seq } of kept) {
      const parts = stream.messages.filter((message) => message.seq > facts.behind && message.seq <= seq)
      assert.lengthOf(parts, facts.parts)
    }
    assert.strictEqual(facts.last, last)
    const all = stream.messages.filter((message) => message.facts.kind === "text")
    assert.isAtMost(all.length, 1.5 * bounds.count + 8 + 1)
    assert.isAtMost(weightOf(all.map(({ facts }) => facts)), 1.5 * bounds.weight + 65_536 + heaviest)
    // The start for the texts behind any position: never behind the next text.
    for (const { position } of texts) {
      let { mark } = facts
      while (mark.position > position) {
        mark = stream.messages.find((message) => message.seq >= mark.seq)?.facts.mark ?? facts.kept
      }
      const first = stream.messages.find((message) => message.facts.last === position && message.facts.kind === "text")
      assert.isAtMost(mark.seq, (first?.facts.behind ?? 0) + 1)
    }
  }
}

describe("the messages of a key", () => {
  it.effect.prop(
    "keep what the bounds allow, and not much more",
    [Steps],
    ([steps]) => Effect.sync(() => keeps(steps))
  )

  it("keep what the bounds allow, where texts are large", () => {
    keeps(Array.from({ length: 12 }, () => ({ _tag: "Append", weight: heaviest, keep: 60, parts: 1, times: 40 })))
  })

  it("are many more than marks, but for those of which few are kept", () => {
    const small = streamOf()
    for (let n = 0; n < 50; n++) small.append(256, 50, 1)
    assert.isAtMost(new Set(small.messages.map(({ facts }) => facts.mark.position)).size, 8)
    const state = streamOf()
    for (let n = 0; n < 500; n++) {
      state.append(1_000, 1, 1)
      assert.isAtMost(state.messages.length, 12)
    }
  })
})
