import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { MeshEngine } from "@parley/mesh/MeshEngine"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Context, Effect, Exit, Fiber, Layer, Logger, Redacted, References, Stream } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import * as SignedEngine from "../src/internal/SignedEngine.ts"

const secret = (letter: string) => Redacted.make(letter.repeat(32))

/** Each of the next tags takes less long than the one before. */
const slowed = (tags: number) => {
  const { subtle } = globalThis.crypto
  const sign = subtle.sign.bind(subtle)
  let left = tags
  return vi.spyOn(subtle, "sign").mockImplementation(async (...args) => {
    const milliseconds = 20 * Math.max(0, left--)
    const tag = await sign(...args)
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    return tag
  })
}

/** Tags are made and checked in other threads: turns pass until something has happened. */
const until = (happened: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    happened()
      ? Effect.void
      : Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve))), until(happened))
  )

/** Two nodes with keys, the texts between them, and those that the second has taken. */
const setup = Effect.fnUntraced(function*(
  one: ReadonlyArray<Redacted.Redacted> | undefined = [secret("a")],
  two: ReadonlyArray<Redacted.Redacted> | undefined = [secret("a")]
) {
  const engine = yield* MemoryNodes.makeEngine
  const sent: Array<readonly [from: string, to: string, text: string]> = []
  const taken: Array<string> = []
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const watched = {
    ...engine,
    publish: (node: string, to: string, text: string) =>
      Effect.tap(engine.publish(node, to, text), () => Effect.sync(() => sent.push([node, to, text])))
  }
  const node = (name: string, keys: ReadonlyArray<Redacted.Redacted> | undefined) =>
    Effect.provideService(
      MeshNode.make(watched, { name, ...(keys === undefined ? {} : { keys }) }),
      References.CurrentLoggers,
      new Set([logger])
    )
  const ada = yield* node("ada", one)
  const bob = yield* node("bob", two)
  yield* bob.serve("it", ({ text }) => Effect.sync(() => `${taken.push(text)}`))
  const call = (text: string) => Stream.runCollect(ada.call({ name: "it", node: bob.node }, text))
  return { ada, bob, call, engine, lines, sent, taken }
})

describe("texts of nodes that have keys", () => {
  it.live("are taken behind one that could not be, which the log says", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const context = Context.make(References.CurrentLoggers, new Set([logger]))
      const engine = SignedEngine.make(yield* MemoryNodes.makeEngine, [secret("a")], context)
      const taken: Array<string> = []
      yield* engine.subscribe("bob", (text) => {
        if (text === "bad") throw new Error("a defect")
        taken.push(text)
      })
      for (const text of ["bad", "good"]) yield* engine.publish("ada", "bob", text)
      yield* until(() => taken.length > 0)
      assert.deepStrictEqual(taken, ["good"])
      assert.deepStrictEqual(lines.map((line) => line.split(",")[0]), [
        "the node bob could not take a text of the fleet"
      ])
    }))

  it.effect("are dropped unchecked beyond the bound of those that wait, which the log counts, and taken again below it", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const loggers = Context.make(References.CurrentLoggers, new Set([logger]))
      const context = Context.merge(yield* Effect.context<never>(), loggers)
      const signed: Array<string> = []
      const taken: Array<string> = []
      let take: (text: string) => void = () => {}
      const carrier: MeshEngine = {
        ...(yield* MemoryNodes.makeEngine),
        publish: (_, __, text) => Effect.sync(() => signed.push(text) > 0),
        subscribe: (_, onText) => Effect.sync(() => void (take = onText))
      }
      const engine = SignedEngine.make(carrier, [secret("a")], context, 3_400)
      yield* engine.subscribe("bob", (text) => void taken.push(text))
      const texts = Array.from({ length: 30 }, (_, at) => `${at}`)
      yield* Effect.forEach([...texts, "large".repeat(1_000)], (text) => engine.publish("ada", "bob", text))
      const large = signed.pop() ?? ""
      for (const text of signed.slice(0, 20)) take(text)
      yield* until(() => taken.length >= 10)
      for (const text of signed.slice(20, 25)) take(text)
      yield* until(() => taken.length >= 15)
      // A text that comes alone always fits.
      yield* TestClock.adjust("1 minute")
      take(large)
      take(signed[29] ?? "")
      yield* until(() => taken.length >= 16)
      assert.deepStrictEqual(taken, [...texts.slice(0, 10), ...texts.slice(20, 25), "large".repeat(1_000)])
      assert.deepStrictEqual(lines.map((line) => line.slice(0, line.indexOf(":"))), [
        "the node bob refused 0 texts without a valid tag of `keys`, and 1 unchecked while 3400 characters waited for their check",
        "the node bob refused 0 texts without a valid tag of `keys`, and 10 unchecked while 3400 characters waited for their check"
      ])
    }))

  it.live("are taken in their order, each once, and answered", () =>
    Effect.gen(function*() {
      const { ada, bob, call, taken } = yield* setup()
      assert.deepStrictEqual(yield* call("first"), ["1"])
      const texts = Array.from({ length: 40 }, (_, at) => `${at} ${"a".repeat(at % 2 === 0 ? 300_000 : 1)}`)
      yield* Effect.forEach(texts, (text) => ada.send({ name: "it", node: bob.node }, text), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(taken, ["first", ...texts])
    }))

  it.live("are taken in their order, also where the first tags take the longest", () =>
    Effect.gen(function*() {
      const { ada, bob, taken } = yield* setup()
      const texts = ["one", "two", "three"]
      yield* Effect.acquireRelease(
        Effect.sync(() => slowed(texts.length)),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      yield* Effect.forEach(texts, (text) => ada.send({ name: "it", node: bob.node }, text), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(taken, texts)
    }))

  it.live("are dropped where they come again, or for another node, which the log says once", () =>
    Effect.gen(function*() {
      const { ada, bob, call, engine, lines, sent, taken } = yield* setup()
      yield* call("once")
      for (const [from, , text] of sent.filter(([, to]) => to === bob.node)) {
        for (const to of [ada.node, bob.node]) yield* engine.publish(from, to, text)
      }
      yield* call("next")
      assert.deepStrictEqual(taken, ["once", "next"])
      assert.deepStrictEqual(
        lines.map((line) => line.slice(0, line.indexOf(":"))).toSorted(),
        [ada, bob].map(({ node }) => `the node ${node} refused 1 texts without a valid tag of \`keys\``).toSorted()
      )
    }))

  it.live.each<readonly [string, (text: string) => string]>([
    ["without a tag", (text) => text.slice(text.indexOf("\n") + 1)],
    ["with another text", (text) => `${text}!`],
    ["with a greater number", (text) => text.replace(/,(\d+),/, (_, number) => `,${Number(number) + 1_000},`)],
    ["of another sender", (text) => text.replace(/"ada-/, `"eve-`)],
    ["with a tag that is cut", (text) => text.replace(/..."\]\n/, `"]\n`)],
    ["that are no JSON", () => "{\n"],
    ["that are nothing", () => ""]
  ])("are dropped %s", ([, spoil]) =>
    Effect.gen(function*() {
      const { bob, call, engine, lines, sent, taken } = yield* setup()
      yield* call("once")
      for (const [from, to, text] of sent.filter(([, to]) => to === bob.node)) {
        yield* engine.publish(from, to, spoil(text))
      }
      yield* call("next")
      assert.deepStrictEqual(taken, ["once", "next"])
      assert.isAbove(lines.length, 0)
    }))

  it.live.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>, boolean]>([
    ["one that both have", ["a", "b"], ["b", "a"], true],
    ["a new one, which the others have behind the old", ["b", "a"], ["a", "b"], true],
    ["one that the others do not have", ["b"], ["a"], false]
  ])("are signed with %s", ([, one, two, isTaken]) =>
    Effect.gen(function*() {
      const { call, lines, taken } = yield* setup(one.map(secret), two.map(secret))
      const called = yield* Effect.forkChild(call("it"))
      yield* until(() => taken.length + lines.length > 0)
      assert.deepStrictEqual([taken.length, lines.length], isTaken ? [1, 0] : [0, 1])
      yield* Fiber.interrupt(called)
    }))

  it.live("are not taken from a node without keys", () =>
    Effect.gen(function*() {
      const { bob, engine, lines, taken } = yield* setup()
      const plain = yield* MeshNode.make(engine, { name: "plain" })
      const called = yield* Effect.forkChild(Stream.runCollect(plain.call({ name: "it", node: bob.node }, "it")))
      yield* until(() => lines.length > 0)
      assert.deepStrictEqual(taken, [])
      yield* Fiber.interrupt(called)
    }))

  it.effect("are a choice: a node without them says so in the log, and one that says nothing does not start", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const start = (options: MeshNode.MeshNodeOptions) =>
        MeshNode.layer(options).pipe(
          Layer.provide(Layer.effect(MeshEngine, MemoryNodes.makeEngine)),
          Layer.build,
          Effect.provideService(References.CurrentLoggers, new Set([logger])),
          Effect.exit
        )
      assert.isTrue(Exit.isSuccess(yield* start({ keys: [secret("a")] })))
      assert.deepStrictEqual(lines, [])
      assert.isTrue(Exit.isSuccess(yield* start({ keys: "unsigned" })))
      assert.deepStrictEqual(lines, [
        "the nodes have no keys (`unsigned`): whoever can write to their engine can call as any principal"
      ])
      // A program in JavaScript.
      assert.isTrue(Exit.hasDies(yield* start(JSON.parse("{}"))))
    }))

  it.live("need secrets of 32 characters", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryNodes.makeEngine
      for (const keys of [[], [Redacted.make("short")]]) {
        assert.isTrue(Exit.hasDies(yield* Effect.exit(MeshNode.make(engine, { keys }))))
      }
    }))
})
