/** TypeScript's own language server, a native program: one side of the protocol that no JavaScript is in. */
import { assert, describe, it } from "@effect/vitest"
import { type Contract, ContractPair } from "@parley/contract"
import { Peer } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { completionItems, hoverText } from "../../src/lsp/Features.ts"
import { LanguageClient } from "../../src/lsp/Lsp.ts"
import * as Wire from "../../src/lsp/Wire.ts"
import * as Editor from "./Editor.ts"
import * as Folder from "./Folder.ts"

const script = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

const Lsp = ContractPair.make({ client: LanguageClient, server: Editor.PullServer, dialect: Dialect.lsp })

const text = `/** What the question was, nobody knows. */
export const answer: string = 42
ans
`

const files = {
  "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, noEmit: true, lib: ["es5"], types: [] } }),
  "answer.ts": text
}

interface Opened {
  readonly editor: Effect.Success<ReturnType<typeof Editor.make>>
  readonly wire: Wire.Wire
  readonly uri: string
}

/** The server with a document open, and an editor that tells its configuration when it is ready to. */
const opened = <A, E>(
  ready: Effect.Effect<void>,
  body: (opened: Opened) => Effect.Effect<A, E, Contract.ClientId<"PullServer"> | Peer.PeerService>
) =>
  Effect.gen(function*() {
    const folder = yield* Folder.make(files)
    const uri = pathToFileURL(join(folder, "answer.ts")).href
    const editor = yield* Editor.make(ready)
    const wire = yield* Wire.make
    const side = Lsp.layerClient(editor.handlers).pipe(
      Layer.provide(wire.layer),
      Layer.provide(Editor.started(script, "--lsp", "--stdio"))
    )
    return yield* Effect.provide(
      Effect.gen(function*() {
        const server = yield* Editor.PullServer.Client
        yield* server.initialize({
          processId: process.pid,
          rootUri: pathToFileURL(folder).href,
          capabilities: {
            workspace: {
              configuration: true,
              didChangeConfiguration: { dynamicRegistration: true },
              didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true }
            },
            textDocument: { diagnostic: {} }
          }
        })
        yield* server.initialized({})
        yield* server["textDocument/didOpen"]({ textDocument: { uri, languageId: "typescript", version: 1, text } })
        return yield* body({ editor, wire, uri })
      }),
      side
    )
  })

const onAnswer = { line: 1, character: 15 }

describe("tsc --lsp", () => {
  it.live("is asked about a document, asks us for our configuration and to watch files, and ends", () =>
    opened(Effect.void, ({ editor, uri }) =>
      Effect.gen(function*() {
        const server = yield* Editor.PullServer.Client
        const textDocument = { uri }
        const hover = yield* server["textDocument/hover"]({ textDocument, position: onAnswer })
        assert.match(
          hover === null ? "" : hoverText(hover),
          /const answer: string[^]*What the question was, nobody knows/
        )
        const { items } = yield* server["textDocument/diagnostic"]({ textDocument })
        assert.deepStrictEqual(items.map(({ code, message }) => [code, message]), [
          [2322, "Type 'number' is not assignable to type 'string'."],
          [2304, "Cannot find name 'ans'."]
        ])
        const completions = yield* server["textDocument/completion"]({
          textDocument,
          position: { line: 2, character: 3 }
        })
        assert.includeMembers(completionItems(completions).map(({ label }) => label), ["answer", "parseInt"])
        const references = { textDocument, position: onAnswer, context: { includeDeclaration: true } }
        const found = yield* Stream.runCollect(server["textDocument/references"](references))
        assert.deepStrictEqual(found.map(({ range }) => range.start), [{ line: 1, character: 13 }])

        const { items: sections } = Object(yield* editor.next("workspace/configuration"))
        assert.deepInclude(sections, { section: "typescript" })
        const { registrations } = Object(yield* editor.next("client/registerCapability"))
        assert.deepInclude(registrations[0], { method: "workspace/didChangeConfiguration" })

        yield* server.shutdown()
        yield* server.exit()
        // It should exit with 0 after a `shutdown`.
        const peer = yield* Peer.Peer
        assert.deepInclude(yield* peer.disconnected, { _tag: "Exited", code: 1, signal: null })
      })))

  it.live("fails calls that it cannot serve with errors of its own", () =>
    opened(Effect.void, ({ uri }) =>
      Effect.gen(function*() {
        const peer = yield* Peer.Peer
        const unknown = yield* Effect.flip(peer.request("no/such", {}))
        // Others answer -32601.
        assert.deepInclude(unknown, { _tag: "RemoteError", code: -32600, text: "InvalidRequest" })
        const server = yield* Editor.PullServer.Client
        const position = { line: 0, character: 1 }
        const refused = yield* Effect.flip(server["textDocument/prepareRename"]({ textDocument: { uri }, position }))
        assert.deepInclude(refused, { _tag: "RemoteError", code: -32803, text: "You cannot rename this element." })
      })))

  it.live("is told that a call was interrupted, answers it all the same, and that answer is for nobody", () =>
    Effect.gen(function*() {
      const ready = yield* Deferred.make<void>()
      yield* opened(Deferred.await(ready), ({ editor, uri, wire }) =>
        Effect.gen(function*() {
          const server = yield* Editor.PullServer.Client
          const onHover = { textDocument: { uri }, position: onAnswer }
          // Until it has its configuration it serves nothing.
          yield* editor.next("workspace/configuration")
          const hovering = yield* Effect.forkChild(server["textDocument/hover"](onHover), { startImmediately: true })
          yield* Effect.yieldNow
          yield* Fiber.interrupt(hovering)
          const { id } = yield* wire.next(({ method }) => method === "textDocument/hover")
          const { params } = yield* wire.next(({ method }) => method === "$/cancelRequest")
          assert.strictEqual(Object(params).id, id)
          yield* Deferred.succeed(ready, undefined)
          const late = yield* wire.next((passed) => passed.method === undefined && passed.id === id)
          // It has heard of the cancellation before it began with the request, and then it forgets it.
          assert.strictEqual(late.direction, "received")
          assert.include(JSON.stringify(late.result), "const answer: string")
          const hover = yield* server["textDocument/hover"](onHover)
          assert.include(hover === null ? "" : hoverText(hover), "const answer: string")
        }))
    }))
})
