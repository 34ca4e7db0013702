/** Laws of texts between nodes: in order, each once, as they are. */
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { broken } from "../laws.ts"
import { type Connect, hearing, living } from "./connections.ts"
import { differ, show, texts } from "./texts.ts"
import type { Time } from "./time.ts"

/** Publishes all at once, in their order. */
const publishAll = (engine: MeshEngine, from: string, to: string, texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => engine.publish(from, to, text), { concurrency: "unbounded" })

/** Waits for as many texts, and a little for more. */
const heardAll = (time: Time, heard: ReadonlyArray<string>, count: number) =>
  Effect.andThen(
    time.untilTrue(`of ${count} texts some did not come`, Effect.sync(() => heard.length >= count)),
    time.wait(1)
  )

export const inOrder = (connect: Connect, time: Time, texts: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { engine } = yield* hearing(connect, "a")
    const { heard } = yield* hearing(connect, "b")
    const known = yield* publishAll(engine, "a", "b", texts)
    if (known.includes(false)) return "a node that hears is said to hear nothing"
    yield* heardAll(time, heard, texts.length)
    return differ(texts, heard)
  })

export const anyText = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const { engine } = yield* hearing(connect, "a")
    const { heard } = yield* hearing(connect, "b")
    for (const text of texts) {
      if (!(yield* engine.publish("a", "b", text))) return `the text ${show(text)} is said to reach nobody`
    }
    yield* heardAll(time, heard, texts.length)
    return differ(texts, heard)
  })

export const manySenders = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = yield* living(connect)
    const { engine, heard } = yield* hearing(connect, "c")
    const senders = [["a", one], ["b", other], ["c", engine], ["d", one]] as const
    const numbers = Array.from({ length: 200 }, (_, n) => n)
    yield* Effect.forEach(
      senders,
      ([node, engine]) => publishAll(engine, node, "c", numbers.map((n) => `${node} ${n}`)),
      { concurrency: "unbounded" }
    )
    yield* heardAll(time, heard, 800)
    for (const [node] of senders) {
      const got = heard.filter((text) => text.startsWith(node))
      const verdict = differ(numbers.map((n) => `${node} ${n}`), got)
      if (verdict !== undefined) return `of ${node}, ${verdict}`
    }
    return undefined
  })

/** More than an engine may be ready to have under way: what it refuses does not come, and all else does. */
export const flood = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const { engine } = yield* hearing(connect, "a")
    const { heard } = yield* hearing(connect, "b")
    const texts = Array.from({ length: 4_000 }, (_, n) => `${n}`.padEnd(4_000))
    const exits = yield* Effect.forEach(texts, (text) => Effect.exit(engine.publish("a", "b", text)), {
      concurrency: "unbounded"
    })
    const sent = texts.filter((_, index) => Exit.isSuccess(exits[index]!))
    yield* heardAll(time, heard, sent.length)
    const verdict = differ(sent.map((text) => text.trim()), heard.map((text) => text.trim()))
    if (verdict !== undefined) return `${sent.length} of ${texts.length} were sent, and ${verdict}`
    // And it takes texts again.
    yield* time.untilTrue(
      "after a flood no text is taken",
      Effect.map(Effect.exit(engine.publish("a", "b", "last")), Exit.isSuccess)
    )
    yield* heardAll(time, heard, sent.length + 1)
    return undefined
  })

/** More at once than an engine may have under way: the rest waits, and is neither refused nor lost. */
export const waits = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const { engine } = yield* hearing(connect, "a")
    const { heard } = yield* hearing(connect, "b")
    const texts = Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(60_000))
    const exit = yield* time.ended("a text that waits for room", publishAll(engine, "a", "b", texts))
    if (Exit.isFailure(exit)) return `of ${texts.length} texts at once, one ended with ${show(exit)}`
    if (exit.value.includes(false)) return "a node that hears is said to hear nothing"
    yield* heardAll(time, heard, texts.length)
    return differ(texts.map((text) => text.trim()), heard.map((text) => text.trim()))
  })

export const nobodyHears = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const engine = yield* connect
    if (yield* engine.publish("a", "never", "x")) return "a text for a node that never was is said to be sent"
    const scope = yield* Scope.make()
    const { heard } = yield* Scope.provide(hearing(connect, "b"), scope)
    if (!(yield* engine.publish("a", "b", "x"))) return yield* broken("a node that hears is said to hear nothing")
    yield* heardAll(time, heard, 1)
    yield* Scope.close(scope, Exit.void)
    yield* time.untilTrue(
      "a text for a node that hears nothing any more is said to be sent",
      Effect.map(engine.publish("a", "b", "y"), (isHeard) => !isHeard)
    )
    return heard.length === 1 ? undefined : `a node that has ended has heard ${show(heard)}`
  })
