import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Context, Effect, Option, Redacted } from "effect"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Parley from "../Parley.ts"

const ok = (stdout: string): Parley.Outcome => ({ code: 0, signal: null, stdout, stderr: "" })

describe("parley serve and call", () => {
  for (
    const [flag, path, address] of [["--ws", "", /^ws:\/\/127\.0\.0\.1:\d+$/], [
      "--http",
      "/rpc",
      /^http:\/\/127\.0\.0\.1:\d+\/rpc$/
    ]] as const
  ) {
    it.live(`speak over ${flag}`, () =>
      Effect.gen(function*() {
        const server = yield* Parley.listen([flag, `127.0.0.1:0${path}`])
        assert.match(server.address, address)
        const { stderr, ...called } = yield* Parley.run(["call", server.address, "subtract", "[42, 23]", "--trace"])
        assert.deepStrictEqual(called, { code: 0, signal: null, stdout: "19\n" })
        const [sent = "", received = "", ...others] = stderr.trimEnd().split("\n")
        const text = `{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}`
        assert.deepInclude(JSON.parse(sent), { direction: "sent", method: "subtract", text })
        assert.deepInclude(JSON.parse(received), { direction: "received", method: "subtract", kind: "result" })
        assert.deepStrictEqual(others, [])
        const failed = yield* Parley.run(["call", server.address, "fail"])
        assert.deepStrictEqual([failed.code, failed.stdout], [1, ""])
        assert.include(failed.stderr, "error 1234: Application error")
        yield* server.signal("SIGTERM")
        assert.deepStrictEqual(yield* server.outcome, ok(`listening ${server.address}\n`))
      }))
  }

  it.live("send headers, and exit 2 for a status that is no response, with its excerpt", () =>
    Effect.gen(function*() {
      const heads: Array<http.IncomingHttpHeaders> = []
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          http.createServer((request, response) => {
            heads.push(request.headers)
            response.writeHead(503, { "content-type": "text/plain" }).end("busy")
          })
        ),
        (server) => Effect.sync(() => server.close().closeAllConnections())
      )
      server.listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(server, "listening"))
      const address = server.address()
      const authority = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`
      const headers = ["--header", "X-One: 1", "--header", "Authorization: Bearer t", "--header", "x-one: 2"]
      const called = yield* Parley.run(["call", `http://${authority}/`, "echo", ...headers])
      assert.deepStrictEqual(called, {
        code: 2,
        signal: null,
        stdout: "",
        stderr: `parley: echo (id 1) was answered with HTTP status 503 from http://${authority}/: busy\n`
      })
      assert.deepInclude(heads[0], { "x-one": "1, 2", authorization: "Bearer t" })
      const refused = yield* Parley.run([
        "call",
        `ws://user:secret@${authority}/?key=secret`,
        "echo",
        "--header",
        "X-One: 2"
      ])
      assert.strictEqual(refused.code, 2)
      assert.match(refused.stderr, new RegExp(`^parley: ws://${authority} could not be opened: .*503`))
      assert.notInclude(refused.stderr, "secret")
    }))

  it.live("send headers from files and variables, and show none of their values", () =>
    Effect.gen(function*() {
      const heads: Array<http.IncomingHttpHeaders> = []
      const { address } = yield* NodeHttp.serve(
        HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.some(`{"jsonrpc":"2.0","id":1,"result":1}`)), {
          authorize: ({ header }) =>
            Effect.sync(() => {
              heads.push({ authorization: header("authorization"), "x-key": header("x-key") })
              return Context.empty()
            })
        }),
        { port: 0 }
      )
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-headers-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const [token, lines, none] = [join(folder, "a=token"), join(folder, "lines"), join(folder, "empty")]
      writeFileSync(token, "s3cret\n")
      writeFileSync(lines, "s3cret\ns3cret\n")
      writeFileSync(none, "\n")
      const runtime: Parley.Runtime = ["/usr/bin/env", "KEY=s3cret=1", process.execPath]
      const call = (...flags: ReadonlyArray<string>) =>
        Parley.runScript(runtime, [Parley.bin, "call", address, "echo", ...flags])
      assert.deepStrictEqual(
        yield* call("--header-file", `Authorization: Bearer=${token}`, "--header-env", "X-Key=KEY"),
        ok("1\n")
      )
      assert.deepStrictEqual(heads, [{ authorization: "Bearer s3cret", "x-key": "s3cret=1" }])
      const wrong: ReadonlyArray<readonly [flag: string, value: string, message: string]> = [
        ["--header-file", `Authorization=${lines}`, `${lines} has more than one line`],
        ["--header-file", `Authorization=${none}`, `${none} is empty`],
        [
          "--header-file",
          `Authorization=${folder}/no`,
          "--header-file Authorization: the file behind the = cannot be read: ENOENT"
        ],
        ["--header-file", "Authorization: s3cret", "a --header-file is not of the form NAME=FILE"],
        ["--header-env", "Authorization: s3cret", "a --header-env is not of the form NAME=VARIABLE"],
        [
          "--header-env",
          "Authorization=NO_SUCH",
          "--header-env Authorization: there is no environment variable of the name"
        ]
      ]
      const outcomes = yield* Parley.runAll(...wrong.map(([flag, value]) => ["call", address, "echo", flag, value]))
      for (const [at, [, , message]] of wrong.entries()) {
        assert.strictEqual(outcomes[at]?.code, 64)
        assert.include(outcomes[at]?.stderr, message)
        assert.notInclude(outcomes[at]?.stderr, "s3cret")
      }
    }))

  it.live("say so where the other side does not use TLS, without a line of OpenSSL", () =>
    Effect.gen(function*() {
      const { address } = yield* NodeHttp.serve(HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.none())), {
        port: 0
      })
      const authority = address.replace(/^http:\/\/|\/$/g, "")
      const outcomes = yield* Parley.runAll(
        ["call", `https://${authority}`, "echo"],
        ["call", `wss://${authority}`, "echo"],
        ["call", `tls://${authority}`, "echo"],
        ["mcp", "inspect", `https://${authority}/mcp`]
      )
      for (const { code, stderr } of outcomes) {
        assert.strictEqual(code, 2)
        assert.include(
          stderr,
          " could not be opened: the other side does not use TLS: it speaks http, not https (ws, not wss; tcp, not tls)"
        )
        assert.notInclude(stderr, "SSL")
      }
    }))

  it.live("trust the authorities of --ca for https, wss and tls, and nobody else", () =>
    Effect.gen(function*() {
      const file = (name: string) => new URL(`../../../node/test/fixtures/tls/${name}`, import.meta.url).pathname
      const tls = {
        cert: readFileSync(file("server.pem"), "utf8"),
        key: Redacted.make(readFileSync(file("server.key"), "utf8"))
      }
      const reply = `{"jsonrpc":"2.0","id":1,"result":"safe"}`
      const { address } = yield* NodeHttp.serve(
        HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.some(reply))),
        { port: 0, tls }
      )
      const listeners = [
        yield* NodeTcp.makeListener({ port: 0, tls }),
        yield* NodeWebSocket.makeListener({ port: 0, tls })
      ]
      for (const listener of listeners) {
        yield* Effect.forkScoped(listener.run((transport) =>
          Effect.andThen(transport.receive, Effect.andThen(transport.send([reply]), Effect.never))
        ))
      }
      const addresses = [
        address,
        ...listeners.map(({ address }) =>
          address
        )
      ]
      assert.deepStrictEqual(addresses.map((text) => text.replace(/:.*/, "")), ["https", "tls", "wss"])
      const calls = yield* Effect.forEach(
        addresses,
        (address) => Parley.run(["call", address, "echo", "--ca", file("ca.pem")]),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(calls, addresses.map(() => ok(`"safe"\n`)))
      const { code, stderr } = yield* Parley.run(["call", address, "echo"])
      assert.strictEqual(code, 2)
      assert.match(stderr, /certificate|issuer/)
    }))
})
