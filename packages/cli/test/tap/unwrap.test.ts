import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as jsonc from "../../src/internal/files/jsonc.ts"
import * as unwrapping from "../../src/internal/tap/configuration/unwrap.ts"
import * as wrapping from "../../src/internal/tap/configuration/wrap.ts"

type Server = Schema.JsonObject & { readonly args?: ReadonlyArray<string> }

const program = { command: "/bin/node", args: ["/parley/bin.js"] }

const textOf = (server: Schema.JsonObject): string => JSON.stringify({ servers: { a: server } })

/** A server with its tap. */
const tapped = (server: Schema.JsonObject): Server => {
  const { text } = Result.getOrThrow(wrapping.wrap(textOf(server), [], { program, recordingOf: () => "/log/a.jsonl" }))
  // The configuration has this form.
  return (Result.getOrThrow(jsonc.parse(text)) as { readonly servers: { readonly a: Server } }).servers.a
}

/** Why the tap stays, or the text without it. */
const unwrapped = (server: Schema.JsonObject): string => {
  const before = textOf(server)
  const { left, text } = Result.getOrThrow(unwrapping.unwrap(before, []))
  const why = left.get("a")
  if (why !== undefined) assert.strictEqual(text, before)
  return why ?? text
}

const local = { command: "node", args: ["server.js"] }

const remote = { type: "http", url: "https://example.org/mcp", headers: { "X-Team": "s3cret" } }

describe("a tap", () => {
  it.each([local, { command: "node" }, remote, { url: remote.url }, { serverUrl: remote.url, headers: {} }])(
    "is left alone where a word of it is missing or another: %j",
    (server) => {
      assert.strictEqual(unwrapped(tapped(server)), textOf(server))
      const { args = [], ...others } = tapped(server)
      const end = args.indexOf("--")
      for (let at = 0; at <= end; at++) {
        // These two make another tap, or none.
        const isFree = args[at - 1] === "--record" || at === 0
        const missing = unwrapped({ ...others, args: args.toSpliced(at, 1) })
        const added = unwrapped({ ...others, args: args.toSpliced(at, 0, "--secrets") })
        const other = isFree ? "word" : unwrapped({ ...others, args: args.with(at, "x") })
        for (const why of [missing, added, other]) assert.match(why, /word|no tap/)
      }
    }
  )

  it("is left alone where somebody has changed its server", () => {
    const alone = tapped({ command: "node" })
    const far = tapped(remote)
    const bare = tapped({ url: remote.url })
    const { command: _, ...uncommanded } = tapped(local)
    const cases = [
      [uncommanded, "it has no command any more, as --wrap has written one"],
      [
        { ...alone, args: [...alone.args ?? [], "-v"] },
        "its args go on behind word 11, which was the last one of --wrap"
      ],
      [{ ...far, args: [...far.args ?? [], "-v"] }, "its args go on behind word 12, which was the last one of --wrap"],
      [{ ...far, args: far.args?.with(-1, "node") ?? [] }, "word 12 of its args is not its URL"],
      [{ ...far, url: "https://example.org" }, "it has url already, which --wrap has put elsewhere"],
      [{ ...far, headers: {} }, "it has headers already, which --wrap has put elsewhere"],
      [{ ...far, type: "http" }, "its type is not stdio, as --wrap has left it"],
      [{ ...bare, type: "stdio" }, "its type is not absent, as --wrap has left it"],
      [{ ...far, env: [] }, "its env is not there, in which --wrap has put the headers"],
      [
        { ...far, env: { PARLEY_HEADER_X_TEAM: "x", KEY: "x" } },
        "its env is not that of its headers any more, because of KEY"
      ],
      [{ ...far, env: {} }, "its env is not that of its headers any more, because of PARLEY_HEADER_X_TEAM"]
    ] as const
    for (const [server, why] of cases) assert.strictEqual(unwrapped(server), why)
  })

  it("is taken away from a server whose other members have changed", () => {
    const { args = [], ...others } = tapped(local)
    assert.strictEqual(
      unwrapped({ args: [...args, "-v"], ...others, disabled: true }),
      textOf({ args: ["server.js", "-v"], command: "node", disabled: true })
    )
  })
})
