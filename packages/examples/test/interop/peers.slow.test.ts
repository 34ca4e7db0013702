/**
 * Peers that do not speak JSON-RPC 2.0 as its specification has it: Go's `net/rpc/jsonrpc`, which speaks 1.0 in both
 * directions, and servers in Python that send events beside messages, or leave out the version.
 */
import { assert, describe, it } from "@effect/vitest"
import { Contract, Method } from "@parley/contract"
import { NodeTcp } from "@parley/node"
import { ErrorResponse, Peer } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { Effect, Result, Schema } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Folder from "./Folder.ts"
import { peer, served } from "./sides.ts"

const missing = [["go", "version"], ["python3", "--version"]].flatMap(([program = "", ...args]) =>
  spawnSync(program, args).status === 0 ? [] : [program]
)

const programs = join(import.meta.dirname, "programs")

/** A program that prints the port that it listens at. */
const listening = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const program = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })),
      (program) =>
        Effect.promise(async () => {
          const exited = once(program, "exit")
          program.kill("SIGKILL")
          await exited
        })
    )
    const [port] = yield* Effect.promise(() => once(createInterface(program.stdout), "line"))
    return Number(port)
  })

/** What a program prints. */
const printed = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const program = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    program.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
    })
    await once(program, "close")
    return text
  })

const compiled = Effect.map(Folder.make(), (folder) => {
  const program = join(folder, "arith")
  const { status, stderr } = spawnSync("go", ["build", "-o", program, join(programs, "arith.go")], {
    env: { ...process.env, GO111MODULE: "off", GOFLAGS: "" },
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stderr)
  return program
})

const Args = Schema.Struct({ A: Schema.Int, B: Schema.Int })

class Arith extends Contract.make("Arith", {
  "Arith.Multiply": Method.make({ params: [Args], result: Schema.Int }),
  "Arith.Divide": Method.make({ params: [Args], result: Schema.Int })
}) {}

const one = { framing: Framing.line, dialect: Dialect.jsonRpc1 }

const suites = () => {
  describe("net/rpc/jsonrpc of Go", () => {
    it.live("serves our client: results, errors that are strings, and a batch one by one", () =>
      Effect.gen(function*() {
        const port = yield* listening(yield* compiled, "serve")
        const caller = yield* peer(port, one)
        const arith = Arith.client(caller)
        assert.strictEqual(yield* arith["Arith.Multiply"]([{ A: 7, B: 8 }]), 56)
        const error = yield* Effect.flip(arith["Arith.Divide"]([{ A: 1, B: 0 }]))
        assert.deepInclude(error, { _tag: "RemoteError", code: -32000, text: "divide by zero" })
        const outcomes = yield* caller.batch([
          { method: "Arith.Multiply", params: [{ A: 2, B: 3 }] },
          { method: "Arith.Divide", params: [{ A: 9, B: 3 }] }
        ])
        assert.deepStrictEqual(outcomes, [Result.succeed(6), Result.succeed(3)])
        assert.strictEqual(
          yield* Arith.client(yield* peer(port, { ...one, dialect: Dialect.lenient }))["Arith.Multiply"]([
            { A: 1, B: 5 }
          ]),
          5
        )
      }))

    it.live("is served by us: results, and our errors as errors", () =>
      Effect.gen(function*() {
        const port = yield* served(one, {
          "Arith.Multiply": ({ params }) => {
            const [{ A, B }] = Schema.decodeUnknownSync(Schema.Tuple([Args]))(params)
            return Effect.succeed(A * B)
          },
          "Arith.Divide": () => Effect.fail(ErrorResponse.make(1, "divide by zero"))
        })
        assert.strictEqual(yield* printed(yield* compiled, "call", String(port)), "56 <nil>\ntrue\n")
      }))
  })

  describe("a server that sends events beside messages", () => {
    it.live("is heard, in order with its notifications, and its responses come as ever", () =>
      Effect.gen(function*() {
        const port = yield* listening("python3", join(programs, "events.py"))
        const events: Array<unknown> = []
        const transport = yield* NodeTcp.makeTransport({ port })
        const caller = yield* Peer.make(transport, {
          responses: "afterNotifications",
          onForeign: (event) => Effect.andThen(Effect.yieldNow, Effect.sync(() => void events.push(event)))
        })
        assert.isNull(yield* caller.request("core.playback.play"))
        assert.deepStrictEqual(events, [
          { event: "playback_state_changed", old_state: "stopped", new_state: "playing" }
        ])
        assert.strictEqual(yield* caller.request("core.playback.get_state"), "playing")
        assert.deepStrictEqual(events.length, 2)
      }))
  })

  describe("a server that leaves out the version, and refuses it", () => {
    it.live("is called in a dialect that omits it", () =>
      Effect.gen(function*() {
        const port = yield* listening("python3", join(programs, "events.py"), "bare")
        const dialect = Dialect.make({ name: "bare", version: "omit" })
        const caller = yield* peer(port, { framing: Framing.line, dialect })
        assert.strictEqual(yield* caller.request("core.playback.get_state"), "stopped")
        assert.deepInclude(yield* Effect.flip(caller.request("nope")), { _tag: "RemoteError", code: -32601 })
      }))
  })
}

if (missing.length === 0) suites()
else {
  it("needs programs of Debian: apt-get install golang-go python3", () => {
    if (process.env["CI"]) assert.fail(`missing: ${missing.join(", ")}`)
  })
}
