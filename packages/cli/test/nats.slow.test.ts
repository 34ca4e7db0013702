/** The command with addresses of NATS, at a real server. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NatsServer from "../../nats/test/support/NatsServer.ts"
import * as Parley from "./Parley.ts"

const config = `authorization { user: alice, password: "sec/ret" }`

const served = Effect.map(NatsServer.make(config), ({ address }) => ({
  url: `nats://alice:sec%2Fret@${address}/specimen`,
  shown: `nats://${address}/specimen`
}))

const sum = ["subtract", "[42, 23]"]

NatsServer.suites("parley over NATS", () => {
  it.live("serves single messages and conversations, and calls both", () =>
    Effect.gen(function*() {
      const { shown, url } = yield* served
      const server = yield* Parley.listen(["--nats", url])
      assert.strictEqual(server.address, shown)
      const [single, both, noted] = yield* Parley.runAll(
        ["call", url, ...sum],
        ["call", `${url}?conversation`, "callback", `{"method":"echo","params":[1]}`],
        ["call", url, "update", "[1]", "--notify"]
      )
      assert.deepStrictEqual(single, { code: 0, signal: null, stdout: "19\n", stderr: "" })
      assert.deepStrictEqual(both, { code: 0, signal: null, stdout: "[1]\n", stderr: "" })
      assert.deepStrictEqual(noted, { code: 0, signal: null, stdout: "", stderr: "" })
      yield* server.signal("SIGTERM")
      const { code, stderr, stdout } = yield* server.outcome
      assert.deepStrictEqual({ code, stdout, stderr }, { code: 0, stdout: `listening ${shown}\n`, stderr: "" })
    }))

  it.live("says why a call was not answered, and no secret", () =>
    Effect.gen(function*() {
      const { shown, url } = yield* served
      const outcomes = yield* Parley.runAll(
        ["call", url, ...sum],
        ["call", `${url}?conversation`, ...sum],
        ["call", url.replace("alice", "bob"), ...sum],
        ["call", "nats://alice:sec%2Fret@127.0.0.1:1/specimen", ...sum]
      )
      const says = [
        "NATS at specimen: nobody hears it",
        "NATS at specimen.conversation: nobody hears it",
        "the server refuses the credentials",
        "no server can be reached"
      ]
      for (const [index, { code, stderr }] of outcomes.entries()) {
        assert.strictEqual(code, 2)
        assert.include(stderr, says[index]!)
        assert.include(stderr, index === 3 ? "parley: nats://127.0.0.1:1/specimen could" : `parley: ${shown} could`)
        assert.notInclude(stderr, "ret")
      }
    }))

  it.live("is who the URL says, else the environment", () =>
    Effect.gen(function*() {
      const { shown, url } = yield* served
      const { address } = yield* NatsServer.make("authorization { token: secret }")
      const called = Effect.fnUntraced(function*(endpoint: string, ...variables: ReadonlyArray<string>) {
        const running = yield* Parley.start(["call", endpoint, ...sum], ["env", ...variables, ...Parley.node])
        const { stderr, stdout } = yield* running.outcome
        return stdout + stderr
      })
      yield* Parley.listen(["--nats", url])
      const alice = ["NATS_USER=alice", "NATS_PASSWORD=sec/ret", "NATS_TOKEN=wrong"]
      assert.strictEqual(yield* called(shown, ...alice), "19\n")
      assert.strictEqual(yield* called(url, "NATS_USER=bob", "NATS_CREDS=/no/such/file"), "19\n")
      assert.include(yield* called(shown, "NATS_CREDS=/no/such/file", ...alice), "ENOENT")
      assert.include(yield* called(`nats://${address}/a`, "NATS_TOKEN=secret"), "nobody hears it")
    }))

  it.live("carries MCP by conversations", () =>
    Effect.gen(function*() {
      const { shown, url } = yield* served
      const server = yield* Parley.start(["mcp", "serve", "--nats", url])
      assert.strictEqual(yield* server.line, `listening ${shown}?conversation`)
      const { code, stderr, stdout } = yield* Parley.run(["mcp", "call", url, "echo", "text=hi"])
      assert.deepStrictEqual({ code, stdout, stderr }, { code: 0, stdout: "hi\n", stderr: "" })
    }))

  it.live("joins subjects with other wires, in both directions", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const server = yield* Parley.listen(["--tcp", "127.0.0.1:0"])
      const tap = yield* Parley.start(["tap", server.address, "--listen", url])
      yield* tap.errorLine
      const http = yield* Parley.start(["proxy", url, "--listen", "http://127.0.0.1:0/rpc"])
      const back = yield* Parley.start(["proxy", `${url}?conversation`, "--listen", "tcp://127.0.0.1:0"])
      const [overHttp, overTcp] = [yield* http.line, yield* back.line].map((line) => line.replace("listening ", ""))
      const outcomes = yield* Parley.runAll(
        ["call", url, ...sum],
        ["call", overHttp!, ...sum],
        ["call", overTcp!, "callback", `{"method":"echo","params":[19]}`]
      )
      assert.deepStrictEqual(outcomes.map(({ stderr, stdout }) => stdout + stderr), ["19\n", "19\n", "[19]\n"])
      assert.include(yield* tap.line, `"method":"subtract"`)
    }))
})
