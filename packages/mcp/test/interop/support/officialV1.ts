/** The client of the official SDK, version 1. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions
} from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as types from "@modelcontextprotocol/sdk/types.js"
import { Effect, Queue, type Scope } from "effect"
import * as foreign from "./foreign.ts"
import * as places from "./places.ts"

export const inMemory: places.Reach<Transport> = (server) => places.joined(server, InMemoryTransport.createLinkedPair())

export const stdioOf = (command: places.Command): Effect.Effect<Transport> =>
  Effect.sync(() => new StdioClientTransport(command))

export const stdio: Effect.Effect<Transport> = stdioOf(places.command)

export const http = (url: string, options: StreamableHTTPClientTransportOptions = {}) =>
  // Its own types of optional members are looser than those of the interface that it implements.
  new StreamableHTTPClientTransport(new URL(url), options) as StreamableHTTPClientTransport & Transport

/** Connects, and closes with the Scope. */
export const connect = Effect.fnUntraced(function*(
  transport: Transport
): Effect.fn.Return<foreign.Connected & { readonly client: Client }, unknown, Scope.Scope> {
  const heard = yield* foreign.hearing
  const client = new Client(foreign.client, {
    capabilities: foreign.capabilities,
    listChanged: foreign.listChanged(heard)
  })
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => foreign.answers.elicit(params))
  client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => foreign.answers.sample(params))
  client.setRequestHandler(types.ListRootsRequestSchema, () => foreign.answers.roots)
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => {
    Queue.offerUnsafe(heard.logs, params)
  })
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) => {
    Queue.offerUnsafe(heard.updates, params.uri)
  })
  let revision: string | undefined = undefined
  const negotiated = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (version) => {
    revision = version
    negotiated?.(version)
  }
  yield* Effect.acquireRelease(
    foreign.attempt(() => client.connect(transport)),
    () => Effect.promise(() => client.close())
  )

  const page: foreign.Connected["page"] = (what, cursor) =>
    foreign.attempt(async () => {
      const params = cursor === undefined ? {} : { cursor }
      switch (what) {
        case "tools": {
          const { nextCursor, tools } = await client.listTools(params)
          return { items: tools, nextCursor }
        }
        case "resources": {
          const { nextCursor, resources } = await client.listResources(params)
          return { items: resources, nextCursor }
        }
        case "resourceTemplates": {
          const { nextCursor, resourceTemplates } = await client.listResourceTemplates(params)
          return { items: resourceTemplates, nextCursor }
        }
        case "prompts": {
          const { nextCursor, prompts } = await client.listPrompts(params)
          return { items: prompts, nextCursor }
        }
      }
    })

  return {
    client,
    era: "legacy",
    revision,
    identity: client.getServerVersion(),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    heard,
    notFound: -32002,
    page,
    all: Effect.fnUntraced(function*(what) {
      let { items, nextCursor } = yield* page(what)
      while (nextCursor !== undefined) {
        const next: foreign.Page = yield* page(what, nextCursor)
        items = [...items, ...next.items]
        nextCursor = next.nextCursor
      }
      return items
    }),
    callTool: (name, args = {}, { onProgress, signal } = {}) =>
      foreign.attempt(() =>
        client.callTool({ name, arguments: { ...args } }, undefined, {
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
          ...(signal === undefined ? {} : { signal })
        })
      ) as Effect.Effect<foreign.CallResult, unknown>,
    readResource: (uri) => foreign.attempt(() => client.readResource({ uri })),
    getPrompt: (name, args) =>
      foreign.attempt(() => client.getPrompt(args === undefined ? { name } : { name, arguments: args })),
    complete: (params) => foreign.attempt(() => client.complete(params as types.CompleteRequest["params"])),
    setLogLevel: (level) => foreign.attempt(() => client.setLoggingLevel(level)),
    ping: foreign.attempt(() => client.ping()),
    subscribe: (uri) =>
      foreign.attempt(async () => {
        await client.subscribeResource({ uri })
        return Effect.asVoid(foreign.attempt(() => client.unsubscribeResource({ uri })))
      })
  }
})
