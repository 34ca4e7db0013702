/**
 * `ovsdb-server`, the database of Open vSwitch (RFC 7047): it writes JSON values with nothing between them, and
 * speaks JSON-RPC 1.0, whose messages have no `jsonrpc`.
 */
import { assert, describe, layer } from "@effect/vitest"
import { NodeTcp, NodeUnix } from "@parley/node"
import { Peer, Router } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import type { Transport } from "@parley/transport"
import { Context, Deferred, Effect, Layer, Queue, type Schema } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Programs from "../../../tools/debian/Programs.ts"
import * as raw from "./support/raw.ts"

const needed = ["ovsdb-server", "ovsdb-tool"].map((program) => ({ program, package: "openvswitch-common" }))

/** Within strings, what elsewhere tells where a value ends. */
const kinds = ["}{", "\"]\\", "é😀"]

const schema = {
  name: "Parley",
  version: "1.0.0",
  tables: {
    Text: { columns: { kind: { type: { key: { type: "string", enum: ["set", kinds] } } }, value: { type: "string" } } }
  }
}

interface Place {
  readonly path: string
  readonly port: number
}

const start = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  const [database, path] = [join(folder, "database"), join(folder, "s")]
  writeFileSync(join(folder, "schema"), JSON.stringify(schema))
  execFileSync("ovsdb-tool", ["create", database, join(folder, "schema")], { env: Programs.env })
  const args = [`--remote=punix:${path}`, "--remote=ptcp:0:127.0.0.1", `--unixctl=${join(folder, "control")}`]
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("ovsdb-server", [...args, "-vconsole:info", "-vsyslog:off", database], {
        env: Programs.env,
        stdio: ["ignore", "ignore", "pipe"]
      })
    ),
    (server) =>
      Effect.promise(async () => {
        if (server.exitCode !== null || server.signalCode !== null) return
        const exited = once(server, "exit")
        server.kill()
        await exited
      })
  )
  const port = yield* Effect.promise(async () => {
    let said = ""
    for await (const line of createInterface(server.stderr)) {
      said += `${line}\n`
      if (line.includes("(Open vSwitch)")) break
    }
    // Its log must not fill the pipe.
    server.stderr.resume()
    const [, port] = /listening on port (\d+)/.exec(said) ?? assert.fail(`ovsdb-server did not listen: ${said}`)
    return Number(port)
  })
  return { path, port }
})

class Ovsdb extends Context.Service<Ovsdb, Place>()("test/Ovsdb") {
  static readonly layer = Layer.effect(Ovsdb, start)
}

const framing = Framing.concatenated

const ways = [
  {
    name: "Unix",
    connect: Effect.flatMap(Ovsdb, ({ path }) => NodeUnix.makeTransport({ path, framing })),
    rawly: Effect.flatMap(Ovsdb, ({ path }) => raw.connect(`unix:${path}`))
  },
  {
    name: "TCP",
    connect: Effect.flatMap(Ovsdb, ({ port }) => NodeTcp.makeTransport({ port, framing })),
    rawly: Effect.flatMap(Ovsdb, ({ port }) => raw.connect(`tcp://127.0.0.1:${port}`))
  }
]

type Side = Transport.Transport

const request = (id: number | string, method: string, params: ReadonlyArray<unknown> = []) =>
  JSON.stringify({ id, method, params })

/** Receives until so many texts have come, and parses them. */
const receive = (side: Side, count: number) =>
  Effect.gen(function*() {
    const texts: Array<unknown> = []
    while (texts.length < count) {
      for (const text of yield* side.receive) texts.push(typeof text === "string" ? JSON.parse(text) : text)
    }
    return texts
  })

const result = (id: number | string, value: unknown) => ({ id, result: value, error: null })

/** Its enumerations are sets, which come back in an order of their own. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted).toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sorted(member)]))
    : value

/** Takes away from what we send the member that JSON-RPC 1.0 does not know. */
const without = (text: string): string => {
  const { jsonrpc: _, ...message } = JSON.parse(text)
  return JSON.stringify(message)
}

/** Makes of what they send what JSON-RPC 2.0 knows: a member that is null is one that is not there. */
const upgraded = (text: string): string => {
  const { error, id, method, params, result } = JSON.parse(text)
  const present = method !== undefined
    ? { method, params, ...id === null ? {} : { id } }
    : typeof error === "string"
    ? { id, error: { code: 0, message: error } }
    : { id, result }
  return JSON.stringify({ jsonrpc: "2.0", ...present })
}

/** These servers send texts only. */
const mapped = (side: Side, outward: (text: string) => string, inward: (text: string) => string): Side => ({
  ...side,
  receive: Effect.map(side.receive, ([first, ...rest]) => {
    const map = (received: typeof first) => typeof received === "string" ? inward(received) : received
    return [map(first), ...rest.map(map)]
  }),
  send: ([first, ...rest]) => side.send([outward(first), ...rest.map(outward)])
})

const same = (text: string) => text

const suites = () => {
  layer(Ovsdb.layer)("ovsdb-server", (it) => {
    for (const { connect, name, rawly } of ways) {
      describe(name, () => {
        it.effect("puts nothing between its values", () =>
          Effect.gen(function*() {
            const { socket } = yield* rawly
            const answers = Promise.withResolvers<string>()
            let text = ""
            socket.on("data", (chunk) => {
              text += String(chunk)
              if (text.includes("\"id\":2")) answers.resolve(text)
            })
            socket.write(request(1, "echo") + request(2, "echo"))
            assert.include(yield* Effect.promise(() => answers.promise), "}{\"id\":2")
          }))

        it.effect("answers several requests in one write, each in a text", () =>
          Effect.gen(function*() {
            const side = yield* connect
            yield* side.send([request(1, "list_dbs"), request(2, "get_schema", ["Parley"]), request(3, "get_schema")])
            const [databases, tables, error] = yield* receive(side, 3)
            assert.deepStrictEqual(sorted(databases), sorted(result(1, ["Parley", "_Server"])))
            assert.deepStrictEqual(sorted(tables), sorted(result(2, schema)))
            assert.propertyVal(error, "id", 3)
            assert.property(error, "error")
          }))

        it.effect("answers requests that have nothing between them either", () =>
          Effect.gen(function*() {
            const side = yield* connect
            const ids = Array.from({ length: 500 }, (_, index) => index)
            yield* side.send([ids.map((id) => request(id, "echo", [kinds[id % kinds.length]])).join("")])
            assert.deepStrictEqual(
              yield* receive(side, ids.length),
              ids.map((id) => result(id, [kinds[id % kinds.length]]))
            )
          }))

        it.effect("gives every value back whole, wherever the stream was cut", () =>
          Effect.gen(function*() {
            const side = yield* connect
            const values: NonEmptyReadonlyArray<unknown> = [
              [],
              {},
              "",
              ...kinds,
              [-0.5, true, false, null, [[[{}]]]],
              { "}{": { "\\\"": "]" } },
              Array.from({ length: 200 }).reduce((inner) => [inner], null),
              "\\\"}{é😀\u2028".repeat(1_000),
              "é".repeat(1_000_000)
            ]
            for (let round = 0; round < 3; round++) {
              yield* side.send([
                request(0, "echo", [round]),
                ...values.map((value, index) => request(index + 1, "echo", [value]))
              ])
              // Compared by hand: a difference of megabytes is not worth printing.
              const wanted = [result(0, [round]), ...values.map((value, index) => result(index + 1, [value]))]
              assert.isTrue(JSON.stringify(yield* receive(side, wanted.length)) === JSON.stringify(wanted))
            }
          }))

        it.effect("its answers have no `jsonrpc`: a Peer fails the call with InvalidResponse", () =>
          Effect.gen(function*() {
            const peer = yield* Peer.make(mapped(yield* connect, without, same))
            for (const method of ["list_dbs", "echo", "no such method"]) {
              const error = yield* Effect.flip(peer.request(method, []))
              assert.deepInclude(error, { _tag: "InvalidResponse", method, rule: "`jsonrpc` must be \"2.0\"" })
            }
            assert.isTrue(yield* peer.connected)
          }))

        it.effect("it hangs up on a `jsonrpc`: a Peer fails the call with Disconnected", () =>
          Effect.gen(function*() {
            const peer = yield* Peer.make(yield* connect)
            const error = yield* Effect.flip(peer.request("list_dbs", []))
            assert.deepInclude(error, { _tag: "Disconnected", sent: true })
            yield* peer.closed
          }))

        it.effect("a wrapping that translates makes of it another side for a Peer", () =>
          Effect.gen(function*() {
            const updates = yield* Queue.unbounded<Schema.Json>()
            const router = yield* Router.make()
            yield* router.add("update", ({ params }) => Effect.asVoid(Queue.offer(updates, params ?? null)))
            const dialect = Dialect.make({ name: "ovsdb", cancellation: undefined, progress: undefined })
            const peer = yield* Peer.make(mapped(yield* connect, without, upgraded), { router, dialect })

            assert.deepStrictEqual(
              yield* peer.request("monitor", ["Parley", name, { Text: { select: { initial: false } } }]),
              {}
            )
            const row = { kind: "}{", value: `${name} \\"}{é` }
            const inserted = yield* peer.request("transact", ["Parley", { op: "insert", table: "Text", row }])
            const update = yield* Queue.take(updates)
            assert.match(JSON.stringify(inserted), /^\[\{"uuid":\["uuid","[-0-9a-f]{36}"\]\}\]$/)
            assert.include(JSON.stringify(update), JSON.stringify(row.value))

            const selected = yield* Effect.forEach(kinds, (kind) =>
              peer.request("transact", [
                "Parley",
                {
                  op: "select",
                  table: "Text",
                  where: [["kind", "==", kind], ["value", "==", row.value]],
                  columns: ["value"]
                }
              ]), { concurrency: "unbounded" })
            assert.deepStrictEqual(selected, [[{ rows: [{ value: row.value }] }], [{ rows: [] }], [{ rows: [] }]])

            const error = yield* Effect.flip(peer.request("no such method", []))
            assert.deepInclude(error, { _tag: "RemoteError", text: "unknown method" })
          }))
      })
    }

    it.effect("asks over TCP whether the other side is there, and a Peer answers", () =>
      Effect.gen(function*() {
        const { port } = yield* Ovsdb
        const asked = yield* Deferred.make<unknown>()
        const router = yield* Router.make()
        yield* router.add("echo", ({ params }) => Effect.as(Deferred.succeed(asked, params), params ?? null))
        const side = yield* NodeTcp.makeTransport({ port, framing })
        const peer = yield* Peer.make(mapped(side, without, upgraded), { router })
        assert.deepStrictEqual(yield* Deferred.await(asked), [])
        assert.deepStrictEqual(yield* peer.request("echo", ["there"]), ["there"])
      }))
  })
}

Programs.suites(needed, suites)
