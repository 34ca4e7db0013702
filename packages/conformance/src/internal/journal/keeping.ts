/** Laws of what a journal keeps: positions, gaps and bounds. */
import type { Bounds, Journal } from "@parley/mesh/Journal"
import * as Arbitrary from "effect/Arbitrary"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Generators from "../../shared/Generators.ts"
import { broken, first } from "../laws.ts"
import type { Verdict } from "../laws/Law.ts"
import { keys, show, texts } from "../mesh/texts.ts"
import type { Time } from "../mesh/time.ts"
import { differ, entry, gap } from "./tiling.ts"

/** Connects one process more to a journal, until the Scope closes. @category models @since 0.1.0 */
export type Connect = Effect.Effect<Journal, unknown, Scope.Scope>

/** A journal that is empty, with these bounds. */
export type Open = (bounds?: Bounds) => Effect.Effect<Connect, unknown, Scope.Scope>

export const positions = (open: Open) =>
  Effect.gen(function*() {
    const connect = yield* open()
    const [one, other] = [yield* connect, yield* connect]
    const places = yield* Effect.forEach(["a", "b", "c"], (text) => one.append("k", text, 0))
    if (places.join() !== "1,2,3") return `three texts got the positions ${show(places)}`
    yield* one.append("k/1", "another key", 0)
    for (const journal of [one, other]) {
      const verdict = first([
        differ("`read` from the start", [1, 2, 3].map((n) => entry(n, " abc"[n]!)), yield* journal.read("k", 0)),
        differ("`read` from a position", [entry(3, "c")], yield* journal.read("k", 2)),
        differ("`read` from the end", [], yield* journal.read("k", 3)),
        differ("`read` of another key", [entry(1, "another key")], yield* journal.read("k/1", 0))
      ])
      if (verdict !== undefined) return verdict
    }
    const next = yield* other.append("k", "d", 0)
    return next === 4 ? undefined : `another process appended the fourth text, and it got the position ${next}`
  })

export const newest = (open: Open) =>
  Effect.gen(function*() {
    const connect = yield* open({ count: 2 })
    const [one, other] = [yield* connect, yield* connect]
    const last = (what: string, expected: string | undefined) =>
      Effect.forEach([one, other], (journal) => journal.last("k")).pipe(Effect.map((found) => {
        const wrong = found.find((entry) =>
          entry === undefined ? expected !== undefined : `${entry.position} ${entry.text}` !== expected
        )
        return wrong === undefined && found.includes(undefined) === (expected === undefined)
          ? undefined
          : `${what}, \`last\` gave ${show(found)}`
      }))
    const verdicts = [yield* last("of a key that nobody has written", undefined)]
    for (const [index, text] of ["a", "", "c"].entries()) {
      yield* one.append("k", text, 0)
      verdicts.push(yield* last(`behind ${index + 1} texts`, `${index + 1} ${text}`))
    }
    yield* one.fence("k", 7)
    verdicts.push(yield* last("behind a fence", "3 c"))
    yield* one.drop("k", 7)
    verdicts.push(yield* last("of a key that was dropped", undefined))
    return first(verdicts)
  })

export const gaps = (open: Open) =>
  Effect.gen(function*() {
    const journal = yield* yield* open()
    const never = differ("`read` of a key that is not there", [gap(7, 1)], yield* journal.read("k", 7))
    yield* journal.append("k", "a", 0)
    const beyond = differ("`read` beyond the end", [gap(7, 2)], yield* journal.read("k", 7))
    yield* journal.drop("k", 0)
    return first([
      never,
      beyond,
      differ("`read` of a key that was dropped", [gap(1, 1)], yield* journal.read("k", 1)),
      differ("`read` of a key that was dropped", [], yield* journal.read("k", 0))
    ])
  })

export const most = (open: Open) =>
  Effect.gen(function*() {
    const journal = yield* yield* open({ count: 200 })
    const texts = Array.from({ length: 300 }, (_, n) => `${n + 1}`)
    for (const text of texts) yield* journal.append("k", text, 0)
    const at = (position: number) => entry(position, `${position}`)
    return first([
      differ("`read` of no more than one", [at(200)], yield* journal.read("k", 199, 1)),
      differ("`read` of no more than three", [at(200), at(201), at(202)], yield* journal.read("k", 199, 3)),
      differ("`read` of no more than one, behind a gap", [gap(50, 101)], yield* journal.read("k", 50, 1)),
      differ("`read` of no more than two, behind a gap", [gap(50, 101), at(101)], yield* journal.read("k", 50, 2)),
      differ("`read` of no more than there are", [at(300)], yield* journal.read("k", 299, 1_000)),
      differ("`read` of no more than one, at the end", [], yield* journal.read("k", 300, 1)),
      (yield* journal.read("k", 100)).length === 200 ? undefined : "`read` gave some of 200 texts"
    ])
  })

export const count = (open: Open) =>
  Effect.gen(function*() {
    const few = yield* yield* open({ count: 3 })
    for (const text of ["a", "b", "c", "d"]) yield* few.append("k", text, 0)
    const kept = [gap(0, 2), entry(2, "b"), entry(3, "c"), entry(4, "d")]
    return differ("with a `count` of 3, `read`", kept, yield* few.read("k", 0))
  })

export const weight = (open: Open) =>
  Effect.gen(function*() {
    const light = yield* yield* open({ weight: 1_000 })
    for (const length of [300, 300, 300]) yield* light.append("k", "x".repeat(length), 0)
    const kept = differ(
      "with a `weight` of 1000, `read`",
      [gap(0, 3), entry(3, "x".repeat(300))],
      yield* light.read("k", 0)
    )
    yield* light.append("k", "y".repeat(5_000), 0)
    const newest = differ(
      "of a text above `weight`, `read`",
      [gap(2, 4), entry(4, "y".repeat(5_000))],
      yield* light.read("k", 2)
    )
    // A text costs 256 beside its characters.
    const empty = yield* yield* open({ weight: 2_600 })
    for (let n = 0; n < 100; n++) yield* empty.append("k", "", 0)
    const items = yield* empty.read("k", 0)
    return first([
      kept,
      newest,
      items.length === 11 ? undefined : `of texts without a character, ${items.length - 1} are kept`
    ])
  })

export const lastFew = (open: Open) =>
  Effect.gen(function*() {
    const journal = yield* yield* open({ count: 4 })
    const read = journal.read("k", 0)
    for (const text of ["a", "b", "c"]) yield* journal.append("k", text, 0)
    const before = differ("`read`", [entry(1, "a"), entry(2, "b"), entry(3, "c")], yield* read)
    yield* journal.append("k", "d", 0, 2)
    const two = differ("with a `keep` of 2, `read`", [gap(0, 3), entry(3, "c"), entry(4, "d")], yield* read)
    yield* journal.append("k", "e", 0, 1)
    const one = differ("with a `keep` of 1, `read`", [gap(0, 5), entry(5, "e")], yield* read)
    for (const text of ["f", "g", "h", "i"]) yield* journal.append("k", text, 0, 100)
    const items = yield* read
    return first([
      before,
      two,
      one,
      items.length === 5 ? undefined : `with a \`count\` of 4, \`read\` gave ${show(items)}`
    ])
  })

export const age = (open: Open, time: Time) =>
  Effect.gen(function*() {
    const journal = yield* yield* open({ age: time.lease })
    const clock = yield* Clock.Clock
    /** A verdict counts where the texts were not too old before it was there. */
    const young = <E, R>(check: Effect.Effect<Verdict, E, R>) =>
      Effect.gen(function*() {
        const before = clock.currentTimeMillisUnsafe()
        const verdict = yield* check
        return clock.currentTimeMillisUnsafe() - before < time.lease / 2 ? verdict : undefined
      })
    const old = (last: number) =>
      time.untilTrue(
        "a text is kept longer than `age`",
        Effect.map(journal.read("k", 0), (items) => differ("", [gap(0, last + 1)], items) === undefined)
      )
    const fresh = yield* young(Effect.gen(function*() {
      yield* journal.append("k", "a", 0)
      return differ("before `age` is over, `read`", [entry(1, "a")], yield* journal.read("k", 0))
    }))
    yield* old(1)
    if ((yield* journal.last("k")) !== undefined) return "`last` gave a text that is too old"
    const next = yield* young(Effect.gen(function*() {
      yield* journal.append("k", "b", 0)
      return differ("behind a text that was too old, `read`", [gap(0, 2), entry(2, "b")], yield* journal.read("k", 0))
    }))
    yield* old(2)
    const third = yield* journal.append("k", "c", 0)
    return first([
      fresh,
      next,
      third === 3 ? undefined : `behind two texts that were too old, the third got the position ${third}`
    ])
  })

/** Some texts are too old and still there: nothing was appended since. Others behind them are not. */
export const mostOfYoung = (open: Open, time: Time) =>
  Effect.gen(function*() {
    const journal = yield* yield* open({ age: time.lease })
    const clock = yield* Clock.Clock
    for (const text of ["a", "b", "c"]) yield* journal.append("k", text, 0)
    yield* time.wait(0.6 * time.lease)
    const before = clock.currentTimeMillisUnsafe()
    for (const text of ["d", "e"]) yield* journal.append("k", text, 0)
    yield* time.wait(0.5 * time.lease)
    const reads = [
      [0, 1, [gap(0, 4)]],
      [0, 2, [gap(0, 4), entry(4, "d")]],
      [0, 3, [gap(0, 4), entry(4, "d"), entry(5, "e")]],
      [2, 2, [gap(2, 4), entry(4, "d")]],
      [3, 1, [entry(4, "d")]]
    ] as const
    const verdicts: Array<Verdict> = []
    for (const [after, most, expected] of reads) {
      const what = `of texts of which three are too old, \`read\` of no more than ${most} behind ${after}`
      verdicts.push(differ(what, expected, yield* journal.read("k", after, most)))
    }
    // A machine that takes its time may have let all of them become too old.
    return clock.currentTimeMillisUnsafe() - before < 0.9 * time.lease ? first(verdicts) : undefined
  })

export const anyText = (open: Open) =>
  Effect.gen(function*() {
    const journal = yield* yield* open()
    for (const text of texts) {
      const position = yield* journal.append("k", text, 0)
      const [item] = yield* journal.read("k", position - 1)
      if (item?._tag !== "Entry" || item.text !== text) return `the text ${show(text)} was read as ${show(item)}`
    }
    for (const [index, key] of keys.entries()) yield* journal.append(key, `${index}`, 0)
    for (const [index, key] of keys.entries()) {
      const verdict = differ(`\`read\` of the key ${show(key)}`, [entry(1, `${index}`)], yield* journal.read(key, 0))
      if (verdict !== undefined) return verdict
    }
    yield* journal.drop("a", 0)
    return differ(
      "when `a` was dropped, `read` of `a/b`",
      [entry(1, `${keys.indexOf("a/b")}`)],
      yield* journal.read("a/b", 0)
    )
  })

const key = Schema.Literals(["a", "b"])

const Step = Schema.Union([
  Schema.TaggedStruct("Append", { key }),
  Schema.TaggedStruct("Drop", { key }),
  Schema.TaggedStruct("Read", { key, after: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })) })
])

export const steps = Generators.sequence(Arbitrary.schema(Step), 60)

/** Holds a journal against a list. */
export const model = (open: Open, steps: ReadonlyArray<typeof Step.Type>) =>
  Effect.gen(function*() {
    const journal = yield* yield* open({ count: 5 })
    const model = new Map<string, ReadonlyArray<string>>()
    for (const [n, step] of steps.entries()) {
      const texts = model.get(step.key) ?? []
      if (step._tag === "Append") {
        model.set(step.key, [...texts, `${n}`])
        const position = yield* journal.append(step.key, `${n}`, 0)
        if (position !== texts.length + 1) return yield* broken(`step ${n} got the position ${position}`)
      } else if (step._tag === "Drop") {
        model.delete(step.key)
        yield* journal.drop(step.key, 0)
      } else {
        const from = Math.max(step.after, texts.length - 5)
        const kept = texts.slice(from).map((text, index) => entry(from + 1 + index, text))
        const expected = step.after > texts.length
          ? [gap(step.after, texts.length + 1)]
          : from > step.after
          ? [gap(step.after, from + 1), ...kept]
          : kept
        const verdict = differ(`step ${n}`, expected, yield* journal.read(step.key, step.after))
        if (verdict !== undefined) return verdict
      }
    }
    return undefined
  })
