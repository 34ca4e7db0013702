/**
 * `parley mcp gateway`: several servers behind one place.
 */
import * as JwtVerifier from "@parley/mcp/auth/server/JwtVerifier"
import * as ResourceServer from "@parley/mcp/auth/server/ResourceServer"
import * as McpGateway from "@parley/mcp/gateway/McpGateway"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as chosenPlace from "../../arguments/chosenPlace.ts"
import { type CommandError, line, usage } from "../../terminal/CommandError.ts"
import { print, printableLine } from "../../terminal/output.ts"
import * as signal from "../../terminal/signal.ts"
import { version } from "../../terminal/version.ts"
import * as Place from "../../wire/Place.ts"
import * as Config from "../gateway/Config.ts"
import * as members from "../gateway/members.ts"
import * as pins from "../gateway/pins.ts"
import * as serving from "../serving.ts"

/** The arguments and flags of the command. */
export interface Input extends chosenPlace.Input {
  readonly config: string
  readonly approve: boolean
}

/** Serves until the input ends or a signal comes; or approves the tools as they are. */
export const gateway = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.flatMap(Config.read(input.config), (config) => input.approve ? approve(config) : serve(config, input)).pipe(
    Effect.raceFirst(signal.received),
    Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message))),
    Effect.asVoid
  )

const serve = (config: Config.Config, input: Input) =>
  Effect.scoped(Effect.gen(function*() {
    const place = yield* placeOf(config, input)
    const approved = config.pins === undefined ? undefined : yield* pins.read(config.pins)
    const server = yield* McpGateway.make({
      name: config.name ?? "parley-gateway",
      version: config.version ?? version,
      instructions: config.instructions,
      servers: yield* members.make(config, approved)
    })
    const auth = config.auth === undefined ? undefined : yield* authOf(config.auth)
    if (auth !== undefined && place._tag !== "Http") {
      return yield* usage("`auth` of the configuration needs HTTP", "add --http HOST:PORT, or remove `auth`")
    }
    return yield* Effect.provideService(
      serving.at(place, (server) =>
        McpHttp.endpoint(server, { auth, access: { origins: config.origins ?? "loopback" } })),
      McpServer.McpServer,
      server
    )
  })).pipe(Effect.catchTag("TransportError", (error) =>
    Effect.fail(line(error.message))))

/** A flag overrides the file. */
const placeOf = (config: Config.Config, input: Input): Effect.Effect<Place.Place, CommandError> => {
  if (chosenPlace.isNamed(input) || config.listen === undefined) return chosenPlace.fromInput(input, "/mcp")
  return Effect.mapError(
    Effect.fromResult(Result.map(Place.webFromText(config.listen, "/mcp"), Place.http)),
    (why) => usage(`listen: ${why}`, "for example \"listen\": \"127.0.0.1:4000\"; port 0 picks a free one")
  )
}

const authOf = Effect.fnUntraced(
  function*({ audience, issuer, jwksUri, resource, scopes }: NonNullable<Config.Config["auth"]>) {
    const { makeFetcher } = yield* Effect.promise(() => import("@parley/node/NodeHttp"))
    const verifier = yield* JwtVerifier.make(yield* makeFetcher(), { issuer, jwksUri })
    return ResourceServer.make({ resource, verifier, required: scopes, audience })
  }
)

const approve = (config: Config.Config) =>
  Effect.scoped(Effect.gen(function*() {
    const { pins: file } = config
    if (file === undefined) {
      return yield* usage(
        "the configuration has no `pins`, the file of approved tools",
        "for example \"pins\": \"pins.json\""
      )
    }
    const before = yield* Effect.orElseSucceed(pins.read(file), (): pins.Approved => ({}))
    const found = yield* Effect.forEach(Object.entries(yield* members.make(config, undefined)), ([name, member]) =>
      Effect.map(pins.found(name, member), (approved) => [name, approved] as const))
    const after: pins.Approved = Object.fromEntries(found)
    const changes = pins.changes(before, after)
    yield* pins.write(file, after)
    for (const change of changes) {
      yield* print(printableLine(change))
    }
    yield* print(`${changes.length} changes are approved in ${file}`)
  }))
