/** Laws of many who write: epochs that fence, and places of their own. */
import type { Journal } from "@parley/mesh/Journal"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { show } from "../mesh/texts.ts"
import { type Open } from "./keeping.ts"
import { differ, entry, tiles } from "./tiling.ts"

export const fenced = (open: Open) =>
  Effect.gen(function*() {
    const connect = yield* open()
    const [one, other] = [yield* connect, yield* connect]
    yield* one.append("k", "a", 3)
    yield* other.fence("k", 5)
    const late = {
      append: one.append("k", "b", 4),
      fence: Effect.as(one.fence("k", 3), 0),
      drop: Effect.as(one.drop("k", 4), 0)
    }
    for (const [what, effect] of Object.entries(late)) {
      const exit = yield* Effect.exit(Effect.flip(effect))
      const error = Exit.isSuccess(exit) ? exit.value : undefined
      if (error?._tag !== "Fenced" || error.newest !== 5) {
        return `the epoch 5 was seen, and \`${what}\` of an older one ended with ${show(exit)}`
      }
    }
    yield* one.append("k", "c", 5)
    yield* other.append("k", "d", 8)
    const older = yield* Effect.exit(one.append("k", "e", 5))
    if (Exit.isSuccess(older)) return "a text of the epoch 8 was appended, and one of the epoch 5 behind it"
    // Another key has seen none of these.
    yield* one.append("l", "f", 1)
    return differ("`read`", [entry(1, "a"), entry(2, "c"), entry(3, "d")], yield* one.read("k", 0))
  })

export const dropped = (open: Open) =>
  Effect.gen(function*() {
    const connect = yield* open()
    const [one, other] = [yield* connect, yield* connect]
    yield* one.append("appended", "a", 1)
    yield* one.fence("fenced", 1)
    for (const key of ["appended", "fenced", "never written"]) {
      yield* other.drop(key, 2)
      const late = {
        append: one.append(key, "late", 1),
        fence: Effect.as(one.fence(key, 1), 0),
        drop: Effect.as(one.drop(key, 1), 0)
      }
      for (const [what, effect] of Object.entries(late)) {
        const exit = yield* Effect.exit(Effect.flip(effect))
        const error = Exit.isSuccess(exit) ? exit.value : undefined
        if (error?._tag !== "Fenced" || error.newest !== 2) {
          return `the epoch 2 has dropped a key (${key}), and \`${what}\` of an older one ended with ${show(exit)}`
        }
      }
      if ((yield* one.last(key)) !== undefined) return `a key that was dropped (${key}) has a text`
      const position = yield* other.append(key, "new", 2)
      if (position !== 1) return `the first text of a key that was dropped (${key}) got the position ${position}`
    }
    return undefined
  })

/** Writers by their epochs, each of which appends so many texts. */
export const writers = Arbitrary.array(
  Arbitrary.schema(Schema.Struct({
    epoch: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
    texts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })),
    fences: Schema.Boolean
  })),
  { maxLength: 6 }
)

type Writer = { readonly epoch: number; readonly texts: number; readonly fences: boolean }

/** All write at once. What was appended is there, each text once, and no older epoch behind a newer one. */
export const race = (open: Open, writers: ReadonlyArray<Writer>) =>
  Effect.gen(function*() {
    const connect = yield* open()
    const journals = [yield* connect, yield* connect]
    const taken = new Map<number, string>()
    let twice: number | undefined
    const write = ({ epoch, fences, texts }: Writer, index: number) =>
      Effect.gen(function*() {
        const journal: Journal = journals[index % 2]!
        if (fences) yield* journal.fence("k", epoch)
        for (let n = 0; n < texts; n++) {
          const text = `${epoch} ${index} ${n}`
          const position = yield* journal.append("k", text, epoch)
          if (taken.has(position)) twice = position
          taken.set(position, text)
          yield* Effect.yieldNow
        }
      })
    const exits = yield* Effect.forEach(writers, (writer, index) => Effect.exit(write(writer, index)), {
      concurrency: "unbounded"
    })
    if (twice !== undefined) return `two texts got the position ${twice}`
    const newest = Math.max(0, ...writers.map(({ epoch }) => epoch))
    const wrong = writers.findIndex(({ epoch }, index) => epoch === newest && Exit.isFailure(exits[index]!))
    if (wrong !== -1) return `the newest epoch was refused: ${show(exits[wrong])}`
    const items = yield* journals[0]!.read("k", 0)
    const verdict = tiles(0, items, (position) => taken.get(position) ?? "nothing")
    if (verdict !== undefined) return verdict
    if (items.length !== taken.size) return `${taken.size} texts were appended, and ${items.length} are there`
    const epochs = items.map((item) => item._tag === "Entry" ? Number.parseInt(item.text) : 0)
    return epochs.every((epoch, index) => index === 0 || epoch >= epochs[index - 1]!)
      ? undefined
      : `the epochs of the texts are ${show(epochs)}`
  })
