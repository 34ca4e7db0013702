/**
 * A server of two people whose authorization servers call both of them `ada`: in one process, on two nodes, behind a
 * gateway, or behind a gateway on two nodes. Each request of a person reaches another node than the one before.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type * as McpClient from "@parley/mcp/McpClient"
import type { ClientSession, McpContext } from "@parley/mcp/McpContext"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Journal } from "@parley/mesh/Journal"
import type { Mesh } from "@parley/mesh/Mesh"
import * as NodeHttp from "@parley/node/NodeHttp"
import { AccessToken } from "@parley/oauth/AccessToken"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import * as TokenVerifier from "@parley/oauth/TokenVerifier"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Option, Redacted, Schema, type Scope } from "effect"

/** The nodes of a mesh, and every text and key that they have exchanged with its engine. */
export interface Engine {
  readonly node: (name: string) => Effect.Effect<
    { readonly mesh: Mesh; readonly journal: Journal },
    never,
    Scope.Scope
  >
  readonly seen: () => string
}

/** The way of a request to the handler. */
export interface Deployment {
  readonly engine: Effect.Effect<Engine, never, Scope.Scope> | undefined
  readonly isBehind: boolean
}

export class Tenant extends Context.Service<Tenant, { readonly name: string }>()("Tenant") {}

/** A part of all that authenticates: no handler, other node, engine or server behind may see it. */
export const secret = "s3cret"

export const people = ["one", "two"] as const

export type Person = typeof people[number]

const tokenOf = (person: Person): AccessToken => ({
  issuer: `https://${person}.example`,
  subject: "ada",
  clientId: undefined,
  scopes: new Set(["read", person]),
  audience: [resource],
  expiresAt: 4_102_444_800_000,
  keyThumbprint: undefined,
  claims: { groups: [person], more: { deep: null } }
})

const resource = "https://mcp.example/mcp"

/** What a handler finds of a person. */
export const identityOf = (person: Person) => {
  const { claims, expiresAt, issuer, scopes } = tokenOf(person)
  return {
    principal: `${issuer} ada`,
    scopes: [...scopes],
    expiresAt,
    claims,
    tenant: `tenant ${person}`,
    authorization: null
  }
}

/** What a handler finds of a client that nobody has authenticated, and that has started the server. */
export const nobody = {
  principal: null,
  scopes: "all",
  expiresAt: null,
  claims: null,
  tenant: null,
  authorization: null
}

const credentialsOf = (person: Person) => ({
  authorization: `Bearer ${secret}-${person}`,
  cookie: `session=${secret}`,
  "x-api-key": secret
})

const auth = ResourceServer.make({
  resource,
  verifier: {
    issuers: people.map((person) => tokenOf(person).issuer),
    verify: (text) => {
      const person = people.find((person) => Redacted.value(text) === `${secret}-${person}`)
      return person === undefined ? Effect.fail(TokenVerifier.refused("Inactive")) : Effect.succeed(tokenOf(person))
    }
  },
  principal: ({ issuer }) =>
    Effect.succeed(Context.make(Tenant, { name: `tenant ${people.find((person) => issuer.includes(person))}` })),
  services: [Handshake.service(Tenant, Schema.Struct({ name: Schema.String }))]
})

const found = ({ auth, header }: McpContext) =>
  JSON.stringify({
    principal: auth.principal ?? null,
    scopes: auth.scopes === "all" ? "all" : [...auth.scopes],
    expiresAt: auth.expiresAt ?? null,
    claims: Option.getOrNull(Option.map(auth.get(AccessToken), ({ claims }) => claims)),
    tenant: Option.getOrNull(Option.map(auth.get(Tenant), ({ name }) => name)),
    authorization: header("authorization") ?? null
  })

const isOf = (person: Person) => ({ auth }: McpContext) =>
  Option.exists(auth.get(Tenant), ({ name }) => name === `tenant ${person}`)

const notes = new WeakMap<ClientSession, string>()

const features = [
  McpTool.make("who", {}, (_, call) => Effect.sync(() => found(call))),
  McpTool.make(
    "who_later",
    { extensions: [McpTasks.optional()] },
    (_, call) => Effect.sleep("20 millis").pipe(Effect.map(() => found(call)))
  ),
  McpTool.make("ask", {}, (_, call) =>
    Effect.map(
      call.elicit("name", { message: `Who is ${call.principal}?`, fields: { name: Schema.String } }),
      (answer) => answer._tag === "Accepted" ? `${call.principal} is ${answer.content.name}` : answer._tag
    )),
  McpTool.make("remember", { params: { text: Schema.String } }, ({ text }, { session }) =>
    Effect.sync(() => {
      if (session !== undefined) notes.set(session, text)
      return "remembered"
    })),
  McpTool.make("recall", {}, (_, { session }) => Effect.sync(() => (session && notes.get(session)) ?? "nothing")),
  McpResource.make("mail:inbox", { name: "inbox" }, (call) => Effect.sync(() => found(call))),
  ...people.map((person) => ({
    ...McpTool.make(`of_${person}`, {}, () => Effect.succeed(person)),
    visible: isOf(person)
  }))
]

const options = {
  version: "1",
  principals: [AccessToken, Tenant],
  requestState: { keys: [Redacted.make("the key of all nodes of a server in the tests of identity")] },
  cache: { ttlMs: 60_000 }
}

const drain = { limits: { drain: 0 } }

/** A server behind the gateway has sessions, which would be the easiest to mix up. */
const behind = (server: McpServer.McpServer) =>
  McpGateway.make({
    ...options,
    name: "gateway",
    servers: {
      far: {
        prefix: "",
        connect: (options) =>
          Effect.provideService(
            McpMemoryClient.make({ ...options, protocolVersion: "2025-11-25", ...drain }),
            McpServer.McpServer,
            server
          )
      }
    }
  })

const serverOf = Effect.fnUntraced(function*(isBehind: boolean, journal: Journal | undefined) {
  const tasks = McpTasks.make({ pollInterval: "5 millis" })
  const server = yield* Effect.provideServiceEffect(
    McpServer.make({ ...options, name: "server", features }),
    McpTasks.McpTasks,
    journal === undefined ? tasks : Effect.provideService(tasks, Journal, journal)
  )
  return isBehind ? yield* behind(server) : server
})

type Clients = { readonly [person in Person]: McpClient.McpClient }

export class World extends Context.Service<World, {
  readonly clients: Clients
  /** The same for calls that ask: behind a gateway, the second request of such a call of the modern era has one node. */
  readonly asking: Clients
  /** Sends a request of a person to the first node. */
  readonly send: (
    person: Person,
    method: string,
    headers: Record<string, string>,
    body?: Schema.Json
  ) => Effect.Effect<Response>
  readonly seen: () => string
  /** Whether calls may be tasks: a gateway offers none of those behind it. */
  readonly hasTasks: boolean
}>()("World") {}

export const make = Effect.fnUntraced(function*(
  { engine, isBehind }: Deployment,
  revision: Revision
): Effect.fn.Return<World["Service"], never, Scope.Scope> {
  const shared = engine === undefined ? undefined : yield* engine
  const urls = yield* Effect.forEach(shared === undefined ? ["alone"] : ["a", "b"], (name) =>
    Effect.gen(function*() {
      const node = shared === undefined ? undefined : yield* shared.node(name)
      const endpoint = yield* McpHttp.endpoint(yield* serverOf(isBehind, node?.journal), { auth, ...node })
      return (yield* Effect.orDie(NodeHttp.serve(endpoint, { port: 0, host: "127.0.0.1", path: "/mcp" }))).address
    }))
  const [url = ""] = urls
  const { fetch } = yield* Effect.orDie(NodeHttp.makeFetcher())
  let turn = 0
  const fetcher: HttpFetcher.HttpFetcher = {
    fetch: (request) => fetch({ ...request, url: urls[turn++ % urls.length] ?? url })
  }
  const clientOf = (person: Person, by: HttpFetcher.HttpFetcher) =>
    Effect.orDie(McpHttpClient.make(by, {
      name: person,
      version: "1",
      url,
      protocolVersion: revision,
      extensions: [TaskClient.use()],
      headers: credentialsOf(person),
      handlers: { elicit: () => Effect.succeed({ action: "accept", content: { name: person } }) }
    }))
  const clients = { one: yield* clientOf("one", fetcher), two: yield* clientOf("two", fetcher) }
  const isBound = isBehind && revision === "2026-07-28"
  return {
    clients,
    asking: isBound ? { one: yield* clientOf("one", { fetch }), two: yield* clientOf("two", { fetch }) } : clients,
    send: (person, method, headers, body) =>
      Effect.promise(() =>
        globalThis.fetch(url, {
          method,
          headers: { ...credentialsOf(person), "content-type": "application/json", ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      ),
    seen: shared?.seen ?? (() => ""),
    hasTasks: !isBehind
  }
})

/** A client that has started the server, as over stdio. */
export const started = (isBehind: boolean, revision: Revision) =>
  Effect.flatMap(serverOf(isBehind, undefined), (server) =>
    Effect.provideService(
      McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision, ...drain }),
      McpServer.McpServer,
      server
    ))
