/**
 * An MCP server for those who sign in at an authorization server, `ISSUER`: notes that a token lets one read, write, or
 * both. `RESOURCE` is the URL at which clients reach it, where a proxy gives it another. SIGTERM ends it in order.
 */
import { NodeRuntime } from "@effect/platform-node"
import { type McpContext, McpHttp, McpServer, McpTool } from "@parley/mcp"
import { NodeHttp } from "@parley/node"
import { AccessToken, JwtVerifier, ProofVerifier, ResourceServer } from "@parley/oauth"
import { Config, Effect, Layer, Option, Schema } from "effect"

const settings = Config.all({
  port: Config.Int("PORT").pipe(Config.withDefault(4000)),
  issuer: Config.String("ISSUER"),
  resource: Config.option(Config.String("RESOURCE"))
})

const notes = new Map<string, Array<string>>()

/** The notes of the caller: a token names its issuer and its subject, whichever client sends it. */
const own = ({ auth }: McpContext.McpContext) =>
  Effect.map(Effect.fromOption(auth.get(AccessToken.AccessToken)), (token) => {
    const name = AccessToken.nameOf(token)
    const mine = notes.get(name) ?? []
    notes.set(name, mine)
    return mine
  })

const features = [
  McpTool.make(
    "list_notes",
    { description: "Your notes.", scopes: ["files:read"] },
    (_, call) => Effect.map(own(call), (mine) => mine.join("\n"))
  ),
  McpTool.make(
    "add_note",
    { description: "Adds a note.", params: { text: Schema.String }, scopes: ["files:write"] },
    ({ text }, call) => Effect.map(own(call), (mine) => `You have ${mine.push(text)} notes.`)
  )
]

const Route = Layer.effectDiscard(Effect.gen(function*() {
  const { issuer, resource } = yield* settings
  const { address } = yield* NodeHttp.NodeHost
  const auth = ResourceServer.make({
    resource: Option.getOrElse(resource, () => `${address}/mcp`),
    verifier: yield* JwtVerifier.make(yield* NodeHttp.makeFetcher(), { issuer }),
    proofs: yield* ProofVerifier.make(),
    scopes: ["files:read", "files:write"]
  })
  const server = yield* McpServer.make({
    name: "notes",
    version: "1.0.0",
    features,
    principals: [AccessToken.AccessToken]
  })
  const route = yield* NodeHttp.route(yield* McpHttp.endpoint(server, { auth }), { path: "/mcp" })
  yield* Effect.logInfo(`Listening at ${route.address}`)
}))

const Service = Layer.unwrap(Effect.map(settings, ({ port }) => NodeHttp.layerHost({ port, health: "/health" }, Route)))

NodeRuntime.runMain(Layer.launch(Service))
