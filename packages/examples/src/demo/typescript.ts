/** A language server: messages after a Content-Length header, and requests in both directions. */
import { Contract, ContractPair } from "@parley/contract"
import { NodeChildProcess } from "@parley/node"
import { Dialect } from "@parley/protocol"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Features from "../lsp/Features.ts"
import { LanguageClient, LanguageServer } from "../lsp/Lsp.ts"
import { tsserver, typescriptLanguageServer } from "../Programs.ts"
import type { Report } from "./Report.ts"

/** The methods of the client that this server calls. */
const Host = Contract.pick("Host", LanguageClient, [
  "workspace/configuration",
  "client/registerCapability",
  "client/unregisterCapability",
  "window/workDoneProgress/create",
  "window/logMessage"
])

const Lsp = ContractPair.make({ client: Host, server: LanguageServer, dialect: Dialect.lsp })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-demo-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const text = "/** The answer. */\nconst answer: number = 42\nconsole.log(answer)\n"

const story = (report: Report, asked: ReadonlySet<string>) =>
  Effect.gen(function*() {
    const root = yield* folder
    const uri = pathToFileURL(join(root, "answer.ts")).href
    const textDocument = { uri }
    const server = yield* LanguageServer.Client

    const initialized = yield* report.step(
      "start, initialize",
      Effect.map(
        server.initialize({
          processId: process.pid,
          rootUri: pathToFileURL(root).href,
          capabilities: { workspace: { configuration: true }, window: { workDoneProgress: true } },
          initializationOptions: { tsserver: { path: tsserver } }
        }),
        ({ capabilities }) => `the server has ${Object.keys(capabilities).length} capabilities`
      ),
      /has [1-9]\d* capabilities/
    )
    if (!initialized) return

    yield* report.step(
      "open a file",
      Effect.as(
        Effect.andThen(
          server.initialized({}),
          server["textDocument/didOpen"]({ textDocument: { uri, languageId: "typescript", version: 1, text } })
        ),
        "answer.ts sent with textDocument/didOpen"
      )
    )

    yield* report.step(
      "hover",
      Effect.map(
        // The first hover waits until the server has loaded the types of the language.
        server["textDocument/hover"]({ textDocument, position: { line: 2, character: 14 } }, { timeout: "1 minute" }),
        (hover) =>
          hover === null
            ? "nothing"
            : Features.hoverText(hover).replaceAll(/```\w*/g, "").trim().split(/\n+/).join(" · ")
      ),
      /^const answer: number/
    )

    yield* report.step(
      "call from the server",
      Effect.sync(() => `the server called ${[...asked].join(", ")} here`),
      /workspace\/configuration here$/
    )

    yield* report.step(
      "shutdown, exit",
      Effect.as(Effect.andThen(server.shutdown(), server.exit()), "the server ended in order")
    )
  })

/** The handshake, a hover, and the end. */
export const typescript = (report: Report) => {
  const asked = new Set<string>()
  const host = Lsp.layerClient({
    "workspace/configuration": ({ items }, { method }) => Effect.sync(() => (asked.add(method), items.map(() => null))),
    "client/registerCapability": () => Effect.void,
    "client/unregisterCapability": () => Effect.void,
    "window/workDoneProgress/create": () => Effect.void,
    "window/logMessage": () => Effect.void
  })
  const server = NodeChildProcess.layerTransport(typescriptLanguageServer)
  return Effect.scoped(Effect.provide(story(report, asked), host.pipe(Layer.provide(server))))
}
