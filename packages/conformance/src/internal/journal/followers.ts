/** Laws of readers that follow, and of a journal that goes away. */
import type { Item, Journal } from "@parley/mesh/Journal"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { first } from "../laws.ts"
import { type Out, refused } from "../mesh/outages.ts"
import { show } from "../mesh/texts.ts"
import { settled, type Time } from "../mesh/time.ts"
import type { Open } from "./keeping.ts"
import { reach, tiles } from "./tiling.ts"

/** Follows a key: what was seen, and how it has ended. Each item waits for what `busy` gives. */
const following = (journal: Journal, key: string, after: number, busy: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const seen: Array<Item> = []
    const fiber = yield* Effect.forkChild(
      Stream.runForEach(
        journal.follow(key, after),
        (item) => Effect.andThen(Effect.sync(() => void seen.push(item)), busy)
      )
    )
    yield* settled
    return { seen, ended: Effect.sync(() => fiber.pollUnsafe()) }
  })

const textAt = (position: number) => `text ${position}`

const append = (journal: Journal, from: number, to: number) =>
  Effect.gen(function*() {
    for (let position = from; position <= to; position++) yield* journal.append("k", textAt(position), 0)
  })

export const followed = (open: Open, time: Time) =>
  Effect.gen(function*() {
    const connect = yield* open()
    const [one, other] = [yield* connect, yield* connect]
    const early = yield* following(other, "k", 0)
    yield* append(one, 1, 3)
    const late = yield* following(one, "k", 2)
    yield* append(other, 4, 30)
    for (const [after, { seen }] of [[0, early], [2, late]] as const) {
      yield* time.untilTrue("who follows does not see the last text", Effect.sync(() => reach(seen) >= 30))
      const verdict = tiles(after, seen, textAt)
      if (verdict !== undefined) return verdict
      if (seen.some(({ _tag }) => _tag === "Gap")) return `nothing was gone, and who follows saw ${show(seen)}`
    }
    yield* one.drop("k", 0)
    for (const { ended } of [early, late]) {
      const exit = yield* time.until("a key was dropped, and who follows it does not end", ended)
      if (Exit.isFailure(exit)) return `a key was dropped, and who follows it ended with ${show(exit)}`
    }
    return undefined
  })

export const slow = (open: Open, time: Time) =>
  Effect.gen(function*() {
    const connect = yield* open({ count: 4 })
    const [one, other] = [yield* connect, yield* connect]
    const goOn = yield* Deferred.make<void>()
    const { seen } = yield* following(other, "k", 0, Deferred.await(goOn))
    yield* append(one, 1, 1)
    yield* time.untilTrue("who follows does not see the first text", Effect.sync(() => seen.length > 0))
    const appended = yield* time.ended("`append` behind a reader that is slow", append(one, 2, 400))
    if (Exit.isFailure(appended)) return `behind a reader that is slow, \`append\` ended with ${show(appended)}`
    yield* Deferred.succeed(goOn, undefined)
    yield* time.untilTrue("a reader that was slow does not see the last text", Effect.sync(() => reach(seen) >= 400))
    const verdict = tiles(0, seen, textAt)
    if (verdict !== undefined) return verdict
    return seen.some(({ _tag }) => _tag === "Gap") ? undefined : "a slow reader saw texts that were gone"
  })

export const busy = (open: Open, time: Time) =>
  Effect.gen(function*() {
    const journal = yield* yield* open()
    for (const epoch of [0, 1]) {
      const key = `k${epoch}`
      for (const isThereAgain of [false, true]) {
        yield* journal.append(key, "a", epoch)
        const dropped = journal.drop(key, epoch)
        const again = isThereAgain ? Effect.andThen(dropped, journal.append(key, "b", epoch)) : dropped
        const { ended } = yield* following(journal, key, 0, Effect.orDie(Effect.asVoid(again)))
        const where = isThereAgain ? " and has a text again" : ""
        yield* time.until(
          `a key was dropped with the epoch ${epoch}${where} while who follows it was busy, and it does not end`,
          ended
        )
      }
    }
    return undefined
  })

export const away = ({ begin, connect, end }: Out<Journal>, time: Time, isEmptied: boolean) =>
  Effect.gen(function*() {
    const journal = yield* connect
    const { ended, seen } = yield* following(journal, "k", 0)
    yield* append(journal, 1, 3)
    yield* journal.fence("k", 4)
    yield* time.untilTrue("who follows does not see the last text", Effect.sync(() => reach(seen) >= 3))
    yield* begin
    const asked = {
      append: journal.append("k", "lost", 4),
      fence: journal.fence("k", 4),
      read: journal.read("k", 0),
      last: journal.last("k"),
      drop: journal.drop("l", 0)
    }
    const verdicts = yield* Effect.forEach(
      Object.entries<Effect.Effect<unknown, unknown>>(asked),
      ([what, effect]) => refused(time, what, effect),
      { concurrency: "unbounded" }
    )
    const verdict = first(verdicts)
    if (verdict !== undefined) return verdict
    yield* end
    const position = yield* time.untilSuccess(
      "the journal is back, and takes no text",
      journal.append("k", "new", 4)
    )
    const last = yield* journal.last("k")
    if (last?.text !== "new" || last.position !== position) return `"new" was appended, and \`last\` is ${show(last)}`
    if (!isEmptied) {
      const items = yield* journal.read("k", 0)
      // A refused text may have been appended all the same.
      const verdict = tiles(0, items, (at) => at <= 3 ? textAt(at) : at === position ? "new" : "lost")
      if (verdict !== undefined) return verdict
      if (items.length !== position) return `${position} texts were appended, and ${items.length} are there`
      const older = yield* Effect.exit(journal.append("k", "older", 3))
      if (Exit.isSuccess(older)) return "the journal is back, and takes a text of an epoch that was fenced off"
    }
    yield* time.untilTrue(
      "the journal is back, and who follows neither sees what is appended nor is told",
      Effect.map(
        ended,
        (exit) => exit !== undefined || seen.some((item) => item._tag === "Entry" && item.text === "new")
      )
    )
    return undefined
  })
