import { assert, describe, it } from "@effect/vitest"
import * as Conform from "@parley/conform/Conform"
import type { Report } from "@parley/conform/Report"
import { Effect, type Schema } from "effect"
import { said } from "../../src/internal/suites/stateful/words.ts"
import { type Method, Refusal, serve } from "../support/Described.ts"

const named = (name: string, schema: Schema.Json, required = true) => ({ name, schema, required })

const text = { type: "string", minLength: 1 }

const method = (
  name: string,
  params: Method["description"]["params"],
  run: (args: Record<string, Schema.Json>) => Schema.Json
): Method => ({ description: { name, params, result: { name: "result", schema: true } }, run })

/** The faults that the server may have. */
interface Faults {
  readonly forgets?: boolean
  readonly keeps?: boolean
  readonly refuses?: boolean
  /** Gives each note the same id. */
  readonly mixes?: boolean
  readonly shouts?: boolean
  readonly renames?: boolean
}

/** A server of notes, which names them itself. */
const notes = (
  { forgets = false, keeps = false, mixes = false, refuses = false, renames = false, shouts = false }: Faults = {}
): ReadonlyArray<Method> => {
  const all = new Map<number, Schema.Json>()
  const found = (id: Schema.Json | undefined): Schema.Json => {
    const note = all.get(Number(id))
    if (note === undefined) throw new Refusal(-32001, "no such note")
    return note
  }
  return [
    method("notes.create", [named("title", text)], ({ title = null }) => {
      const id = mixes ? 1 : all.size + 1
      if (!forgets) all.set(id, { id: renames ? -id : id, title: shouts ? `${title}!` : title })
      return { id }
    }),
    method("notes.get", [named("id", { type: "integer" })], ({ id }) => found(id)),
    method("notes.delete", [named("id", { type: "integer" })], ({ id }) => {
      found(id)
      if (refuses) throw new Refusal(-32002, "not allowed")
      if (!keeps) all.delete(Number(id))
      return true
    }),
    method("clock.get", [named("id", { type: "integer" })], () => ({ id: 77 }))
  ]
}

/** A server of users, whom the client names, several at once. */
const users = ({ keeps = false }: Faults = {}): ReadonlyArray<Method> => {
  const all = new Map<string, Schema.Json>()
  const user = { type: "object", properties: { name: text, age: { type: "integer" } }, required: ["name"] }
  return [
    method("addUsers", [named("users", { type: "array", items: user })], ({ users }) => {
      for (const one of users as ReadonlyArray<{ readonly name: string }>) all.set(one.name, one)
      return null
    }),
    method(
      "openProfiles",
      [named("userNames", { type: "array", items: text })],
      ({ userNames }) => (userNames as ReadonlyArray<string>).map((name) => all.get(name) ?? null)
    ),
    method("removeUsers", [named("userNames", { type: "array", items: text })], ({ userNames }) => {
      if (!keeps) { for (const name of userNames as ReadonlyArray<string>) all.delete(name) }
      return null
    })
  ]
}

const tested = (methods: ReadonlyArray<Method>, write = true) =>
  Effect.scoped(Conform.run(serve(methods), { only: ["stateful"], timeout: "1 second", write }))

/** The rules that a server does not pass. */
const broken = ({ results }: Report) =>
  results.filter(({ verdict }) => verdict !== "pass").map(({ id, verdict }) => `${id}: ${verdict}`)

const verdicts = ({ results }: Report) => results.map(({ verdict }) => verdict)

describe("the suite stateful", () => {
  it.live("passes servers that keep what is created, and forget what is deleted", () =>
    Effect.gen(function*() {
      for (const methods of [notes(), users()]) {
        const report = yield* tested(methods)
        assert.deepStrictEqual(new Set(verdicts(report)), new Set(["pass"]), JSON.stringify(report.results, null, 1))
      }
    }))

  it.live("finds that what was created cannot be read", () =>
    Effect.gen(function*() {
      const report = yield* tested(notes({ forgets: true }))
      const [first] = report.results
      assert.strictEqual(first?.verdict, "fail")
      assert.match(
        first?.findings[0]?.expected ?? "",
        /^notes.get with {"id":1} gives what notes.create with .* has created$/
      )
      assert.deepStrictEqual(first?.findings[0]?.exchange.map(({ direction }) => direction), [
        "sent",
        "received",
        "sent",
        "received"
      ])
    }))

  it.live("finds that what was deleted can be read, whoever names it", () =>
    Effect.gen(function*() {
      for (const methods of [notes({ keeps: true }), users({ keeps: true })]) {
        assert.deepStrictEqual(broken(yield* tested(methods)), ["stateful/deleted: fail"])
      }
    }))

  it.live("finds that what was created cannot be deleted", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(broken(yield* tested(notes({ refuses: true }))), [
        "stateful/deletes: fail",
        "stateful/deleted: notApplicable"
      ])
    }))

  it.live("finds that what was created is read otherwise, or is gone when another is created", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(broken(yield* tested(notes({ shouts: true }))), ["stateful/same: warning"])
      assert.deepStrictEqual(broken(yield* tested(notes({ renames: true }))), ["stateful/same: warning"])
      assert.deepStrictEqual(broken(yield* tested(notes({ mixes: true }))), ["stateful/apart: warning"])
    }))

  it.live("creates nothing without leave, and says what it has not found", () =>
    Effect.gen(function*() {
      const report = yield* tested(notes(), false)
      assert.deepStrictEqual(new Set(verdicts(report)), new Set(["notApplicable"]))
      const others = yield* tested(notes().slice(1))
      assert.include(others.results[0]?.reason, "no operations were found")
    }))
})

describe("the name of an operation says what is done, and to what", () => {
  const names: ReadonlyArray<readonly [string, ReturnType<typeof said>]> = [
    ["create_entities", { deed: "create", noun: "entity" }],
    ["deleteUserById", { deed: "delete", noun: "user" }],
    ["user.get", { deed: "read", noun: "user" }],
    ["add-boxes", { deed: "create", noun: "box" }],
    ["eth_call", undefined]
  ]
  for (const [name, meant] of names) it(name, () => assert.deepStrictEqual(said(name), meant))
})
