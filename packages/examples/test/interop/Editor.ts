/** An editor in front of a language server: the program it starts, what it serves, and what it was asked. */
import { Contract, Method } from "@parley/contract"
import { NodeChildProcess } from "@parley/node"
import { Framing } from "@parley/protocol"
import { Effect, Queue, Schema } from "effect"
import { compileCacheEnv } from "../../../../tools/compileCache.ts"
import { LanguageClient, LanguageServer } from "../../src/lsp/Lsp.ts"
import * as Structures from "../../src/lsp/Structures.ts"

/** Diagnostics that the editor asks for (3.17, "Pull Diagnostics"). */
export const DocumentDiagnostics = Method.make({
  params: { textDocument: Structures.TextDocumentIdentifier },
  result: Schema.Struct({ kind: Schema.Literal("full"), items: Schema.Array(Structures.Diagnostic) })
})

/** A language server that is asked for its diagnostics. */
export class PullServer extends Contract.merge(
  "PullServer",
  LanguageServer,
  Contract.make("Pull", { "textDocument/diagnostic": DocumentDiagnostics })
) {}

/** A server over its stdio, which ends with the layer. */
export const started = (script: string, ...args: ReadonlyArray<string>) =>
  NodeChildProcess.layerTransport({
    command: process.execPath,
    args: [script, ...args],
    env: compileCacheEnv,
    framing: Framing.contentLength
  })

/** The methods that the server called on its editor, in order. */
export interface Asked {
  readonly method: string
  readonly params: unknown
}

/** An editor that answers what every server may ask, and its configuration when it is ready to. */
export const make = (configured: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const asked = yield* Queue.unbounded<Asked>()
    const ask = (method: string, params: unknown) => Effect.asVoid(Queue.offer(asked, { method, params }))
    const handlers = LanguageClient.of({
      "workspace/configuration": (params, { method }) =>
        Effect.as(Effect.andThen(ask(method, params), configured), params.items.map(() => null)),
      "client/registerCapability": (params, { method }) => ask(method, params),
      "client/unregisterCapability": (params, { method }) => ask(method, params),
      "workspace/applyEdit": () => Effect.succeed({ applied: false }),
      "window/workDoneProgress/create": () => Effect.void,
      "window/showMessageRequest": () => Effect.succeed(null),
      "textDocument/publishDiagnostics": () => Effect.void,
      "window/logMessage": () => Effect.void,
      "window/showMessage": () => Effect.void,
      "telemetry/event": () => Effect.void,
      "$/logTrace": () => Effect.void,
      "$/progress": () => Effect.void
    })
    /** Waits until the server asks for this. */
    const next = (method: string): Effect.Effect<unknown> =>
      Effect.flatMap(Queue.take(asked), (it) => it.method === method ? Effect.succeed(it.params) : next(method))
    return { handlers, ask, next }
  })
