import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as framings from "../../src/internal/wire/framings.ts"
import { serverOf } from "../fixtures/sockets.ts"
import * as Parley from "../Parley.ts"

const ok = (stdout: string): Parley.Outcome => ({ code: 0, signal: null, stdout, stderr: "" })

class Address extends Context.Service<Address, string>()("test/Address") {
  static readonly layer = Layer.effect(Address, Effect.map(Parley.listen(["--tcp", "127.0.0.1:0"]), (_) => _.address))
}

layer(Address.layer)("parley call", (it) => {
  it.effect("prints the result on one line of JSON in a pipe", () =>
    Effect.gen(function*() {
      const address = yield* Address
      const outcomes = yield* Parley.runAll(
        ["call", address, "subtract", "[42, 23]"],
        ["call", address, "echo", `{"a": [1, "é"]}`]
      )
      assert.deepStrictEqual(outcomes, [ok("19\n"), ok(`{"a":[1,"é"]}\n`)])
    }))

  it.effect("takes params as people type them, and tells what a refused text may have been", () =>
    Effect.gen(function*() {
      const address = yield* Address
      const outcomes = yield* Parley.runAll(
        ["call", address, "subtract", "42", "23"],
        ["call", address, "subtract", "minuend:=42", "subtrahend:=23"],
        ["call", address, "echo", "name=Ada", "born:=1815"],
        ["call", address, "echo", "hello", "-5", "{\"a\": 1}", "--", "-x"],
        ["call", address, "subtract", "minuend=42", "subtrahend=23"]
      )
      const refused = outcomes.at(-1)
      assert.deepStrictEqual(outcomes.slice(0, -1), [
        ok("19\n"),
        ok("19\n"),
        ok(`{"name":"Ada","born":1815}\n`),
        ok(`["hello",-5,{"a":1},"-x"]\n`)
      ])
      assert.strictEqual(refused?.code, 1)
      assert.include(refused?.stderr, "was answered with error -32602")
      assert.include(refused?.stderr, "\nhint: minuend:=42 sends the value, and not the text\n")
    }))

  it.effect("takes params from stdin where a word says so, and leaves it alone otherwise", () =>
    Effect.gen(function*() {
      const address = yield* Address
      assert.deepStrictEqual(yield* Parley.run(["call", address, "subtract", "-"], "[42,\n23]\n"), ok("19\n"))
      assert.deepStrictEqual(
        yield* Parley.run(["call", address, "echo", "text=@-", "n:=1"], "two\nlines"),
        ok(`{"text":"two\\nlines","n":1}\n`)
      )
      const twice = yield* Parley.run(["call", "http://127.0.0.1:1/", "echo", "-", "--header-file", "x=-"], "1\n")
      assert.deepInclude(twice, { code: 64, stdout: "" })
      assert.include(twice.stderr, "parley: stdin is read twice")
      // This one never ends.
      const call = yield* Parley.start(["call", address, "get_data"])
      yield* call.write("[1]")
      assert.deepStrictEqual(yield* call.outcome, ok("[\"hello\",5]\n"))
    }))

  it.effect("exits 1 for an error of the other side, and tells what was called, and its code, message and data", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Parley.run(["call", yield* Address, "fail"]), {
        code: 1,
        signal: null,
        stdout: "",
        stderr:
          `parley: ${yield* Address}: fail (id 1) was answered with error 1234: Application error\ndata: {"detail":"boom"}\n`
      })
    }))

  it.effect("exits 2 when no answer comes in time, and says so", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Parley.run(["call", yield* Address, "sleep", "[60000]", "--timeout", "1s"]), {
        code: 2,
        signal: null,
        stdout: "",
        stderr:
          `parley: ${yield* Address}: no response to sleep (id 1) within 1000 ms; no text has come from the other side, which is slow or expects another framing: `
          + "the transport frames texts by `line`, and a peer that expects Content-Length headers stays silent\n"
      })
    }))

  it.effect("prints one value of JSON with --json, also for an error", () =>
    Effect.gen(function*() {
      const endpoint = yield* Address
      const nobody = "tcp://127.0.0.1:1"
      const outcomes = yield* Parley.runAll(
        ["call", endpoint, "sum", "[1, 2]", "--json"],
        ["call", endpoint, "fail", "--json"],
        ["call", nobody, "fail", "--json"]
      )
      const refused = `${nobody} could not be opened: connect ECONNREFUSED 127.0.0.1:1; fail was not sent`
      const [code, data] = [1234, { detail: "boom" }]
      assert.deepStrictEqual(outcomes.map(({ code, stdout }) => [code, JSON.parse(stdout)]), [
        [0, { result: 3 }],
        [1, { error: { tag: "RemoteError", endpoint, method: "fail", code, message: "Application error", data } }],
        [2, { error: { tag: "TransportError", endpoint: nobody, method: "fail", message: refused } }]
      ])
    }))

  it.effect("serves echo to the other side while it waits", () =>
    Effect.gen(function*() {
      const params = `{"method": "echo", "params": [1]}`
      assert.deepStrictEqual(yield* Parley.run(["call", yield* Address, "callback", params]), ok("[1]\n"))
    }))

  it.effect("shows every frame on stderr with --trace, as tap does: in a pipe, as JSON", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* Parley.run(["call", yield* Address, "get_data", "--trace"])
      assert.strictEqual(stdout, "[\"hello\",5]\n")
      const [sent, received, ...others] = stderr.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepInclude(sent, {
        direction: "sent",
        kind: "request",
        method: "get_data",
        text: `{"jsonrpc":"2.0","id":1,"method":"get_data"}`
      })
      assert.deepInclude(received, { direction: "received", kind: "result", method: "get_data", id: 1 })
      assert.isNumber(received.milliseconds)
      assert.deepStrictEqual(others, [])
    }))

  it.effect("shows with --show what its filter names, and replaces secrets unless --secrets is given", () =>
    Effect.gen(function*() {
      const params = `[{"password":"hunter2"}]`
      const [redacted, exact, wrong] = yield* Parley.runAll(
        ["call", yield* Address, "echo", params, "--show", "echo,!result"],
        ["call", yield* Address, "echo", params, "--show", "result", "--secrets"],
        ["call", yield* Address, "echo", params, "--show", "results"]
      )
      const entry = JSON.parse(redacted?.stderr ?? "")
      assert.strictEqual(entry.kind, "request")
      assert.strictEqual(
        entry.text,
        `{"jsonrpc":"2.0","id":1,"method":"echo","params":[{"password":"[redacted]"}]}`
      )
      // The text that passed is longer or shorter.
      assert.strictEqual(entry.bytes, entry.text.length + "hunter2".length - "[redacted]".length)
      assert.include(redacted?.stdout, "hunter2")
      assert.include(JSON.parse(exact?.stderr ?? "").text, "hunter2")
      assert.strictEqual(wrong?.code, 64)
      assert.include(wrong?.stderr, `--show: "results" is no kind: did you mean result? (hint: a term is a pattern`)
    }))

  it.effect("ends by Ctrl-C with 130, and cancels the call", () =>
    Effect.gen(function*() {
      const call = yield* Parley.start(["call", yield* Address, "sleep", "[60000]", "--trace"])
      assert.include(yield* call.errorLine, `"direction":"sent"`)
      yield* call.signal("SIGINT")
      const { code, stderr } = yield* call.outcome
      assert.strictEqual(code, 130)
      assert.include(stderr, "$/cancelRequest")
    }))
})

describe("parley call", () => {
  it.live("sends a notification with --notify, and prints nothing", () =>
    Effect.gen(function*() {
      let text = ""
      const ended = Promise.withResolvers<string>()
      const address = yield* serverOf((socket) =>
        socket.on("data", (chunk) => text += chunk).on("end", () => ended.resolve(text))
      )
      assert.deepStrictEqual(yield* Parley.run(["call", address, "update", "[1, 2]", "--notify"]), ok(""))
      assert.strictEqual(
        yield* Effect.promise(() => ended.promise),
        `{"jsonrpc":"2.0","method":"update","params":[1,2]}\n`
      )
    }))

  it.live("starts a command for the call, and leaves no process behind", () =>
    Effect.gen(function*() {
      // Tells its number before it becomes the command.
      const script = "console.error(process.pid); import(process.argv[1])"
      const endpoint = `stdio:"${process.execPath}" -e '${script}' -- "${Parley.bin}" serve --stdio`
      const call = yield* Parley.start(["call", endpoint, "echo", "[\"hi\"]"])
      const pid = Number(yield* call.errorLine)
      assert.isTrue(Parley.runs(pid))
      assert.deepStrictEqual(yield* call.outcome, { ...ok("[\"hi\"]\n"), stderr: `${pid}\n` })
      assert.isFalse(Parley.runs(pid))
    }))

  it.live("speaks Content-Length", () =>
    Effect.gen(function*() {
      const outcome = yield* Parley.run([
        "call",
        `${Parley.serveStdio} --framing content-length`,
        "sum",
        "[1, 2, 3]",
        "--framing",
        "content-length"
      ])
      assert.deepStrictEqual(outcome, ok("6\n"))
    }))

  it.live("exits 2 when the connection is lost, and says how, and what became of the method", () =>
    Effect.gen(function*() {
      const closing = yield* serverOf((socket) => socket.once("data", () => socket.end()))
      const crash = `stdio:"${process.execPath}" -e "process.stdin.once('data', () => process.exit(9))"`
      const quits = `stdio:"${process.execPath}" -e "process.exit(3)"`
      const lost: ReadonlyArray<readonly [endpoint: string, words: string]> = [
        [closing, ": the other side writes no more; echo was sent\n"],
        [crash, ": the process exited with code 9; echo was sent\n"],
        [quits, ": the process exited with code 3"],
        ["tcp://127.0.0.1:1", " could not be opened: connect ECONNREFUSED"],
        ["unix:/no/such/socket", " could not be opened: connect ENOENT /no/such/socket; echo was not sent\n"],
        ["stdio:no-such-command", " could not be opened: spawn no-such-command ENOENT"],
        ["http://127.0.0.1:1/rpc", " could not be opened: connect ECONNREFUSED 127.0.0.1:1; echo was not sent\n"]
      ]
      const outcomes = yield* Parley.runAll(...lost.map(([endpoint]) => ["call", endpoint, "echo"]))
      for (const [at, [endpoint, words]] of lost.entries()) {
        assert.deepInclude(outcomes[at], { code: 2, stdout: "" }, endpoint)
        assert.include(outcomes[at]?.stderr, `parley: ${endpoint}${words}`)
      }
    }))
})

describe("parley", () => {
  const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, hint: string]> = [
    [
      ["call", "ftp://127.0.0.1:1", "echo"],
      "tcp://host:port, tls://host:port, unix:/path, \"stdio:command with arguments\""
    ],
    [["call", "tcp://127.0.0.1", "echo"], "it is not of the form HOST:PORT"],
    [["call", "tcp://127.0.0.1:1", "echo", "[1"], "'[42, 23]'"],
    [["call", "tcp://127.0.0.1:1", "echo", "-x"], "words that are no flags may stand behind --"],
    [["call", "tcp://127.0.0.1:1", "echo", "a=1", "2"], "name all params, or none"],
    [["call", "tcp://127.0.0.1:1", "echo", "a=1", "a=2"], "a is given twice"],
    [["call", "tcp://127.0.0.1:1", "echo", "a:=1,2"], "a is not JSON"],
    [["call", "tcp://127.0.0.1:1", "echo", "@/no/such/file"], "/no/such/file cannot be read: ENOENT"],
    [["call", "tcp://127.0.0.1:1", "echo", "-"], "stdin is not JSON"],
    [["call", "tcp://127.0.0.1:1", "echo", "1", "-"], "\"-\" stands for all of them"],
    [["mcp", "call", "tcp://127.0.0.1:1", "echo", "text=@/no/such/file"], "/no/such/file cannot be read: ENOENT"],
    [["call", "tcp://127.0.0.1:1", "echo", "--timeout", "soon"], "500ms, 5s or 2m"],
    [
      ["call", "tcp://127.0.0.1:1", "echo", "--timeout", "-1s"],
      "Missing value for flag --timeout. Expected: TIME; write --flag=VALUE"
    ],
    [["call", "tcp://127.0.0.1:1", "echo", "--timeout=-1s"], "500ms, 5s or 2m"],
    [["call", "tcp://127.0.0.1:1", "echo", "--framin", "line"], "did you mean --framing?"],
    [["call", "tcp://127.0.0.1:1", "echo", "--framing", "none"], "content-length"],
    [["call", "tcp://127.0.0.1:1"], "METHOD"],
    [["call", "tcp://127.0.0.1:1", "echo", "--tracing"], "--tracing"],
    [["serve"], "--stdio, --tcp HOST:PORT, --unix PATH"],
    [["serve", "--stdio", "--tcp", "127.0.0.1:0"], "--stdio, --tcp HOST:PORT, --unix PATH"],
    [["serve", "--tcp", "4000"], "--tcp 127.0.0.1:4000"],
    [["serve", "--ws", "127.0.0.1:0/a?b"], "--ws 127.0.0.1:4000/rpc"],
    [["serve", "--http", "127.0.0.1:0", "--framing", "concatenated"], "only --stdio, --tcp and --unix have a framing"],
    [["serve", "--nats", "nats://127.0.0.1:1/a", "--framing", "concatenated"], "only --stdio, --tcp and --unix have"],
    [["serve", "--nats", "127.0.0.1:1/a"], "--nats nats://127.0.0.1:4222/bank"],
    [["call", "ws://127.0.0.1:1", "echo", "--framing", "content-length"], "only streams have a framing"],
    [["call", "nats://127.0.0.1:1/a?conversation", "echo", "--framing", "concatenated"], "only streams have a framing"],
    [["call", "tcp://127.0.0.1:1", "echo", "--header", "A: b"], "only ws, wss, http and https have headers"],
    [["call", "http://127.0.0.1:1", "echo", "--header", "A b"], "--header 'Authorization: Bearer …'"],
    [["call", "https://127.0.0.1:1", "echo", "--ca", "/no/such/file"], "--ca needs a PEM file"],
    [["proxy", "tcp://127.0.0.1:1"], "--listen"],
    [["proxy", "--listen", "https://127.0.0.1:0", "tcp://127.0.0.1:1"], "--listen tcp://127.0.0.1:0, unix:"],
    [
      ["proxy", "--listen", "nats://x:1/a", "--framing", "concatenated", "tcp://127.0.0.1:1"],
      "only streams have a framing"
    ],
    [["proxy", "--listen", "tcp://127.0.0.1:0", "nowhere"], "is not an endpoint: it does not begin with tcp://"],
    [["call", "localhost:4701", "echo"], "did you mean tcp://localhost:4701 or http://localhost:4701?"],
    [["call", "4701", "echo"], "did you mean tcp://localhost:4701 or http://localhost:4701?"],
    [["mcp", "inspect", "localhost:4701/mcp"], "did you mean http://localhost:4701/mcp?"],
    [["mcp", "inspect", "example.org/mcp"], "did you mean https://example.org/mcp?"],
    [["mcp", "inspect", "node server.js"], "did you mean \"stdio:node server.js\"?"],
    [["mcp", "inspect", "./server.ts"], "did you mean \"stdio:node ./server.ts\"?"],
    [["mcp", "inspect", "server.py"], "did you mean \"stdio:python server.py\"?"],
    [["call", "/run/app.sock", "echo"], "did you mean unix:/run/app.sock?"],
    [["bogus", "--help"], "Unknown subcommand"],
    [["tap", "tcp://127.0.0.1:1", "--record", "/no/such/folder/file"], "--record needs a file"],
    [["server"], "serve"]
  ]

  const outcomes = Effect.runSync(Effect.cached(Parley.runAll(...wrong.map(([args]) => args))))

  for (const [at, [args, hint]] of wrong.entries()) {
    it.live(`exits 64 with one line and a hint: parley ${args.join(" ")}`, () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = (yield* outcomes)[at] ?? ok("nothing")
        assert.deepStrictEqual({ code, stdout }, { code: 64, stdout: "" })
        assert.match(stderr, /^parley: /)
        assert.include(stderr, "hint: ")
        assert.strictEqual(stderr.trimEnd().split("\n").length, 1)
        assert.include(stderr, hint)
      }))
  }

  it.live("prints its help and its version on stdout, and exits 0", () =>
    Effect.gen(function*() {
      const framed = [["help", "call"], ["serve", "-h"], ["proxy", "--help"], ["tap", "--help"]]
      const [version, ...helps] = yield* Parley.runAll(["--version"], ["help"], [], ...framed)
      assert.deepStrictEqual(version, ok(version?.stdout ?? ""))
      assert.match(version?.stdout ?? "", /^parley v\d+\.\d+\.\d+/)
      assert.strictEqual(helps.length, 6)
      for (const help of helps) {
        assert.deepStrictEqual(help, ok(help.stdout))
        assert.include(help.stdout, "USAGE")
        const text = help.stdout.slice(0, help.stdout.indexOf("EXAMPLES"))
        for (const line of text.split("\n")) assert.isAtMost(line.length, 100)
      }
      // The defaults of --framing.
      const defaults = (["lsp", "ethereum", "jsonRpc"] as const).map((name) => framings.ofDialect(name))
      assert.deepStrictEqual(defaults, ["content-length", "concatenated", "line"])
      const said = "(default: content-length for the dialect lsp, concatenated for ethereum, line for the others)"
      for (const { stdout } of helps.slice(2)) {
        assert.include(stdout.replace(/\s+/g, " "), said)
        assert.include(stdout.replace(/\s+/g, " "), "(default: jsonRpc) (choices: jsonRpc, jsonRpc1, lenient, lsp,")
      }
    }))
})
