/** The wide table: foreign clients, servers of each era, and the real commands between them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as everything from "../../../mcp/test/support/everything.ts"
import * as Parley from "../Parley.ts"
import { clients, inspect } from "./transcript.ts"

const servers: Readonly<Record<string, Effect.Effect<string, unknown, Scope.Scope>>> = {
  "the server of everything": everything.serve("streamableHttp", "/mcp"),
  "parley mcp serve": Effect.gen(function*() {
    const running = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
    return (yield* running.line).replace(/^listening /, "")
  })
}

/** The address of a command that stands before the URL. */
const before = (command: string, url: string) =>
  Effect.gen(function*() {
    const listen = ["--listen", "http://127.0.0.1:0/mcp"]
    const running = yield* Parley.start([command, ...listen, url])
    const line = yield* command === "tap" ? running.errorLine : running.line
    return line.replace(/^listening /, "")
  })

const inspections: ReadonlyArray<ReadonlyArray<string>> = [
  ["--method", "tools/list"],
  ["--method", "resources/list"],
  ["--method", "prompts/list"],
  ["--method", "tools/call", "--tool-name", "echo", "--tool-args-json", `{"text":"hi","message":"hi"}`],
  ["--method", "tools/call", "--tool-name", "nothing"]
]

for (const [server, serve] of Object.entries(servers)) {
  for (const command of ["tap", "proxy"]) {
    describe(`parley ${command} before ${server}`, () => {
      for (const [client, transcript] of Object.entries(clients)) {
        // The server of everything is of the legacy era alone.
        if (server === "the server of everything" && client.includes("modern")) continue
        it.live(`leaves ${client}, the same transcript`, () =>
          Effect.gen(function*() {
            const url = yield* serve
            const front = yield* before(command, url)
            assert.deepStrictEqual(yield* Effect.scoped(transcript(front)), yield* Effect.scoped(transcript(url)))
          }), 120_000)
      }

      it.live("leaves the inspector's command line the same words", () =>
        Effect.gen(function*() {
          const url = yield* serve
          const front = yield* before(command, url)
          for (const words of inspections) {
            assert.strictEqual(yield* inspect(front, ...words), yield* inspect(url, ...words), words.join(" "))
          }
        }), 120_000)
    })
  }
}
