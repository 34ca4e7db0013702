/**
 * `parley mcp gateway`: several servers behind one place.
 */
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as JwtVerifier from "@parley/oauth/JwtVerifier"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import type { TransportError } from "@parley/transport/Transport"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { resolve } from "node:path"
import * as chosenPlace from "../../arguments/chosenPlace.ts"
import { type CommandError, line, usage } from "../../terminal/CommandError.ts"
import { complain, print } from "../../terminal/output.ts"
import * as signal from "../../terminal/signal.ts"
import { version } from "../../terminal/version.ts"
import * as Place from "../../wire/Place.ts"
import * as Asked from "../dialog/Asked.ts"
import * as auditFile from "../gateway/auditFile.ts"
import * as check from "../gateway/check.ts"
import * as Config from "../gateway/Config.ts"
import * as difference from "../gateway/difference.ts"
import * as logins from "../gateway/logins.ts"
import * as members from "../gateway/members.ts"
import * as pins from "../gateway/pins.ts"
import * as reloads from "../gateway/reloads.ts"
import * as serving from "../serving.ts"

/** The arguments and flags of the command. */
export interface Input extends chosenPlace.Input {
  readonly config: string
  readonly approve: boolean
  readonly yes: boolean
  readonly check: boolean
  readonly watch: boolean
  readonly withoutAuth: boolean
  readonly audit: Option.Option<string>
  readonly auditArguments: boolean
}

/** Serves until the input ends or a signal comes; or approves what the servers say now. */
export const gateway = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.flatMap(
    Config.read(input.config),
    (config): Effect.Effect<unknown, CommandError | TransportError, Asked.Environment> =>
      input.approve
        ? Effect.raceFirst(approve(config, input), signal.ended)
        : input.check
        ? Effect.raceFirst(checked(config), signal.ended)
        : Effect.raceFirst(
          serve(config, input),
          signal.receivedOf(reloads.hasTerminal() ? ["SIGINT", "SIGTERM", "SIGHUP"] : ["SIGINT", "SIGTERM"])
        )
  ).pipe(
    Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message))),
    Effect.asVoid
  )

const serve = (config: Config.Config, input: Input) =>
  Effect.scoped(Effect.gen(function*() {
    const place = yield* placeOf(config, input)
    if (config.auth === undefined && !input.withoutAuth && !Place.isLocal(place)) {
      return yield* usage(
        `without \`auth\`, the gateway does not listen beyond this machine, as at ${Place.toText(place)}`,
        "add `auth` to the configuration, listen at 127.0.0.1, or add --without-auth if something else checks clients"
      )
    }
    const audit = Option.isNone(input.audit)
      ? undefined
      : { write: yield* auditFile.open(input.audit.value), withArguments: input.auditArguments }
    const membersOf = yield* members.make
    const users = yield* logins.make(config)
    const server = yield* McpGateway.make({
      audit,
      logins: users,
      status: {},
      ...identityOf(config),
      servers: membersOf(config, yield* approvedBy(config))
    })
    const auth = config.auth === undefined ? undefined : yield* authOf(config.auth)
    if (auth !== undefined && place._tag !== "Http") {
      return yield* usage("`auth` of the configuration needs HTTP", "add --http HOST:PORT, or remove `auth`")
    }
    yield* Effect.forkScoped(reloading(config, input, server, membersOf))
    return yield* Effect.provideService(
      serving.at(place, (server) =>
        Effect.map(
          McpHttp.endpoint(server, { auth, access: { origins: config.origins ?? "loopback" } }),
          (endpoint) =>
            users === undefined
              ? endpoint
              : { ...endpoint, wellKnown: new Map([...endpoint.wellKnown ?? [], [users.path, users.endpoint]]) }
        )),
      McpServer.McpServer,
      server
    )
  })).pipe(Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message))))

const identityOf = (
  { instructions, listOnlyPermitted, name = "parley-gateway", version: own = version }: Config.Config
) => ({
  name,
  version: own,
  instructions,
  listOnlyPermitted
})

const approvedBy = ({ pins: file }: Config.Config): Effect.Effect<pins.Approved | undefined, CommandError> =>
  file === undefined ? Effect.undefined : pins.read(file)

/** Takes the servers of the configuration again, each time that it is to be read. A wrong one changes nothing. */
const reloading = (
  { pins: pinned }: Config.Config,
  { config: file, watch }: Input,
  server: McpGateway.McpGateway,
  membersOf: Effect.Success<typeof members.make>
) =>
  Stream.runForEach(
    reloads.make(watch ? [resolve(file), ...(pinned === undefined ? [] : [pinned])] : []),
    () =>
      Effect.gen(function*() {
        const config = yield* Config.read(file)
        yield* server.reload(membersOf(config, yield* approvedBy(config)))
        yield* complain("the servers of the configuration are read again")
      }).pipe(Effect.catch((error) => complain(`nothing is read again: ${error.message}`)))
  )

const checked = (config: Config.Config) =>
  Effect.scoped(Effect.gen(function*() {
    const membersOf = yield* members.make
    const gateway = yield* McpGateway.make({
      logins: yield* logins.make(config),
      status: {},
      ...identityOf(config),
      servers: membersOf(config, yield* approvedBy(config))
    })
    yield* check.check(gateway, config.servers)
  }))

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

const approve = (config: Config.Config, input: Input) =>
  Effect.scoped(Effect.gen(function*() {
    const { pins: file } = config
    if (file === undefined) {
      return yield* usage(
        "the configuration has no `pins`, the file of approved definitions",
        "for example \"pins\": \"pins.json\""
      )
    }
    const before = yield* pins.readBefore(file)
    const found = yield* Effect.forEach(Object.entries((yield* members.make)(config, undefined)), ([name, member]) =>
      Effect.map(pins.found(name, member), (approved) => [name, approved] as const))
    const after: pins.Approved = new Map(found)
    const changes = [...new Set([...after.keys(), ...before.keys()])].flatMap((server) =>
      difference.changes(server, pins.of(before, server), pins.of(after, server))
    )
    for (const change of changes) {
      yield* print(difference.lines(change).join("\n"))
    }
    if (changes.length > 0 && !input.yes) {
      yield* confirmed(changes.length)
    }
    yield* pins.write(file, after)
    yield* print(`${changes.length} changes are approved in ${file}`)
  }))

/** Asks the person who has read what is above. */
const confirmed = (changes: number): Effect.Effect<void, CommandError, Asked.Environment> => {
  if (!process.stdin.isTTY) {
    return Effect.fail(usage("there is no terminal to ask at, so nothing is approved", "--yes approves what is shown"))
  }
  const no = Effect.fail(line("nothing is approved"))
  return Prompt.Confirm({ message: `Approve these ${changes} changes?`, initial: false }).pipe(
    Effect.updateService(Terminal.Terminal, Asked.onStderr),
    Effect.catchTag("QuitError", () => no),
    Effect.flatMap((isApproved) => isApproved ? Effect.void : no)
  )
}
