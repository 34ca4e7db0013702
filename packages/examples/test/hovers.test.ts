/** The hovers of a typed client in an editor, asked of the language server of the compiler by our own client for it. */
import { assert, it } from "@effect/vitest"
import { Contract, ContractPair } from "@parley/contract"
import { NodeChildProcess } from "@parley/node"
import { Dialect, Framing } from "@parley/protocol"
import { Effect, Layer } from "effect"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import * as Features from "../src/lsp/Features.ts"
import { LanguageClient, LanguageServer } from "../src/lsp/Lsp.ts"

const path = fileURLToPath(new URL("hovered.ts", import.meta.url))

const text = `import { Contract, Method, Subscription } from "@parley/contract"
import { Schema } from "effect"

class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {}
class Missing extends Schema.TaggedError<Missing>()("Missing", {}) {}
class Denied extends Schema.TaggedError<Denied>()("Denied", {}) {}

class Bank extends Contract.make("Bank", {
  withdraw: Method.make({ result: Schema.Finite, errors: { 1001: Insufficient, 1002: Missing } }),
  moves: Subscription.make({ item: Schema.Finite, errors: { 1002: Missing } })
}, { errors: { 4010: Denied } }) {}

declare const bank: Contract.Client<typeof Bank.members>
const call = bank.withdraw()
const items = bank.moves()
`

const Host = Contract.pick("Host", LanguageClient, ["workspace/configuration", "client/registerCapability"])

const Lsp = ContractPair.make({ client: Host, server: LanguageServer, dialect: Dialect.lsp })

const require = createRequire(import.meta.url)

const client = Lsp.layerClient({
  "workspace/configuration": ({ items }) => Effect.succeed(items.map(() => null)),
  "client/registerCapability": () => Effect.void
}).pipe(Layer.provide(NodeChildProcess.layerTransport({
  command: process.execPath,
  args: [require.resolve("typescript/package.json").replace("package.json", "bin/tsc"), "--lsp", "--stdio"],
  framing: Framing.contentLength
})))

const hovers = Effect.gen(function*() {
  const server = yield* LanguageServer.Client
  const uri = new URL(`file://${path}`).href
  yield* server.initialize({ processId: process.pid, rootUri: new URL(".", uri).href, capabilities: {} })
  yield* server.initialized({})
  yield* server["textDocument/didOpen"]({ textDocument: { uri, languageId: "typescript", version: 1, text } })
  const lines = text.split("\n")
  const shown = yield* Effect.forEach(["const call", "const items"], (start) => {
    const line = lines.findIndex((line) => line.startsWith(start))
    const position = { line, character: start.length - 1 }
    return Effect.map(
      server["textDocument/hover"]({ textDocument: { uri }, position }, { timeout: "1 minute" }),
      (hover) => hover === null ? "" : Features.hoverText(hover)
    )
  })
  yield* server.shutdown()
  yield* server.exit()
  return shown
})

/** The names of the errors in a hover, whose order the compiler chooses. */
const errorsIn = (hover: string | undefined) => /<number, (.*), never>/.exec(hover ?? "")?.[1]?.split(" | ").sort()

it.live("an editor shows the errors of a call by their names", () =>
  Effect.gen(function*() {
    const [call, items] = yield* Effect.provide(hovers, client)
    assert.deepStrictEqual(errorsIn(call), ["Contract.ClientError", "Denied", "Insufficient", "Missing"])
    assert.deepStrictEqual(errorsIn(items), ["Contract.ClientError", "Contract.Lagged", "Denied", "Missing"])
  }), 60_000)
