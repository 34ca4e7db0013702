import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as net from "node:net"
import { serverOf, text } from "../fixtures/sockets.ts"
import * as Parley from "../Parley.ts"

const ok = (stdout: string): Parley.Outcome => ({ code: 0, signal: null, stdout, stderr: "" })

describe("parley call --follow", () => {
  /** A server that answers a call between two notifications, sends a third one, and then does as it is told. */
  const ticking = (then: (socket: net.Socket) => void, texts: Array<string> = []) =>
    serverOf((socket) => {
      socket.on("data", (chunk) => texts.push(...chunk.toString().split("\n")))
      socket.once("data", () => {
        socket.write(text({ method: "tick", params: [1] }) + text({ id: 1, result: "ok" }))
        socket.write(
          text({ method: "tick" }) + text({ id: 7, method: "ask" }) + text({ method: "tick", params: { a: 2 } })
        )
        then(socket)
      })
    })
  const ticks = `{"method":"tick","params":[1]}\n"ok"\n{"method":"tick"}\n{"method":"tick","params":{"a":2}}\n`

  it.live("prints what comes before and after the result, until Ctrl-C, which is no failure", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const call = yield* Parley.start(["call", yield* ticking(() => {}, texts), "watch", "--follow"])
      for (const line of ticks.trimEnd().split("\n")) assert.strictEqual(yield* call.line, line)
      yield* call.signal("SIGINT")
      assert.deepStrictEqual(yield* call.outcome, ok(ticks))
      assert.include(
        texts,
        `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found","data":"ask"}}`
      )
    }))

  it.live("ends well when nothing has come for the time of --timeout, and else when the connection is over", () =>
    Effect.gen(function*() {
      const [idle, over, json, before] = yield* Parley.runAll(
        ["call", yield* ticking(() => {}), "watch", "--follow", "--timeout", "300ms"],
        ["call", yield* ticking((socket) => socket.end()), "watch", "--follow"],
        ["call", yield* ticking((socket) => socket.end()), "watch", "--follow", "--json"],
        ["call", "http://127.0.0.1:1/", "watch", "--follow"]
      )
      assert.deepStrictEqual(idle, ok(ticks))
      assert.deepInclude(over, { code: 2, stdout: ticks })
      assert.match(over?.stderr ?? "", /^parley: tcp:\S+: the other side writes no more; nothing more follows\n$/)
      assert.include(json?.stdout, `\n{"result":"ok"}\n{"method":"tick"}\n`)
      assert.deepInclude(before, { code: 64, stdout: "" })
      assert.include(before?.stderr, "--follow does not apply to http://127.0.0.1:1")
    }))

  it.live("prints all that came before the failure of a call, and before the end of the connection", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 60 }, (_, at) => text({ method: "tick", params: [at] })).join("")
      const ending = (texts: string) => serverOf((socket) => void socket.once("data", () => socket.end(texts)))
      const error = text({ id: 1, error: { code: 1, message: "refused" } })
      const [failed, over] = yield* Parley.runAll(
        ["call", yield* ending(many + error), "watch", "--follow"],
        ["call", yield* ending(text({ id: 1, result: "ok" }) + many), "watch", "--follow"]
      )
      assert.deepStrictEqual([failed?.code, failed?.stdout.match(/tick/g)?.length], [1, 60])
      assert.deepStrictEqual([over?.code, over?.stdout.match(/tick/g)?.length], [2, 60])
    }))

  it.live("prints all that a process has written before its end, and all that came before an error", () =>
    Effect.gen(function*() {
      const answering = (answer: string, end: string) =>
        `${Parley.stdio(new URL("../fixtures/last.ts", import.meta.url).pathname)} '${answer}' ${end}`
      const result = "\"result\":\"ok\""
      const [exited, failed, plain] = yield* Parley.runAll(
        ["call", answering(result, "exit"), "watch", "--follow"],
        ["call", answering("\"error\":{\"code\":1,\"message\":\"refused\"}", "stay"), "watch", "--follow"],
        ["call", answering(result, "exit"), "watch"]
      )
      assert.deepStrictEqual([exited?.code, exited?.stdout.match(/tick/g)?.length], [2, 3_000])
      assert.deepStrictEqual([failed?.code, failed?.stdout.match(/tick/g)?.length], [1, 3_000])
      assert.deepStrictEqual([plain?.code, plain?.stdout], [0, "\"ok\"\n"])
    }))

  it.live("ends by Ctrl-C before the result with 130", () =>
    Effect.gen(function*() {
      const call = yield* Parley.start(["call", yield* serverOf(() => {}), "watch", "--follow", "--trace"])
      assert.include(yield* call.errorLine, `"direction":"sent"`)
      yield* call.signal("SIGINT")
      assert.strictEqual((yield* call.outcome).code, 130)
    }))
})

describe("parley call to a server that goes on sending", () => {
  const floods = {
    "notifications": { each: text({ method: "n", params: [1] }), reads: true },
    "requests, and reads the answers": { each: text({ id: 1, method: "echo", params: [1] }), reads: true },
    "requests, and does not read the answers": { each: text({ id: 1, method: "echo", params: [1] }), reads: false }
  }

  /** Sends without an end, until the other side has left, or has had its chance. Counts those that have not left. */
  const flooding = (each: string, reads: boolean, first: string) => {
    const patient = { left: 0, stayed: 0 }
    const server = serverOf((socket) => {
      const chance = setTimeout(() => {
        patient.stayed++
        socket.destroy()
      }, 9_000)
      socket.once("close", () => {
        clearTimeout(chance)
        patient.left++
      })
      const many = each.repeat(2_000)
      const write = () => {
        while (!socket.destroyed) if (!socket.write(many)) return void socket.once("drain", write)
      }
      socket.once("data", () => {
        if (reads) socket.resume()
        else socket.pause()
        socket.write(first)
        write()
      })
    })
    return { patient, server }
  }

  for (const [what, { each, reads }] of Object.entries(floods)) {
    it.live(`returns when its time is over, and tells so: where that sends ${what}`, () =>
      Effect.gen(function*() {
        const { patient, server } = flooding(each, reads, "")
        const [outcome] = yield* Parley.runAll(["call", yield* server, "x", "[1]", "--timeout", "500ms"])
        assert.match(outcome?.stderr ?? "", /no response to x \(id 1\) within 500 ms|budget|Overrun/)
        assert.deepInclude(patient, { stayed: 0 })
      }))
  }

  it.live("returns with --follow when the call has failed, and when a signal comes", () =>
    Effect.gen(function*() {
      const error = text({ id: 1, error: { code: 1, message: "refused" } })
      const failing = flooding(floods.notifications.each, true, error)
      const following = flooding(floods.notifications.each, true, text({ id: 1, result: "ok" }))
      const call = yield* Parley.start(["call", yield* following.server, "x", "--follow"])
      const [failed] = yield* Parley.runAll(["call", yield* failing.server, "x", "--follow"])
      yield* call.line
      yield* call.signal("SIGINT")
      assert.deepStrictEqual([failed?.code, (yield* call.outcome).code], [1, 0])
      assert.deepStrictEqual([failing.patient.stayed, following.patient.stayed], [0, 0])
    }))

  it.live("returns when it has its answer", () =>
    Effect.gen(function*() {
      const { patient, server } = flooding(floods.notifications.each, true, text({ id: 1, result: 19 }))
      const [outcome] = yield* Parley.runAll(["call", yield* server, "subtract", "[42, 23]"])
      assert.deepStrictEqual([outcome, patient.stayed], [ok("19\n"), 0])
    }))
})
