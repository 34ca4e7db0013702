/** The command line of the official Inspector before `parley mcp connect` and `parley mcp dev`, and without them. */
import { assert, describe, it } from "@effect/vitest"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, Logger, type Scope } from "effect"
import * as inspector from "../../../../mcp/test/interop/support/inspector.ts"
import * as offered from "../../../../mcp/test/interop/support/offered.ts"
import * as places from "../../../../mcp/test/interop/support/places.ts"
import * as Parley from "../../Parley.ts"

const asked: ReadonlyArray<ReadonlyArray<string>> = [
  ["--method", "tools/list"],
  ["--method", "tools/call", "--tool-name", "add", "--tool-args-json", "{\"a\":1,\"b\":2}"],
  ["--method", "tools/call", "--tool-name", "refuse"],
  ["--method", "resources/list"],
  ["--method", "resources/read", "--uri", "note://ada/x"],
  ["--method", "prompts/list"],
  ["--method", "prompts/get", "--prompt-name", "nobody"]
]

/** What the inspector prints of a server at the end of its words. */
const transcript = (era: Revision.Era, words: ReadonlyArray<string>) =>
  Effect.forEach(asked, (args) => {
    const all = [...args, ...era === "modern" ? ["--protocol-era", "modern"] : []]
    return inspector.inspect(words[0]?.startsWith("--") === true ? [...words, ...all] : [...all, ...words])
  })

const { args, command } = places.command

/** A server of an era by stdio or at a URL, as an endpoint of the command and as words of the inspector. */
const served = (wire: "stdio" | "http", era: Revision.Era) =>
  wire === "stdio"
    ? Effect.succeed({
      endpoint: `stdio:${[command, ...args, era].map((word) => `'${word}'`).join(" ")}`,
      words: [command, ...args, era]
    })
    : Effect.map(
      Effect.flatMap(offered.makeOf(Revision.ofEra(era)), places.hosted),
      (url) => ({ endpoint: url, words: ["--transport", "http", "--server-url", url] })
    )

/** The words of the inspector for a bridge. */
const bridged = (
  verb: string,
  near: "stdio" | "http",
  endpoint: string
): Effect.Effect<ReadonlyArray<string>, never, Scope.Scope> =>
  near === "stdio"
    ? Effect.succeed([process.execPath, Parley.bin, "mcp", verb, endpoint])
    : Effect.map(
      Effect.flatMap(Parley.start(["mcp", verb, "--listen", "http://127.0.0.1:0/mcp", endpoint]), ({ line }) => line),
      (line) => ["--transport", "http", "--server-url", line.replace(/^listening /, "")]
    )

const wires = ["stdio", "http"] as const

const all = (["legacy", "modern"] as const).flatMap((era) =>
  wires.flatMap((near) => [
    ...wires.map((far) => ({ verb: "connect", era, near, far })),
    { verb: "dev", era, near, far: "stdio" as const }
  ])
)

describe("the inspector's command line", () => {
  it.live.each(all)(
    "prints of a server behind a bridge what it prints of the server: %j",
    ({ era, far, near, verb }) =>
      Effect.gen(function*() {
        const { endpoint, words } = yield* served(far, era)
        const direct = yield* transcript(era, words)
        assert.deepStrictEqual(yield* transcript(era, yield* bridged(verb, near, endpoint)), direct)
      }).pipe(Effect.provide(Logger.layer([]))),
    300_000
  )
})
