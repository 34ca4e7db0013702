import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { ElicitForm } from "@parley/mcp/payload/Elicitation"
import { Relayed } from "@parley/protocol/shared"
import { Duration, Effect, Fiber, Option, Queue, Terminal } from "effect"
import { TestClock } from "effect/testing"
import * as Asked from "../../src/internal/mcp/dialog/Asked.ts"
import * as Patience from "../../src/internal/mcp/dialog/Patience.ts"

const key = (name: string, input?: string, ctrl = false): Terminal.UserInput => ({
  input: Option.fromUndefinedOr(input),
  key: { name, ctrl, meta: false, shift: false }
})

const enter = key("return")
const down = key("down")
const space = key("space", " ")
const type = (text: string) => Array.from(text, (character) => key(character, character))

/** A person who presses these keys, one after the other, and what they have seen. */
const person = (keys: ReadonlyArray<Terminal.UserInput>) =>
  Effect.gen(function*() {
    const inputs = yield* Queue.unbounded<Terminal.UserInput>()
    yield* Queue.offerAll(inputs, keys)
    let seen = ""
    const terminal = Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: Queue.unbounded(),
      readInput: Effect.succeed(inputs),
      readLine: Effect.fail(new Terminal.QuitError({})),
      display: (text) =>
        Effect.sync(() => {
          seen += text
        })
    })
    return { terminal, seen: () => seen }
  })

/** The person's answer to a form. */
const answer = (form: ElicitForm, keys: ReadonlyArray<Terminal.UserInput>) =>
  Effect.gen(function*() {
    const { seen, terminal } = yield* person(keys)
    const result = yield* Effect.provideService(Asked.form(form), Terminal.Terminal, terminal)
    return { result, seen: seen() }
  }).pipe(Effect.provide(NodeServices.layer))

const table: ElicitForm = {
  message: "A table",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      people: { type: "integer", minimum: 1, maximum: 12 },
      tip: { type: "number" },
      outside: { type: "boolean", default: true },
      seat: { oneOf: [{ const: "w", title: "window" }, { const: "d", title: "door" }], default: "d" },
      wine: { type: "string", enum: ["red", "white"] },
      extras: { type: "array", minItems: 2, items: { type: "string", enum: ["cake", "bread", "salt"] } }
    },
    required: ["name", "people", "seat"]
  }
}

describe("a form at the terminal", () => {
  it.effect("is asked field by field: what does not fit is asked again, and what may be left out can be", () =>
    Effect.gen(function*() {
      const { result, seen } = yield* answer(table, [
        enter,
        ...type("A"),
        enter,
        ...type("nn"),
        enter,
        ...type("20"),
        enter,
        key("backspace"),
        enter,
        enter,
        enter,
        enter,
        down,
        down,
        enter,
        // Two lines choose all or invert; one extra is too few.
        down,
        down,
        space,
        enter,
        down,
        down,
        space,
        down,
        down,
        space,
        enter
      ])
      assert.deepStrictEqual(result, {
        action: "accept",
        content: { name: "Ann", people: 2, outside: true, seat: "d", extras: ["cake", "salt"] }
      })
      assert.include(seen, "it should have 2 characters or more")
      assert.include(seen, "it should be at most 12")
    }))

  it.effect("can be declined and cancelled, and one of no fields accepted", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* answer(table, [down, enter])).result, { action: "decline" })
      assert.deepStrictEqual((yield* answer(table, [down, down, enter])).result, { action: "cancel" })
      const empty: ElicitForm = { message: "Sure?", requestedSchema: { type: "object", properties: {} } }
      assert.deepStrictEqual((yield* answer(empty, [enter])).result, { action: "accept", content: {} })
    }))

  it.effect("shows control characters of the server as what they are", () =>
    Effect.gen(function*() {
      const { seen } = yield* answer({ ...table, message: "\u001b[2Jgone" }, [down, enter])
      assert.include(seen, "\\u001b[2Jgone")
    }))
})

describe("what a server asks", () => {
  const forged = "ok\nforged\u202e\u200b"
  const shown = "ok\\u000aforged\\u202e\\u200b"

  it.effect("stays on its line: the message, names, titles, descriptions and choices of a form", () =>
    Effect.gen(function*() {
      const { seen } = yield* answer({
        message: forged,
        requestedSchema: {
          type: "object",
          properties: {
            a: { type: "string", title: forged, description: forged, enum: [forged] },
            [forged]: { type: "boolean" },
            b: { type: "array", items: { anyOf: [{ const: "x", title: forged }] } },
            c: { type: "string", default: forged }
          }
        }
      }, [enter, enter, enter, enter, enter])
      assert.notInclude(seen, "\nforged")
      assert.notMatch(seen, /[\u202e\u200b]/)
      for (const text of [`${shown} (${shown}`, `${shown}`]) assert.include(seen, text)
    }))

  it.effect("is no number that would be sent with other digits, though the server proposes it", () =>
    Effect.gen(function*() {
      const text = `{"type":"object","properties":{"n":{"type":"integer","default":9007199254740993}},"required":["n"]}`
      const requestedSchema = Relayed.parseUnsafe(text) as ElicitForm["requestedSchema"]
      const { result, seen } = yield* answer({ message: "n", requestedSchema }, [enter, enter, key("backspace"), enter])
      assert.deepStrictEqual(result, { action: "accept", content: { n: 900719925474099 } })
      assert.include(seen, "9007199254740993")
      assert.include(seen, "more digits than this program keeps")
    }))

  it.effect("shows the page that a browser opens", () =>
    Effect.gen(function*() {
      const { seen, terminal } = yield* person([down, enter])
      const url = "https://bank.example\n.evil.example/login"
      const result = yield* Effect.provideService(
        Asked.page({ message: forged, url, elicitationId: "1" }),
        Terminal.Terminal,
        terminal
      )
      assert.deepStrictEqual(result, { action: "decline" })
      assert.include(seen(), "https://bank.example.evil.example/login")
      assert.notInclude(seen(), "\nforged")
    }).pipe(Effect.provide(NodeServices.layer)))
})

describe("patience", () => {
  const waiting = (patience: Patience.Patience) =>
    Effect.forkChild(patience.within("late")(Effect.never), { startImmediately: true })

  it.effect("ends when nothing was heard for the time, and begins anew with what is heard", () =>
    Effect.gen(function*() {
      const patience = Patience.make(Duration.seconds(10))
      const fiber = yield* waiting(patience)
      yield* TestClock.adjust("9 seconds")
      patience.heard()
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "late")
    }))

  it.effect("does not end while a person is asked", () =>
    Effect.gen(function*() {
      const patience = Patience.make(Duration.seconds(10))
      const fiber = yield* waiting(patience)
      const asking = yield* Effect.forkChild(patience.pausing(Effect.sleep("1 hour")), { startImmediately: true })
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(asking)
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "late")
    }))
})
