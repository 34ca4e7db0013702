/** The client of the official SDK, version 2, in both eras. */
import {
  Client,
  type FetchLike,
  InMemoryTransport,
  LOG_LEVEL_META_KEY,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode
} from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect, Queue, type Scope } from "effect"
import * as foreign from "./foreign.ts"
import * as places from "./places.ts"

export type { Client }

export const inMemory: places.Reach<Transport> = (server) => places.joined(server, InMemoryTransport.createLinkedPair())

export const stdioOf = (command: places.Command): Effect.Effect<Transport> =>
  Effect.sync(() => new StdioClientTransport(command))

export const stdio: Effect.Effect<Transport> = stdioOf(places.command)

export const http = (url: string, through: FetchLike = fetch) =>
  new StreamableHTTPClientTransport(new URL(url), { fetch: through })

const methods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list"
} as const

/** Connects, and closes with the Scope. */
export const connect = Effect.fnUntraced(function*(
  transport: Transport,
  mode: VersionNegotiationMode
): Effect.fn.Return<foreign.Connected & { readonly client: Client }, unknown, Scope.Scope> {
  const heard = yield* foreign.hearing
  const client = new Client(foreign.client, {
    capabilities: foreign.capabilities,
    versionNegotiation: { mode },
    listChanged: foreign.listChanged(heard)
  })
  client.setRequestHandler("elicitation/create", ({ params }) => foreign.answers.elicit(params))
  client.setRequestHandler("sampling/createMessage", ({ params }) => foreign.answers.sample(params))
  client.setRequestHandler("roots/list", () => foreign.answers.roots)
  client.setNotificationHandler("notifications/message", ({ params }) => {
    Queue.offerUnsafe(heard.logs, params)
  })
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    Queue.offerUnsafe(heard.updates, params.uri)
  })
  yield* Effect.acquireRelease(
    foreign.attempt(() => client.connect(transport)),
    () => Effect.promise(() => client.close())
  )
  const isModern = client.getProtocolEra() === "modern"
  let logging: { readonly _meta?: { readonly [LOG_LEVEL_META_KEY]: "debug" | "warning" } } = {}

  return {
    client,
    era: isModern ? "modern" : "legacy",
    revision: client.getNegotiatedProtocolVersion(),
    identity: client.getServerVersion(),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    heard,
    // Whichever code the revision has for it.
    notFound: -32602,
    page: (what, cursor) =>
      foreign.attempt(async () => {
        const { nextCursor, ...rest } = await client.request({
          method: methods[what],
          params: cursor === undefined ? {} : { cursor }
        })
        // The list of that name is what is left, beside what says nothing of it.
        return { items: (rest as { readonly [what: string]: ReadonlyArray<unknown> })[what] ?? [], nextCursor }
      }),
    all: (what) =>
      foreign.attempt(async () => {
        switch (what) {
          case "tools":
            return (await client.listTools()).tools
          case "resources":
            return (await client.listResources()).resources
          case "resourceTemplates":
            return (await client.listResourceTemplates()).resourceTemplates
          case "prompts":
            return (await client.listPrompts()).prompts
        }
      }),
    callTool: (name, args = {}, { onProgress, signal } = {}) =>
      foreign.attempt(() =>
        client.callTool({ name, arguments: { ...args }, ...logging }, {
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
          ...(signal === undefined ? {} : { signal })
        })
      ),
    readResource: (uri) => foreign.attempt(() => client.readResource({ uri })),
    getPrompt: (name, args) =>
      foreign.attempt(() => client.getPrompt(args === undefined ? { name } : { name, arguments: { ...args } })),
    complete: (params) => foreign.attempt(() => client.complete(params as Parameters<Client["complete"]>[0])),
    setLogLevel: (level) =>
      isModern
        ? Effect.sync(() => {
          logging = { _meta: { [LOG_LEVEL_META_KEY]: level } }
        })
        : foreign.attempt(() => client.setLoggingLevel(level)),
    ping: isModern ? foreign.attempt(() => client.discover()) : foreign.attempt(() => client.ping()),
    subscribe: (uri) =>
      isModern
        ? Effect.map(
          foreign.attempt(() => client.listen({ resourceSubscriptions: [uri] })),
          (subscription) => foreign.attempt(() => subscription.close())
        )
        : foreign.attempt(async () => {
          await client.subscribeResource({ uri })
          return Effect.asVoid(foreign.attempt(() => client.unsubscribeResource({ uri })))
        })
  }
})
