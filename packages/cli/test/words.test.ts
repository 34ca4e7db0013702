import { assert, describe, it } from "@effect/vitest"
import { Duration, Option, Result } from "effect"
import * as duration from "../src/internal/arguments/duration.ts"
import { split } from "../src/internal/arguments/words.ts"
import * as Endpoint from "../src/internal/Endpoint.ts"
import * as json from "../src/internal/terminal/json.ts"
import { printable } from "../src/internal/terminal/output.ts"
import * as Place from "../src/internal/wire/Place.ts"

const parsed = (text: string) => Result.getOrElse(Endpoint.fromText(text), (why) => why)

describe("Endpoint", () => {
  it("is a TCP address, a Unix socket or a command", () => {
    assert.deepStrictEqual(parsed("tcp://localhost:4000"), { _tag: "Tcp", host: "localhost", port: 4000 })
    assert.deepStrictEqual(parsed("tcp://[::1]:80/"), { _tag: "Tcp", host: "::1", port: 80 })
    assert.deepStrictEqual(parsed("unix:/tmp/a b"), { _tag: "Unix", path: "/tmp/a b" })
    assert.deepStrictEqual(parsed("tls://localhost:4000"), { _tag: "Tls", host: "localhost", port: 4000 })
    assert.deepStrictEqual(parsed("unix:///tmp/s"), { _tag: "Unix", path: "/tmp/s" })
    assert.deepStrictEqual(parsed("wss://x/rpc?a"), { _tag: "WebSocket", url: "wss://x/rpc?a" })
    assert.deepStrictEqual(parsed("http://x:1"), { _tag: "Http", url: "http://x:1" })
    assert.deepStrictEqual(parsed("nats://x:1/a.b"), { _tag: "Nats", url: "nats://x:1/a.b", subject: "a.b" })
    assert.deepStrictEqual(parsed("nats://u:p@x/a?conversation"), {
      _tag: "NatsConversation",
      url: "nats://u:p@x/a?conversation",
      subject: "a"
    })
    assert.deepStrictEqual(parsed("stdio:node -e 'a b' \"c\\\"d\""), {
      _tag: "Command",
      command: "node",
      args: ["-e", "a b", "c\"d"]
    })
  })

  it.each([
    "",
    "http://x:port",
    "http:",
    "ws://x#fragment",
    "tls://x",
    "tcp://x",
    "tcp://:1",
    "tcp://x:65536",
    "tcp://x:1/path",
    "unix:",
    "stdio:",
    "stdio: ",
    "stdio:a 'b",
    "nats:",
    "nats://x:1",
    "nats://x:1/",
    "nats:///a",
    "nats://u:100%@x:1/a",
    "nats://x:1/a/b",
    "nats://x:1/a.*",
    "nats://x:1/a.>",
    "nats://x:1/a..b",
    "nats://x:1/a?b",
    "nats://x:1/a#b"
  ])(
    "says why %j is none",
    (text) => {
      assert.isTrue(Result.isFailure(Endpoint.fromText(text)))
    }
  )
})

it("an endpoint is shown without what may be secret", () => {
  const shown = (text: string) => Endpoint.withoutSecrets(text)
  assert.strictEqual(shown("https://user:word@example.org:8443/rpc/a@b?key=1"), "https://example.org:8443/rpc/a@b")
  assert.strictEqual(shown("ws://u@127.0.0.1:1/"), "ws://127.0.0.1:1")
  assert.strictEqual(shown("http://user:p@ss@x:port?key"), "http://x:port")
  assert.strictEqual(shown("nats://user:word@x:1/a?conversation"), "nats://x:1/a")
  assert.strictEqual(shown("http://x:port?key\n?more"), "http://x:port")
  assert.strictEqual(shown("http:user:word@127.0.0.1:1/x?key"), "http://127.0.0.1:1/x")
  assert.strictEqual(shown("WS:user:word@x?key"), "ws://x")
  assert.strictEqual(shown("https:user:p@ss@x:port?key"), "https:x:port")
  assert.strictEqual(shown("nats:user:word@x:1/a?key"), "nats:x:1/a")
  for (const text of ["tcp://127.0.0.1:4000", "unix:/tmp/a?b", "unix:///a@b", "stdio:node a?b"]) {
    assert.strictEqual(shown(text), text)
  }
})

describe("Place", () => {
  const place = (text: string) => Result.getOrElse(Place.fromText(text), (why) => why)

  it("is stdio, a TCP address, a Unix socket, a host, port and path for WebSockets or HTTP, or a subject of NATS", () => {
    assert.deepStrictEqual(place("stdio:"), { _tag: "Stdio" })
    assert.deepStrictEqual(place("tcp://[::1]:0"), { _tag: "Tcp", host: "::1", port: 0 })
    assert.deepStrictEqual(place("unix:/tmp/s"), { _tag: "Unix", path: "/tmp/s" })
    assert.deepStrictEqual(place("ws://localhost:0"), { _tag: "WebSocket", host: "localhost", port: 0, path: "/" })
    assert.deepStrictEqual(place("nats://x:1/a"), { _tag: "Nats", url: "nats://x:1/a", subject: "a" })
    assert.deepStrictEqual(place("http://[::1]:80/a/b"), { _tag: "Http", host: "::1", port: 80, path: "/a/b" })
  })

  it.each([
    "",
    "stdio:node",
    "tls://x:1",
    "wss://x:1",
    "https://x:1",
    "http://x",
    "http://x:1/a?b",
    "ws://x:1/#",
    "nats://x:1/a?conversation",
    "unix:"
  ])(
    "says why %j is none",
    (text) => assert.isTrue(Result.isFailure(Place.fromText(text)))
  )
})

it("a command line is split as a shell would", () => {
  const words = (text: string) => Result.getOrElse(split(text), (why) => why)
  assert.deepStrictEqual(words(`  a  'b c'"d e"f \\  '' "\\n\\\\" "it's"`), ["a", "b cd ef", " ", "", "\\n\\", "it's"])
  assert.deepStrictEqual(words(""), [])
  assert.include(words("a \"b"), "begins a quote")
})

it("a time has a unit, or is none", () => {
  const millis = (text: string) => Option.getOrUndefined(Option.map(duration.fromText(text), Duration.toMillis))
  assert.deepStrictEqual(["500ms", "5s", "1.5m", "2h", "3", "none"].map(millis), [500, 5e3, 9e4, 72e5, 3e3, Infinity])
  assert.deepStrictEqual(
    ["", "0s", "-1s", "5 s", "s", "1d", "1e3"].map(millis),
    Array.from({ length: 7 }, () => undefined)
  )
})

it("JSON is compact in a pipe, indented on a terminal, and coloured there", () => {
  const value = { "a:b": ["true", -1.5e9, true, null, "\u009b31m"] }
  assert.strictEqual(json.render(value, { pretty: false, coloured: false }), JSON.stringify(value))
  const pretty = json.render(value, { pretty: true, coloured: false })
  assert.deepStrictEqual(JSON.parse(pretty), value)
  assert.include(pretty, "\n  \"a:b\": [\n")
  assert.include(pretty, "\\u009b31m")
  const coloured = json.render(value, { pretty: true, coloured: true })
  assert.strictEqual(coloured.replace(/\p{Cc}\[\d+m/gu, ""), pretty)
  assert.include(coloured, "\u001b[34m\"a:b\"\u001b[39m:")
  assert.include(coloured, "\u001b[32m\"true\"\u001b[39m")
  assert.include(coloured, "\u001b[35mtrue\u001b[39m")
  assert.include(coloured, "\u001b[33m-1500000000\u001b[39m")
})

it("what others say cannot drive the terminal", () => {
  assert.strictEqual(printable("\u001b[2Ja\nb\tc\u007f"), "\\u001b[2Ja\nb\tc\\u007f")
})
