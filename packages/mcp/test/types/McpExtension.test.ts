import { describe, expectTypeOf, it } from "@effect/vitest"
import * as Method from "@parley/contract/Method"
import * as Notification from "@parley/contract/Notification"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import { Context, Effect, type Layer, type Option, Schema, type Scope, type Stream } from "effect"
import type { McpAskedError, McpCallError, McpConnectError } from "../../src/client/McpClientError.ts"
import type { Resumed, Subscribed } from "../../src/client/McpEvent.ts"
import * as McpExtension from "../../src/extension/McpExtension.ts"
import * as McpClient from "../../src/McpClient.ts"
import type { McpContext } from "../../src/McpContext.ts"
import * as McpServer from "../../src/McpServer.ts"
import * as McpTool from "../../src/McpTool.ts"
import { type NoStation, Readings, served, Weather } from "../extension/support/weather.ts"

class Store extends Context.Service<Store, { readonly get: string }>()("test/Store") {}

class Clock extends Context.Service<Clock, { readonly now: number }>()("test/Clock") {}

declare const client: McpClient.McpClient

declare const context: McpContext

const Plain = McpExtension.make("com.example/plain", {
  server: { methods: { get: Method.make({ method: "plain/get" }) } }
})

describe("the types of an extension", () => {
  it("a server requires what the handlers do, what stands around features, and what these do, without a Scope", () => {
    expectTypeOf(served).toEqualTypeOf<McpExtension.ServerExtension<Readings>>()
    const tool = McpTool.make("t", {}, () => Effect.map(Clock, () => "now"))
    const made = () =>
      McpServer.layer({
        name: "s",
        version: "1",
        features: [],
        extensions: [
          served,
          Plain.serve({
            handlers: { get: () => Effect.asVoid(Effect.acquireRelease(Store, () => Effect.void)) },
            features: [tool]
          })
        ]
      })
    expectTypeOf(made).returns.toEqualTypeOf<Layer.Layer<McpServer.McpServer, never, Readings | Store | Clock>>()
  })

  it("handlers are given decoded params, and give results that encode", () => {
    type At = McpExtension.Handlers<typeof Weather.declaration>["at"]
    expectTypeOf<Parameters<At>[0]>().toEqualTypeOf<{ readonly station: string; readonly since?: Date }>()
    expectTypeOf<ReturnType<At>>().toEqualTypeOf<
      Effect.Effect<{ readonly degrees: number; readonly since?: Date }, NoStation | ErrorResponse, unknown>
    >()
    // @ts-expect-error a handler is missing
    const missing = () => Plain.serve({ handlers: {} })
    // @ts-expect-error the handlers are missing
    const none = () => Plain.serve({})
    // @ts-expect-error there is no such method
    const more = () => Plain.serve({ handlers: { get: () => Effect.void, put: () => Effect.void } })
    // @ts-expect-error the settings are missing
    const bare = () => Weather.use()
    // @ts-expect-error there are no such units
    const wrong = () => Weather.use({ settings: { units: "miles" } })
    for (const make of [missing, none, more, bare, wrong]) expectTypeOf(make).toBeFunction()
  })

  it("a client requires what its handlers and its readers of results do", () => {
    const made = () =>
      McpClient.make(Effect.die, {
        name: "c",
        version: "1",
        extensions: [
          Weather.use({
            settings: { units: "celsius" },
            handlers: { season: ({ name }) => Effect.map(Store, ({ get }) => void (get + name)) },
            results: {
              "tools/call": {
                forecast: ({ on, ticket }) => Effect.map(Clock, ({ now }) => ({ ticket, later: now - on.getTime() }))
              }
            }
          })
        ]
      })
    expectTypeOf(made).returns.toEqualTypeOf<
      Effect.Effect<McpClient.IntroducedClient, McpConnectError, Store | Clock | Scope.Scope>
    >()
  })

  it("typed calls know params, results and errors", () => {
    const made = () => Weather.client(client)
    type Made = McpExtension.ExtensionClient<typeof Weather.declaration>
    expectTypeOf(made).returns.toEqualTypeOf<Effect.Effect<Made, McpCallError>>()
    expectTypeOf<Made["settings"]>().toEqualTypeOf<{ readonly stations: ReadonlyArray<string> }>()
    type At = Made["calls"]["at"]
    expectTypeOf<Parameters<At>[0]>().toEqualTypeOf<{ readonly station: string; readonly since?: Date }>()
    expectTypeOf<ReturnType<At>>().toEqualTypeOf<
      Effect.Effect<{ readonly degrees: number; readonly since?: Date }, NoStation | McpCallError>
    >()
    expectTypeOf<ReturnType<Made["calls"]["weather/reset"]>>().toEqualTypeOf<Effect.Effect<void, McpCallError>>()
  })

  it("notifications, topics and results are those of the declaration", () => {
    expectTypeOf(Weather.declaredBy).returns.toEqualTypeOf<
      Option.Option<{ readonly units: "celsius" | "kelvin" }>
    >()
    const listen = () => Weather.listen(client, { weatherStations: ["north"], weatherSeasons: true })
    type Told = McpExtension.Notified<typeof Weather.declaration>
    expectTypeOf(listen).returns.toEqualTypeOf<Stream.Stream<Subscribed | Resumed | Told, McpCallError>>()
    expectTypeOf<Extract<Told, { readonly notification: "season" }>["params"]>().toEqualTypeOf<
      { readonly name: string }
    >()
    // @ts-expect-error a topic with a key is asked for by values of it
    const all = () => Weather.listen(client, { weatherStations: true })
    // @ts-expect-error the station is missing
    const partly = () => Weather.notify(context, "changed", { degrees: 1 })
    // @ts-expect-error there is no such kind of result
    const kind = () => Weather.result("tools/call", "task", {})
    // @ts-expect-error there are no results of prompts
    const prompt = () => Weather.result("prompts/get", "forecast", {})
    for (const wrong of [all, partly, kind, prompt]) expectTypeOf(wrong).toBeFunction()
    type Reader = NonNullable<NonNullable<McpExtension.Readers<typeof Weather.declaration>["tools/call"]>["forecast"]>
    expectTypeOf<ReturnType<Reader>>().toEqualTypeOf<Effect.Effect<Schema.Json, McpAskedError, unknown>>()
  })

  it("what servers hear is sent by the client, and requires what its hearers do", () => {
    const Moves = McpExtension.make("com.example/moves", {
      server: {
        notifications: {
          moved: Notification.make({ params: { on: Schema.DateFromString } }),
          stopped: Notification.make()
        }
      }
    })
    const serve = () =>
      Moves.serve({ hearers: { moved: ({ on }) => Effect.map(Store, ({ get }) => void (get + on.getTime())) } })
    expectTypeOf(serve).returns.toEqualTypeOf<McpExtension.ServerExtension<Store>>()
    type Made = McpExtension.ExtensionClient<typeof Moves.declaration>
    expectTypeOf<Parameters<Made["notify"]["moved"]>>().toEqualTypeOf<[params: { readonly on: Date }]>()
    expectTypeOf<ReturnType<Made["notify"]["stopped"]>>().toEqualTypeOf<Effect.Effect<void, McpCallError>>()
    const stop = ({ notify }: Made) => notify.stopped()
    // @ts-expect-error there is no such notification
    const more = () => Moves.serve({ hearers: { turned: () => Effect.void } })
    // @ts-expect-error the date is missing
    const partly = ({ notify }: Made) => notify.moved({})
    for (const each of [stop, more, partly]) expectTypeOf(each).toBeFunction()
  })
})
