import { describe, expectTypeOf, it } from "@effect/vitest"
import type { HttpFetcher } from "@parley/http/shared/client"
import type { Transport, TransportError } from "@parley/transport/Transport"
import { Context, Effect, type Layer, Schema, type Scope, type Stream } from "effect"
import type { McpCallError, McpConnectError, McpToolError } from "../../src/client/McpClientError.ts"
import * as McpClient from "../../src/McpClient.ts"
import * as McpHttpClient from "../../src/McpHttpClient.ts"
import * as McpMemoryClient from "../../src/McpMemoryClient.ts"
import * as McpStdioClient from "../../src/McpStdioClient.ts"
import type { ServerCapabilities } from "../../src/payload/Capabilities.ts"
import type { ResourceInfo } from "../../src/payload/Listing.ts"
import type { CallToolResult } from "../../src/payload/Results.ts"

declare const client: McpClient.McpClient

declare const fetcher: HttpFetcher.HttpFetcher

declare const transport: Effect.Effect<Transport, TransportError, Scope.Scope>

class Store extends Context.Service<Store, { readonly get: () => string }>()("test/Store") {}

class Clock extends Context.Service<Clock, { readonly now: number }>()("test/Clock") {}

type Failure = McpToolError

const Args = Schema.Struct({ day: Schema.FiniteFromString })
const Result = Schema.Struct({ degrees: Schema.Finite })

describe("the types of a client", () => {
  it("a call without Schemas takes JSON and gives the result of the tool", () => {
    const call = () => client.callTool("t", { a: [1] })
    expectTypeOf(call).returns.toEqualTypeOf<Effect.Effect<CallToolResult, Failure>>()
  })

  it("a Schema of the result is what a call gives, and one of the arguments what it takes", () => {
    const call = () => client.callTool("t", { day: 1 }, { params: Args, result: Result })
    expectTypeOf(call).returns.toEqualTypeOf<Effect.Effect<{ readonly degrees: number }, Failure>>()
    // @ts-expect-error the Schema wants a number
    const wrong = () => client.callTool("t", { day: "1" }, { params: Args, result: Result })
    expectTypeOf(wrong).toBeFunction()
  })

  it("a client requires what its handlers do, each its own", () => {
    const made = () =>
      McpClient.layer({
        name: "c",
        version: "1",
        handlers: {
          elicit: ({ message }) => Effect.map(Store, () => ({ action: "accept", content: { message } })),
          elicitUrl: () => Effect.succeed({ action: "decline" }),
          roots: Effect.map(Clock, ({ now }) => [{ uri: `file:///${now}` }])
        }
      })
    expectTypeOf(made).returns.toEqualTypeOf<
      Layer.Layer<McpClient.McpClient, McpConnectError, Store | Clock | Transport>
    >()
    const none = () => McpClient.layer({ name: "c", version: "1" })
    expectTypeOf(none).returns.toEqualTypeOf<Layer.Layer<McpClient.McpClient, McpConnectError, Transport>>()
  })

  it("a client of a process requires what starts it, and what its handlers do", () => {
    const handlers = { roots: Effect.map(Clock, ({ now }) => [{ uri: `file:///${now}` }]) }
    const start = Effect.flatMap(Store, () => transport)
    const made = () => McpStdioClient.make({ name: "c", version: "1", start, handlers })
    expectTypeOf(made).returns.toEqualTypeOf<
      Effect.Effect<McpClient.IntroducedClient, McpConnectError, Store | Clock | Scope.Scope>
    >()
    const layer = () => McpStdioClient.layer({ name: "c", version: "1", start })
    expectTypeOf(layer).returns.toEqualTypeOf<Layer.Layer<McpClient.McpClient, McpConnectError, Store>>()
  })

  it("a client knows the capabilities of its server, unless it pins a modern revision or may do so", () => {
    const capabilities = (revision?: "2025-06-18" | "auto") =>
      Effect.map(
        McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision }),
        ({ capabilities }) => capabilities
      )
    type Known = Effect.Success<ReturnType<typeof capabilities>>
    expectTypeOf<Known>().toEqualTypeOf<ServerCapabilities>()
    const plain = () => McpStdioClient.make({ name: "c", version: "1", start: transport })
    expectTypeOf<Effect.Success<ReturnType<typeof plain>>["capabilities"]>().toEqualTypeOf<ServerCapabilities>()
    const pinned = () =>
      McpHttpClient.make(fetcher, { name: "c", version: "1", url: "", protocolVersion: "2026-07-28" })
    expectTypeOf<Effect.Success<ReturnType<typeof pinned>>>().toEqualTypeOf<McpClient.McpClient>()
    const configured = (options: McpClient.ClientOptions) => McpMemoryClient.make(options)
    expectTypeOf<Effect.Success<ReturnType<typeof configured>>>().toEqualTypeOf<McpClient.McpClient>()
  })

  it("streams know their elements and errors", () => {
    const resources = () => client.resources
    expectTypeOf(resources).returns.toEqualTypeOf<Stream.Stream<ResourceInfo, McpCallError>>()
    const stream = () => client.streamTool("t", {})
    expectTypeOf(stream).returns.toEqualTypeOf<Stream.Stream<McpClient.ToolEvent, Failure>>()
  })
})
