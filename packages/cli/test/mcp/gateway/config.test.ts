import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parley from "../../Parley.ts"
import { configured } from "./configured.ts"

describe("parley mcp gateway", () => {
  it.live("says what is wrong with the file, each with its path", () =>
    Effect.gen(function*() {
      const { file } = yield* configured(`\uFEFF{
        // A comment
        "listne": "127.0.0.1:0",
        "servers": {
          "one": { "command": 7, "args": ["a"] },
          "two": { "url": "ftp://example.org", "headers": { "authorization": "Bearer \${PARLEY_UNSET}" } },
          "three": { "tools": { "deny": "x" } },
          "a b": { "command": "x", "tools": { "deny": "x" } },
          "__proto__": { "command": "x" },
          "four": { "command": "x", "connections": 1 },
          "five": { "command": "x", "timeout": "soon" },
          "six": { "command": "x", "budget": { "calls": 0, "rate": { "limit": 1, "window": "soon" } } },
          "seven": { "url": "https://example.org", "credentials": "mine" },
          "nine": {
            "command": "x",
            "tools": { "denny": ["*"] },
            "budget": { "callPerPrincipal": 1, "rate": { "limit": 1, "window": "1m", "burst": 2 } }
          },
          "eight": { "url": "https://example.org", "credentials": "user" },
        },
      }`)
      const [outcome] = yield* Parley.runAll(["mcp", "gateway", file, "--stdio"])
      assert.strictEqual(outcome?.code, 64)
      for (
        const issue of [
          "listne: there is no such member",
          "servers.one.command: Expected string",
          "servers.two.url: Expected a URL of http or https",
          "servers.two.headers.authorization: the variable PARLEY_UNSET is not set",
          "servers.three: a server has either a command or a url",
          "servers.a b: a name has",
          "servers.a b.tools.deny: Expected array",
          "servers.__proto__: a name has",
          "servers.four.connections: Expected",
          "servers.five.timeout: Expected a time",
          "servers.six.budget.calls: Expected",
          "servers.six.budget.rate.window: Expected a time",
          "servers.seven.credentials: Expected",
          "servers.nine.tools.denny: ",
          "servers.nine.budget.callPerPrincipal: ",
          "servers.nine.budget.rate.burst: ",
          "servers.eight.credentials: \"user\" needs `auth`"
        ]
      ) assert.include(outcome?.stderr ?? "", issue)
      assert.notInclude(outcome?.stderr ?? "", "Bearer")
    }), 60_000)

  it.live("says so of the members of `auth`, too, and reads their variables", () =>
    Effect.gen(function*() {
      const { file } = yield* configured({
        servers: { one: { command: "x" } },
        auth: {
          issuer: "https://login.example.org",
          resource: "https://gateway.example.org/mcp",
          scope: ["tools"],
          client: { id: "gateway", secret: "${PARLEY_UNSET}" }
        }
      })
      const [outcome] = yield* Parley.runAll(["mcp", "gateway", file, "--stdio"])
      assert.strictEqual(outcome?.code, 64)
      for (const issue of ["auth.scope: ", "auth.client.secret: the variable PARLEY_UNSET is not set"]) {
        assert.include(outcome?.stderr ?? "", issue)
      }
    }), 20_000)

  it.live(
    "fails a check of a server that only its users can sign in to, where nothing answers",
    () =>
      Effect.gen(function*() {
        const { file } = yield* configured({
          servers: { mail: { url: "http://127.0.0.1:9/mcp", credentials: "user" } },
          auth: { issuer: "https://login.example.org", resource: "https://gateway.example.org/mcp" }
        })
        const [outcome] = yield* Parley.runAll(["mcp", "gateway", file, "--check"])
        assert.strictEqual(outcome?.code, 2)
        assert.match(outcome?.stdout ?? "", /^mail: not reached: /m)
      }),
    20_000
  )

  it.live("says which servers could take names of each other", () =>
    Effect.gen(function*() {
      const server = { command: "parley-no-such-command" }
      const { file } = yield* configured({ servers: { git: server, git_hub: { ...server, uris: ["repo://"] } } })
      const [outcome] = yield* Parley.runAll(["mcp", "gateway", file, "--stdio"])
      assert.strictEqual(outcome?.code, 64)
      for (const named of ["\"git_\"", "\"git_hub_\"", "`prefix`"]) assert.include(outcome?.stderr ?? "", named)
    }), 20_000)

  it.live("listens where the flags say, before the file", () =>
    Effect.gen(function*() {
      const { file } = yield* configured({
        servers: { gone: { command: "parley-no-such-command" } },
        listen: "127.0.0.1:0"
      })
      const { code, stderr, stdout } = yield* Parley.run([
        "mcp",
        "gateway",
        file,
        "--nats",
        "nats://127.0.0.1:1/gateway"
      ])
      assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
      assert.include(stderr, "no server can be reached")
    }), 20_000)

  it.live(
    "begins without servers that cannot be reached, and takes tokens alone where it is told to",
    () =>
      Effect.gen(function*() {
        const resource = "https://gateway.example.org/mcp"
        const { file } = yield* configured({
          servers: { gone: { command: "parley-no-such-command" } },
          listen: "127.0.0.1:0",
          auth: { issuer: "https://login.example.org", resource, scopes: ["tools"] }
        })
        const running = yield* Parley.start(["mcp", "gateway", file])
        const address = (yield* running.line).replace(/^listening /, "")
        const [refused, metadata] = yield* Effect.promise(async () =>
          [
            await fetch(address, {
              method: "POST",
              headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
              body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
            }),
            await (await fetch(new URL("/.well-known/oauth-protected-resource/mcp", address))).json()
          ] as const
        )
        assert.strictEqual(refused.status, 401)
        assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer .*scope="tools"/)
        assert.deepInclude(metadata, { resource, authorization_servers: ["https://login.example.org"] })
      }),
    60_000
  )
})
