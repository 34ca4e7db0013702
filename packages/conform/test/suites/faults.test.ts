/** Each rule that needs no protocol of its own, and a server that breaks it: a rule that cannot fail is a defect. */
import { assert, describe, it } from "@effect/vitest"
import { Conform, type Target } from "@parley/conform"
import type { Transport } from "@parley/transport"
import { Effect } from "effect"
import * as Server from "./Server.ts"

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Changes each response. */
const responses = (change: (response: Record<string, unknown>) => unknown): Server.Fault => ({
  answer: (_, right) =>
    right.map((text) => {
      const value = json(text)
      return JSON.stringify(Array.isArray(value) ? value.map(change) : isObject(value) ? change(value) : value)
    })
})

/** Changes the answers to some texts. */
const some = (
  isChanged: (input: string, value: unknown) => boolean,
  answer: (input: string, right: ReadonlyArray<string>) => ReadonlyArray<string> | undefined,
  more: Server.Fault = {}
): Server.Fault => ({
  ...more,
  answer: (input, right) => isChanged(input, json(input)) ? answer(input, right) : right
})

const nothing = (): ReadonlyArray<string> => []

const isBatch = (test: (members: ReadonlyArray<unknown>) => boolean) => (_: string, value: unknown): boolean =>
  Array.isArray(value) && test(value)

const has = (name: string, test: (value: unknown) => boolean) => (_: string, value: unknown): boolean =>
  isObject(value) && test(value[name])

const failure = (id: unknown, code: number, message = "no") =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

const idOf = (input: string): unknown => {
  const value = json(input)
  return isObject(value) ? value["id"] : null
}

const faults: Readonly<Record<string, Server.Fault>> = {
  "jsonrpc/parse-error": some((_, value) => value === undefined, nothing),
  "jsonrpc/json-extensions": some((input, value) => value === undefined && input.includes("NaN"), nothing),
  "jsonrpc/batch-empty": some(isBatch((all) => all.length === 0), () => ["[]"]),
  "jsonrpc/batch-notifications": some(isBatch(() => true), (_, right) => right.length === 0 ? ["[]"] : right),
  "jsonrpc/batch-invalid": some(isBatch((all) => all.includes(1)), (_, right) => right.slice(0, 0)),
  "jsonrpc/batch-reply": some(
    isBatch((all) => all.length > 1),
    (_, right) => right.flatMap((text) => (json(text) as ReadonlyArray<unknown>).map((one) => JSON.stringify(one)))
  ),
  "jsonrpc/batch-responses": some(
    isBatch((all) => all.some((one) => isObject(one) && "result" in one)),
    () => [failure(null, -32600)]
  ),
  "jsonrpc/notification-silent": some(
    (_, value) => isObject(value) && typeof value["method"] === "string" && !("id" in value),
    () => [failure(null, -32601)]
  ),
  "jsonrpc/response-silent": some(has("result", (result) => result !== undefined), (input) => [
    failure(idOf(input), -32600)
  ]),
  "jsonrpc/version": some(has("jsonrpc", (version) => version === "1.0"), (input) => [failure(idOf(input), -32601)]),
  "jsonrpc/params-structured": some(has("params", (params) => params === "bar"), nothing),
  "jsonrpc/id-type": some(has("id", (id) => id === true), (input) => [failure(idOf(input), -32600)]),
  "jsonrpc/invalid-request": some(has("method", (method) => method === 1), nothing),
  "jsonrpc/method-not-found": some(has("method", (method) => method === "rpc.nothing"), (input) => [
    failure(idOf(input), -32000)
  ]),
  "jsonrpc/id-null": some(has("id", (id) => id === null), nothing),
  "jsonrpc/id-digits": responses(({ id, ...response }) => ({
    ...response,
    id: typeof id === "number" ? Math.trunc(id) : id
  })),
  "jsonrpc/id-same": responses(({ id, ...response }) => ({
    ...response,
    id: typeof id === "number" ? String(id) : id
  })),
  "jsonrpc/member-names": some(has("Id", (id) => id !== undefined), () => [failure(1, -32601)]),
  "jsonrpc/extra-members": some(has("more", (more) => more !== undefined), nothing),
  "jsonrpc/request-answered": some((input) => input.startsWith("\t"), nothing),
  "jsonrpc/response-shape": responses(({ error, ...response }) => ({ ...response, error, result: null })),
  "jsonrpc/one-response": { answer: (_, right) => [...right, ...right] },
  "framing/cuts": { chunks: (chunk) => chunk.trim() === "" ? [] : [utf8(chunk)] },
  "framing/joined": { chunks: (chunk) => [utf8(chunk.split("\n")[0] ?? "")] },
  "framing/crlf": { bytes: (chunk) => chunk.replaceAll("\r", "x") },
  "framing/blank-lines": { bytes: (chunk) => chunk.startsWith("\n\n") ? chunk.slice(0, 2) : chunk },
  "framing/header-fields": { bytes: (chunk) => chunk.includes("Content-Type") ? "" : chunk },
  "framing/invalid-utf8": some((input) => input === "", () => undefined, { isProcess: true }),
  "framing/foreign-http": { bytes: (chunk) => chunk.slice(Math.max(0, chunk.indexOf("{"))) },
  "framing/only-messages": { answer: (_, right) => ["ready", ...right] },
  "robustness/malformed": some((_, value) => value === undefined, () => undefined, { isProcess: true }),
  "robustness/next": (() => {
    let isDeaf = false
    return some(() => true, (input, right) => {
      const isLost = isDeaf
      isDeaf = !isLost && !isObject(json(input))
      return isLost ? [] : right
    })
  })(),
  "robustness/deep": some((input) => input.length > 50_000, () => undefined, { isProcess: true }),
  "robustness/large": some((input) => input.length > 500_000, () => undefined, { isProcess: true }),
  "robustness/large-answered": some((input) => input.length > 500_000, nothing),
  "robustness/many": some((input) => input.includes("many-7\""), nothing),
  "robustness/end-of-input": { end: 150 },
  "robustness/abandoned": { isFragile: true },
  "leaks/stack-trace": responses(({ error, ...response }) => ({
    ...response,
    error: { code: -32601, message: "Error: no\n    at Server.handle (server.js:10:3)", ...isObject(error) && {} }
  })),
  "leaks/source-path": responses((response) => ({
    ...response,
    error: { code: -32601, message: "no such method in /srv/app/src/handlers.py" }
  })),
  "leaks/secret": responses((response) => ({
    ...response,
    error: { code: -32601, message: "refused: Authorization: Bearer abc4.def5.ghi6" }
  }))
}

/** The text of bytes. */
const utf8 = (bytes: string): string => new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)))

const own = Conform.rules.filter(({ suite }) => ["jsonrpc", "framing", "robustness", "leaks"].includes(suite))

/** A right server is given time, so that a slow machine makes none of them wrong. */
const test = (id: string, fault: Server.Fault, timeout: number) =>
  Effect.gen(function*() {
    const target = yield* Server.target(fault, id === "framing/header-fields" ? "contentLength" : "line")
    // The leaks look at texts that have to be seen first.
    const only = id.startsWith("leaks/") || id === "framing/only-messages" ? [id, "jsonrpc/one-response"] : [id]
    const { results } = yield* Conform.run(target, { only, timeout, protocol: "jsonrpc" })
    return results.find((result) => result.id === id)
  })

describe("a rule holds for a right server, and fails for one that breaks it", () => {
  it("has a fault for each rule", () => {
    assert.sameMembers(Object.keys(faults), own.map(({ id }) => id))
  })

  for (const { id, level } of own) {
    it.live(id, () =>
      Effect.gen(function*() {
        const right = yield* test(id, {}, 5_000)
        assert.strictEqual(right?.verdict, "pass", JSON.stringify(right))
        const broken = yield* test(id, faults[id] ?? {}, 300)
        assert.strictEqual(broken?.verdict, level === "must" ? "fail" : "warning", JSON.stringify(broken))
      }))
  }
})

/** A target whose texts come one by one, each a little later than the one before it. */
const oneByOne = (target: Target.Duplex): Target.Duplex => ({
  ...target,
  connect: Effect.map(target.connect, (transport) => {
    const waiting: Array<Transport.Received> = []
    const receive: typeof transport.receive = Effect.gen(function*() {
      if (waiting.length === 0) waiting.push(...yield* transport.receive)
      const [first, ...others] = waiting.splice(0, 1)
      if (first === undefined) return yield* receive
      return yield* Effect.as(Effect.sleep(1), [first, ...others] as const)
    })
    return { ...transport, receive }
  })
})

describe("a server that writes without an end", () => {
  it.live("is read to a bound, and has failed", () =>
    Effect.gen(function*() {
      const flood = Array.from({ length: 25_000 }, () => "y")
      const target = yield* Server.target({ answer: () => flood })
      const { results } = yield* Conform.run(target, { only: ["jsonrpc/id-null"], timeout: 5_000, protocol: "jsonrpc" })
      const received = results[0]?.findings[0]?.received
      assert.include(received, "the server writes without an end")
    }))
})

describe("a right server that writes more than its responses", () => {
  it.live("answers many requests, whatever notifications come between", () =>
    Effect.gen(function*() {
      const notification = JSON.stringify({ jsonrpc: "2.0", method: "log", params: ["heard"] })
      const target = yield* Server.target({ answer: (_, right) => [notification, ...right] })
      const only = ["robustness/many"]
      const { results } = yield* Conform.run(oneByOne(target), { only, timeout: 5_000, protocol: "jsonrpc" })
      assert.deepStrictEqual(results.filter(({ verdict }) => verdict !== "pass"), [])
    }))
})

describe("a right server that answers requests in another order", () => {
  it.live("is waited for, though what was asked later is answered", () =>
    Effect.gen(function*() {
      const target = yield* Server.target({ late: (input) => input.includes("parley-conform-") ? 0 : 250 })
      const only = ["jsonrpc/id-null", "jsonrpc/batch-empty", "robustness/large-answered", "robustness/next"]
      const { results } = yield* Conform.run(target, { only, timeout: 5_000, protocol: "jsonrpc" })
      assert.deepStrictEqual(results.map(({ verdict }) => verdict), ["pass", "pass", "pass", "pass"])
    }))
})

describe("a right server that answers a batch in another order", () => {
  for (const id of ["jsonrpc/batch-invalid", "jsonrpc/batch-reply"]) {
    it.live(id, () =>
      Effect.gen(function*() {
        const reversed = some(isBatch(() => true), (_, right) =>
          right.map((text) => {
            const value = json(text)
            return JSON.stringify(Array.isArray(value) ? value.toReversed() : value)
          }))
        const result = yield* test(id, reversed, 5_000)
        assert.strictEqual(result?.verdict, "pass", JSON.stringify(result))
      }))
  }
})
