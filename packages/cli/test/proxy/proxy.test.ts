import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import * as net from "node:net"
import { text } from "node:stream/consumers"
import * as Parley from "../Parley.ts"
import * as Joined from "./Joined.ts"

const request = (id: number, method: string, params?: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"

const success = (id: number, result: unknown) => ({ jsonrpc: "2.0", id, result })

const parse = (stdout: string): ReadonlyArray<unknown> => stdout.trimEnd().split("\n").map((line) => JSON.parse(line))

/** A proxy that listens, once it is ready, and its address. */
const listen = (args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const running = yield* Parley.start(["proxy", ...args])
    const line = yield* running.line
    return { ...running, address: line.replace(/^listening /, "") }
  })

/** A connection, and all that comes from it. */
const connect = (address: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => net.connect({ host: "127.0.0.1", port: Number(new URL(address).port), allowHalfOpen: true })),
      (socket) => Effect.sync(() => socket.destroy())
    ),
    (socket) => ({ socket, all: Effect.promise(() => text(socket)) })
  )

describe("parley proxy --listen stdio:", () => {
  for (const kind of ["tcp", "http"]) {
    it.live(`answers all that was piped in, out of ${kind}, and exits 0 at the end of input`, () =>
      Effect.gen(function*() {
        const endpoint = yield* Joined.serve(kind)
        const { code, stderr, stdout } = yield* Parley.run(
          ["proxy", "--listen", "stdio:", endpoint],
          request(1, "sleep", [100]) + request(2, "subtract", [42, 23]) + "{no json\n"
        )
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "listening stdio:\n" })
        assert.sameDeepMembers([...parse(stdout)], [
          success(1, null),
          success(2, 19),
          { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }
        ])
      }))
  }

  it.live("exits 2 when the endpoint cannot be reached, after it has answered so", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* Parley.run(
        ["proxy", "--listen", "stdio:", "tcp://127.0.0.1:1"],
        request(1, "echo")
      )
      assert.strictEqual(code, 2)
      assert.deepInclude(parse(stdout)[0], { id: 1 })
      assert.include(stdout, "The endpoint cannot be reached")
      assert.include(stderr, "parley: tcp://127.0.0.1:1 could not be opened: connect ECONNREFUSED")
    }))

  it.live("exits 2 when the endpoint is lost, and says how", () =>
    Effect.gen(function*() {
      const crash = `stdio:"${process.execPath}" -e "process.stdin.once('data', () => process.exit(9))"`
      const proxy = yield* Parley.start(["proxy", "--listen", "stdio:", crash])
      yield* proxy.write(request(1, "echo"))
      const { code, stderr } = yield* proxy.outcome
      assert.strictEqual(code, 2)
      assert.include(stderr, "the process exited with code 9")
    }))
})

describe("parley proxy", () => {
  it.live("gives each client a process of its own, and ends it with the client", () =>
    Effect.gen(function*() {
      const script = [
        "process.stdin.once('data', () => console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, result: process.pid })))",
        "process.stdin.on('end', () => console.error('ended ' + process.pid))"
      ].join(";")
      const proxy = yield* listen(["--listen", "tcp://127.0.0.1:0", `stdio:"${process.execPath}" -e "${script}"`])
      const [first, second] = [yield* connect(proxy.address), yield* connect(proxy.address)]
      const pids: Array<number> = []
      for (const { socket } of [first, second]) {
        socket.write(request(1, "who"))
        const [bytes] = yield* Effect.promise(() => once(socket, "data"))
        pids.push(JSON.parse(String(bytes)).result)
      }
      const [one, other] = pids
      assert.notStrictEqual(one, other)
      first.socket.destroy()
      assert.strictEqual(yield* proxy.errorLine, `ended ${one}`)
      assert.isTrue(Parley.runs(Number(other)))
      yield* proxy.signal("SIGINT")
      const { code } = yield* proxy.outcome
      assert.strictEqual(code, 0)
      assert.isFalse(Parley.runs(Number(other)))
    }))

  it.live("tells its client when the endpoint has gone, and serves the next", () =>
    Effect.gen(function*() {
      const script = "process.stdin.once('data', () => process.exit(9))"
      const proxy = yield* listen(["--listen", "tcp://127.0.0.1:0", `stdio:"${process.execPath}" -e "${script}"`])
      for (const client of [1, 2]) {
        const { all, socket } = yield* connect(proxy.address)
        socket.write(request(1, "echo"))
        assert.strictEqual(yield* all, "")
        assert.match(yield* proxy.errorLine, new RegExp(`^parley: client ${client}: .*exited with code 9$`))
      }
      yield* proxy.signal("SIGTERM")
      assert.strictEqual((yield* proxy.outcome).code, 0)
    }))

  it.live("answers a client whose endpoint cannot be reached, and closes", () =>
    Effect.gen(function*() {
      const address = yield* Joined.proxy("tcp://127.0.0.1:0", "tcp://127.0.0.1:1")
      const { all, socket } = yield* connect(address)
      socket.write(request(1, "echo"))
      const answer = JSON.parse(yield* all)
      assert.deepInclude(answer, { id: 1 })
      assert.deepInclude(answer.error, { code: -32000, message: "The endpoint cannot be reached" })
    }))

  it.live("passes between two framings", () =>
    Effect.gen(function*() {
      const proxy = yield* listen([
        "--listen",
        "tcp://127.0.0.1:0",
        "--framing",
        "content-length",
        `${Parley.serveStdio} --framing concatenated`,
        "--endpoint-framing",
        "concatenated"
      ])
      const called = yield* Parley.run(["call", proxy.address, "sum", "[1, 2]", "--framing", "content-length"])
      assert.deepStrictEqual(called, { code: 0, signal: null, stdout: "3\n", stderr: "" })
    }))

  it.effect("refuses --login where it cannot add tokens", () =>
    Effect.gen(function*() {
      const [stdio, tcp] = yield* Parley.runAll(
        ["proxy", "--listen", "stdio:", "http://127.0.0.1:1/mcp", "--login"],
        ["tap", "tcp://127.0.0.1:1", "--login"]
      )
      for (const outcome of [stdio, tcp]) {
        assert.strictEqual(outcome?.code, 64)
        assert.include(outcome?.stderr, "(hint: only a proxy from HTTP to HTTP adds the tokens of `parley mcp login`)")
      }
    }))

  it.live("exits 2 where somebody listens", () =>
    Effect.gen(function*() {
      const taken = yield* Joined.serve("tcp")
      const { code, stderr, stdout } = yield* Parley.run(["proxy", "--listen", taken, "tcp://127.0.0.1:1"])
      assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
      assert.match(stderr, new RegExp(`^parley: ${taken} could not be opened: .*EADDRINUSE`))
    }))
})
