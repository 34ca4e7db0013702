/** The JSON language server of VS Code: a foreign server over stdio, which asks its editor for schemas. */
import { assert, describe, it } from "@effect/vitest"
import { Contract, ContractPair, Method } from "@parley/contract"
import { Peer } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { createRequire } from "node:module"
import { completionItems, hoverText } from "../../src/lsp/Features.ts"
import { LanguageClient } from "../../src/lsp/Lsp.ts"
import * as Wire from "../../src/lsp/Wire.ts"
import * as Editor from "./Editor.ts"

const script = createRequire(import.meta.url).resolve("vscode-langservers-extracted/bin/vscode-json-language-server")

/** The methods that this server calls, besides those that all servers may call. */
class JsonClient extends Contract.merge(
  "JsonClient",
  LanguageClient,
  Contract.make("Schemas", {
    "vscode/content": Method.make({ params: [Schema.String], result: Schema.String }),
    "workspace/diagnostic/refresh": Method.make()
  })
) {}

const Json = ContractPair.make({ client: JsonClient, server: Editor.PullServer, dialect: Dialect.lsp })

const schema = JSON.stringify({
  type: "object",
  properties: { name: { type: "string", description: "Who it is" }, born: { type: "number" }, died: { type: "number" } }
})

const uri = "file:///nowhere/person.json"
const textDocument = { uri }
const onName = { textDocument, position: { line: 0, character: 4 } }

/** The server with a document open, and an editor that gives the schema when it is ready to. */
const opened = <A, E>(
  text: string,
  ready: Effect.Effect<void>,
  body: (editor: Effect.Success<ReturnType<typeof Editor.make>>, wire: Wire.Wire) => Effect.Effect<
    A,
    E,
    Contract.ClientId<"PullServer"> | Peer.PeerService
  >
) =>
  Effect.gen(function*() {
    const editor = yield* Editor.make()
    const wire = yield* Wire.make
    const side = Json.layerClient({
      ...editor.handlers,
      "vscode/content": ([url], { method }) => Effect.as(Effect.andThen(editor.ask(method, url), ready), schema),
      "workspace/diagnostic/refresh": (_, { method }) => editor.ask(method, null)
    }).pipe(Layer.provide(wire.layer), Layer.provide(Editor.started(script, "--stdio")))
    return yield* Effect.provide(
      Effect.gen(function*() {
        const server = yield* Editor.PullServer.Client
        yield* server.initialize({
          processId: process.pid,
          rootUri: null,
          capabilities: {
            textDocument: { diagnostic: { dynamicRegistration: true }, rangeFormatting: { dynamicRegistration: true } }
          }
        })
        yield* server.initialized({})
        const schemas = [{ url: "parley://person", fileMatch: ["person.json"] }]
        const enabled = { enable: true }
        yield* server["workspace/didChangeConfiguration"]({
          settings: { json: { format: enabled, validate: enabled, schemas } }
        })
        yield* server["textDocument/didOpen"]({ textDocument: { uri, languageId: "json", version: 1, text } })
        return yield* body(editor, wire)
      }),
      side
    )
  })

describe("vscode-json-language-server", () => {
  it.live("is asked about a document, asks us for its schema, registers, and exits in order", () =>
    opened(`{ "name": "Ada", "born": "", }`, Effect.void, (editor) =>
      Effect.gen(function*() {
        const server = yield* Editor.PullServer.Client
        const { items } = yield* server["textDocument/diagnostic"]({ textDocument })
        assert.deepStrictEqual(items.map(({ message, severity }) => [severity, message]).toSorted(), [
          [1, "Trailing comma"],
          [2, `Incorrect type. Expected "number".`]
        ])
        assert.strictEqual(yield* editor.next("vscode/content"), "parley://person")

        const hover = yield* server["textDocument/hover"](onName)
        assert.strictEqual(hover === null ? null : hoverText(hover), "Who it is")
        const completions = yield* server["textDocument/completion"]({
          textDocument,
          position: { line: 0, character: 28 }
        })
        assert.includeMembers(completionItems(completions).map(({ label }) => label), ["died"])

        const peer = yield* Peer.Peer
        const unknown = yield* Effect.flip(peer.request("no/such", {}))
        assert.deepInclude(unknown, { _tag: "RemoteError", code: -32601, text: "Unhandled method no/such" })

        yield* server.shutdown()
        yield* server.exit()
        assert.deepStrictEqual(yield* peer.disconnected, { _tag: "Exited", code: 0, signal: null, stderr: "" })
      })))

  it.live("registers its formatter with us when its configuration says so, and has us ask for diagnostics again", () =>
    opened("{}", Effect.void, (editor) =>
      Effect.gen(function*() {
        assert.isNull(yield* editor.next("workspace/diagnostic/refresh"))
        const { registrations } = Object(yield* editor.next("client/registerCapability"))
        assert.deepInclude(registrations[0], { method: "textDocument/rangeFormatting" })
      })))

  it.live("is told that a call was interrupted, answers that it was cancelled, and that answer harms nobody", () =>
    Effect.gen(function*() {
      const ready = yield* Deferred.make<void>()
      yield* opened(`{ "name": "Ada" }`, Deferred.await(ready), (editor, wire) =>
        Effect.gen(function*() {
          const server = yield* Editor.PullServer.Client
          const hovering = yield* Effect.forkChild(server["textDocument/hover"](onName), { startImmediately: true })
          // It waits for the schema, and so does the hover.
          yield* editor.next("vscode/content")
          yield* Fiber.interrupt(hovering)
          const { id } = yield* wire.next(({ method }) => method === "textDocument/hover")
          const { params } = yield* wire.next(({ method }) => method === "$/cancelRequest")
          assert.strictEqual(Object(params).id, id)
          yield* Deferred.succeed(ready, undefined)
          const late = yield* wire.next((passed) => passed.direction === "received" && passed.id === id)
          assert.deepStrictEqual(late.error, { code: -32800, message: "Request cancelled" })
          const hover = yield* server["textDocument/hover"](onName)
          assert.strictEqual(hover === null ? null : hoverText(hover), "Who it is")
        }))
    }))
})
