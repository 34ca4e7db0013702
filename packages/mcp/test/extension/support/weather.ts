/** An extension with everything that one may have, and a server that serves it. */
import * as Method from "@parley/contract/Method"
import * as Notification from "@parley/contract/Notification"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type * as Revision from "@parley/mcp/wire/Revision"
import { Context, Effect, Option, Schema } from "effect"

export const name = "com.example/weather"

export class NoStation extends Schema.TaggedError<NoStation>()("NoStation", { station: Schema.String }) {}

export class Readings extends Context.Service<Readings, { readonly [station: string]: number }>()("test/Readings") {}

export const Weather = McpExtension.make(name, {
  server: {
    settings: { stations: Schema.Array(Schema.String) },
    methods: {
      at: Method.make({
        method: "weather/at",
        params: { station: Schema.String, since: Schema.optionalKey(Schema.DateFromString) },
        result: Schema.Struct({ degrees: Schema.Finite, since: Schema.optionalKey(Schema.DateFromString) }),
        errors: { 1001: NoStation }
      }),
      "weather/reset": Method.make()
    },
    named: { at: "station" }
  },
  client: {
    settings: { units: Schema.Literals(["celsius", "kelvin"]) },
    notifications: {
      changed: Notification.make({
        method: "notifications/weather/changed",
        params: { station: Schema.String, degrees: Schema.Finite }
      }),
      season: Notification.make({ method: "notifications/weather/season", params: { name: Schema.String } })
    },
    topics: { weatherStations: { notification: "changed", key: "station" }, weatherSeasons: { notification: "season" } }
  },
  results: { "tools/call": { forecast: Schema.Struct({ ticket: Schema.String, on: Schema.DateFromString }) } }
})

const plus = { celsius: 0, kelvin: 273 }

export const served = Weather.serve({
  settings: { stations: ["north", "south"] },
  cache: { at: { ttlMs: 1_000, cacheScope: "public" } },
  handlers: {
    at: ({ since, station }, call) =>
      Effect.gen(function*() {
        const degrees = (yield* Readings)[station]
        if (degrees === undefined) return yield* new NoStation({ station })
        const { units } = Option.getOrThrow(Weather.declaredBy(call.client))
        if (since === undefined) yield* Weather.notify(call, "changed", { station, degrees })
        return { degrees: degrees + plus[units], ...(since !== undefined && { since }) }
      }),
    "weather/reset": (_, call) => Weather.publish(call.server, "season", { name: "none" })
  },
  around: {
    "tools/call": (call, run, declared) =>
      call.meta["later"] === true && Option.isSome(declared)
        ? Effect.succeed(Weather.result("tools/call", "forecast", { ticket: "t1", on: new Date(0) }))
        : run()
  },
  permitted: (_, values) => Effect.succeed(values.filter((station) => station !== "secret"))
})

export const echo = McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text))

export const server = Effect.provideService(
  McpServer.make({ name: "s", version: "1", features: [echo], extensions: [served] }),
  Readings,
  { north: -3, south: 21 }
)

/** As a client declares it. */
export const declared = { extensions: { [name]: { units: "celsius" } } }

/** A client of it. */
export const connect = (revision: Revision.Revision, extension = Weather.use({ settings: { units: "kelvin" } })) =>
  Effect.flatMap(server, (server) =>
    Effect.provideService(
      McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision, extensions: [extension] }),
      McpServer.McpServer,
      server
    ))
