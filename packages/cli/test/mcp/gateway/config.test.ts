import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parley from "../../Parley.ts"
import { configured } from "./configured.ts"

describe("parley mcp gateway", () => {
  it.live("says what is wrong with the file, each with its path", () =>
    Effect.gen(function*() {
      const { file } = yield* configured(`{
        // A comment
        "listne": "127.0.0.1:0",
        "servers": {
          "one": { "command": 7, "args": ["a"] },
          "two": { "url": "ftp://example.org", "headers": { "authorization": "Bearer \${PARLEY_UNSET}" } },
          "three": { "tools": { "deny": "x" } },
          "a b": { "command": "x", "tools": { "deny": "x" } },
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
          "servers.a b.tools.deny: Expected array"
        ]
      ) assert.include(outcome?.stderr ?? "", issue)
      assert.notInclude(outcome?.stderr ?? "", "Bearer")
    }), 60_000)
})
