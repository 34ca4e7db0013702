/** A language server: messages after a Content-Length header, and requests in both directions. */
import { NodeChildProcess } from "@parley/node"
import { Peer, Router } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { Effect, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { tsserver, typescriptLanguageServer } from "../Programs.ts"
import type { Report } from "./Report.ts"
import { typed } from "./typed.ts"

const Hover = Schema.Struct({ contents: Schema.Struct({ value: Schema.String }) })

const Configuration = Schema.Struct({ items: Schema.Array(Schema.Json) })

/** What a language server asks of its client, beside its configuration: we agree to all of it. */
const handlers: Router.Handlers = {
  "client/registerCapability": () => Effect.void,
  "client/unregisterCapability": () => Effect.void,
  "window/workDoneProgress/create": () => Effect.void,
  "window/logMessage": () => Effect.void,
  "$/typescriptVersion": () => Effect.void
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-demo-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const decode = Schema.decodeUnknownEffect(Configuration)

const text = "/** What the question was, nobody knows. */\nconst answer: number = 42\nconsole.log(answer)\n"

/** From the handshake to a hover. */
export const typescript = (report: Report) =>
  Effect.gen(function*() {
    const root = yield* folder
    const uri = pathToFileURL(join(root, "answer.ts")).href
    const transport = yield* NodeChildProcess.makeTransport({
      ...typescriptLanguageServer,
      framing: Framing.contentLength
    })
    const router = yield* Router.make()
    const asked: Array<string> = []
    yield* router.addAll(handlers)
    yield* router.add("workspace/configuration", ({ method, params }) => {
      asked.push(method)
      return Effect.orDie(Effect.map(decode(params), ({ items }) => items.map(() => null)))
    })
    const peer = yield* Peer.make(transport, { dialect: Dialect.lsp, router })

    const initialized = yield* report.step(
      "initialize",
      Effect.map(
        typed(peer, "initialize", {
          processId: process.pid,
          rootUri: pathToFileURL(root).href,
          capabilities: { workspace: { configuration: true }, window: { workDoneProgress: true } },
          initializationOptions: { tsserver: { path: tsserver } }
        }, Schema.Struct({ capabilities: Schema.Record(Schema.String, Schema.Json) })),
        ({ capabilities }) => `${Object.keys(capabilities).length} capabilities`
      ),
      /^[1-9]\d* capabilities/
    )
    if (!initialized) return

    yield* report.step(
      "open a file",
      Effect.as(
        Effect.andThen(
          peer.notify("initialized", {}),
          peer.notify("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text } })
        ),
        "answer.ts"
      )
    )

    yield* report.step(
      "hover",
      Effect.map(
        typed(
          peer,
          "textDocument/hover",
          { textDocument: { uri }, position: { line: 2, character: 14 } },
          Hover
        ),
        ({ contents }) => contents.value.replaceAll(/```\w*/g, "").trim().split(/\n+/).join(" · ")
      ),
      /^const answer: number/
    )

    yield* report.step(
      "call back",
      Effect.sync(() => `the server asked for ${[...new Set(asked)].join(", ")}`),
      /workspace\/configuration$/
    )

    yield* report.step(
      "shutdown, exit",
      Effect.as(Effect.andThen(peer.request("shutdown"), peer.notify("exit")), "in order")
    )
  }).pipe(Effect.scoped)
