import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import * as Parley from "../Parley.ts"

const request = (id: number | string, method: string, params?: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"

const success = (id: number | string, result: unknown) => ({ jsonrpc: "2.0", id, result })

const parse = (stdout: string): ReadonlyArray<unknown> => stdout.trimEnd().split("\n").map((line) => JSON.parse(line))

/** Connects, writes, ends its own side, and reads until the other side has ended. */
const halfClosed = (address: string, input: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { hostname, port } = new URL(address)
    const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    await once(socket, "connect")
    socket.end(input)
    return text(socket)
  })

describe("parley serve --stdio", () => {
  it.live("answers all that was piped in, then exits 0 at the end of input", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* Parley.run(
        ["serve", "--stdio"],
        request(1, "sleep", [200]) + request(2, "subtract", [42, 23]) + `{"jsonrpc":"2.0","method":"update"}\n`
          + `[${request(3, "sum", [1, 2]).trim()},{"jsonrpc":"2.0","method":"update"}]\n`
          // A last line without its end is a line.
          + request(4, "echo", { deep: [null] }).trim()
      )
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      assert.sameDeepMembers([...parse(stdout)], [
        success(1, null),
        success(2, 19),
        [success(3, 3)],
        success(4, { deep: [null] })
      ])
    }))

  it.live("gives ids back to the last digit", () =>
    Effect.gen(function*() {
      const ids = ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0", "\"\"", "1.5", "null"]
      const { stdout } = yield* Parley.run(
        ["serve", "--stdio"],
        ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"echo"}\n`).join("")
      )
      assert.sameMembers(stdout.trimEnd().split("\n"), ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":null}`))
    }))

  it.live("keeps stdout for the wire: a defect is told on stderr, and without its cause to the caller", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* Parley.run(["serve", "--stdio"], request(1, "crash") + request(2, "fail"))
      assert.strictEqual(code, 0)
      assert.sameDeepMembers([...parse(stdout)], [
        { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } },
        { jsonrpc: "2.0", id: 2, error: { code: 1234, message: "Application error", data: { detail: "boom" } } }
      ])
      assert.include(stderr, "the method `crash` was called")
    }))

  it.live("ends a sleep that is cancelled with -32800", () =>
    Effect.gen(function*() {
      const server = yield* Parley.start(["serve", "--stdio"])
      yield* server.write(
        request("a", "sleep", { ms: 1e9 }) + `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a"}}\n`
      )
      assert.deepStrictEqual(JSON.parse(yield* server.line), {
        jsonrpc: "2.0",
        id: "a",
        error: { code: -32800, message: "Request cancelled" }
      })
      yield* server.end
      assert.strictEqual((yield* server.outcome).code, 0)
    }))

  it.live("calls the caller back, and passes its result and its error through", () =>
    Effect.gen(function*() {
      const server = yield* Parley.start(["serve", "--stdio"])
      yield* server.write(request(7, "callback", { method: "ask", params: ["why"] }))
      const asked = JSON.parse(yield* server.line)
      assert.deepStrictEqual(asked, { jsonrpc: "2.0", id: 1, method: "ask", params: ["why"] })
      yield* server.write(JSON.stringify(success(asked.id, "because")) + "\n")
      assert.deepStrictEqual(JSON.parse(yield* server.line), success(7, "because"))

      yield* server.write(request(8, "callback", { method: "ask" }))
      const again = JSON.parse(yield* server.line)
      const error = { code: 5, message: "no", data: [1] }
      yield* server.write(JSON.stringify({ jsonrpc: "2.0", id: again.id, error }) + "\n")
      assert.deepStrictEqual(JSON.parse(yield* server.line), { jsonrpc: "2.0", id: 8, error })
    }))

  it.live("answers garbage, invalid UTF-8 and a line beyond 16 MiB with an error each, and goes on", () =>
    Effect.gen(function*() {
      const server = yield* Parley.start(["serve", "--stdio"])
      const parseError = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }
      yield* server.write("{garbage\n")
      assert.deepStrictEqual(JSON.parse(yield* server.line), parseError)
      yield* server.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]))
      assert.deepStrictEqual(JSON.parse(yield* server.line), parseError)
      yield* server.write(Buffer.alloc(16 * 1024 * 1024 + 1, "x"))
      yield* server.write("\n")
      assert.strictEqual(JSON.parse(yield* server.line).id, null)
      yield* server.write(request(1, "echo", ["still here"]))
      assert.deepStrictEqual(JSON.parse(yield* server.line), success(1, ["still here"]))
    }))

  it.live("ends with 2 when a Content-Length stream has lost its place, and says where", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* Parley.run(
        ["serve", "--stdio", "--framing", "content-length"],
        "Content-Length: many\r\n\r\n{}"
      )
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.match(stderr, /^parley: stdin: .*at byte 0: Content-Length: many/m)
    }))

  it.live("lets a running call end when SIGTERM comes, then exits 0", () =>
    Effect.gen(function*() {
      const server = yield* Parley.start(["serve", "--stdio"])
      yield* server.write(request(1, "sleep", [400]) + request(2, "echo"))
      assert.deepStrictEqual(JSON.parse(yield* server.line), success(2, null))
      yield* server.signal("SIGTERM")
      assert.deepStrictEqual(JSON.parse(yield* server.line), success(1, null))
      const { code, stderr } = yield* server.outcome
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    }))
})

describe("parley serve on a socket", () => {
  it.live("prints one line when it is ready, with the port it picked, and exits 0 at SIGINT", () =>
    Effect.gen(function*() {
      const server = yield* Parley.listen(["--tcp", "127.0.0.1:0"])
      assert.match(server.address, /^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/)
      yield* server.signal("SIGINT")
      assert.deepStrictEqual(yield* server.outcome, {
        code: 0,
        signal: null,
        stdout: `listening ${server.address}\n`,
        stderr: ""
      })
    }))

  it.live("gives a client that ends its input all answers", () =>
    Effect.gen(function*() {
      const { address } = yield* Parley.listen(["--tcp", "localhost:0"])
      const answers = yield* halfClosed(address, request(1, "sleep", [100]) + request(2, "sum", [1, 2, 4]))
      assert.deepStrictEqual(parse(answers), [success(2, 7), success(1, null)])
    }))

  it.live("closes what looks like HTTP without an answer", () =>
    Effect.gen(function*() {
      const { address } = yield* Parley.listen(["--tcp", "127.0.0.1:0"])
      const body = request(1, "echo")
      const answers = yield* halfClosed(address, `POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      assert.strictEqual(answers, "")
    }))

  it.live("lets running calls of its connections end when SIGTERM comes", () =>
    Effect.gen(function*() {
      const server = yield* Parley.listen(["--tcp", "127.0.0.1:0"])
      const { port } = new URL(server.address)
      const socket = net.connect({ host: "127.0.0.1", port: Number(port) })
      yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
      const received = text(socket)
      socket.write(request(1, "echo") + request(2, "sleep", [400]))
      yield* Effect.promise(() => once(socket, "data"))
      yield* server.signal("SIGTERM")
      assert.strictEqual((yield* server.outcome).code, 0)
      assert.deepStrictEqual(parse(yield* Effect.promise(() => received)), [success(1, null), success(2, null)])
    }))

  it.live("listens on a Unix socket, whose file goes with it; where somebody listens, another exits 2", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const path = join(folder, "s")
      const server = yield* Parley.listen(["--unix", path])
      assert.strictEqual(server.address, `unix:${path}`)
      const [called, second] = yield* Parley.runAll(["call", server.address, "get_data"], ["serve", "--unix", path])
      assert.deepStrictEqual(called, { code: 0, signal: null, stdout: "[\"hello\",5]\n", stderr: "" })
      assert.deepInclude(second, { code: 2, stdout: "" })
      assert.match(second?.stderr ?? "", new RegExp(`^parley: unix:${path} could not be opened: .*EADDRINUSE`))
    }))
})
