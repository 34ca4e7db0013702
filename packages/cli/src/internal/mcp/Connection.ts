/**
 * A client for one command: its endpoint, its revision, and what it answers and
 * shows while it waits.
 */
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { Task } from "@parley/mcp-tasks/Tasks"
import type { ToolError } from "@parley/mcp/client/McpClientError"
import type * as McpClient from "@parley/mcp/McpClient"
import * as Revision from "@parley/mcp/wire/Revision"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import * as Limits from "@parley/protocol/Limits"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import type * as Schema from "effect/Schema"
import * as duration from "../arguments/duration.ts"
import * as Flags from "../tap/Flags.ts"
import type { Watch } from "../tap/Watch.ts"
import { at, type CommandError, line, usage } from "../terminal/CommandError.ts"
import * as json from "../terminal/json.ts"
import { print } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import { spinner } from "../terminal/Spinner.ts"
import { version } from "../terminal/version.ts"
import * as connect from "../wire/connect.ts"
import * as wire from "../wire/Wire.ts"
import * as Asked from "./dialog/Asked.ts"
import * as logs from "./dialog/logger.ts"
import { Margin } from "./dialog/Margin.ts"
import * as Patience from "./dialog/Patience.ts"
import { explain, type Failure } from "./failures.ts"
import * as reach from "./reach.ts"

/** The arguments and flags of every command that asks a server. */
export interface Input extends Omit<wire.Input, "framing" | "variables">, Flags.Traced {
  readonly env: ReadonlyArray<string>
  readonly envAll: boolean
  readonly json: boolean
  readonly protocolVersion: Option.Option<string>
  readonly timeout: Option.Option<string>
  /** How to get tokens; from the store where it is absent. */
  readonly auth?: ClientAuthorization | undefined
  /** What shows the traffic, where several connections are shown as one; else each shows its own. */
  readonly watch?: Watch | undefined
}

/** A server, while a command uses it. */
export interface Connected {
  readonly client: McpClient.McpClient
  /** The options of every request: progress goes to stderr. */
  readonly options: McpClient.RequestOptions
  /** Shows the state of a task, which is waited for as long as it changes now and then. */
  readonly onTask: (task: Task) => void
  /** Waits for a request that may ask the person, and makes an end of the command of its failure. */
  readonly wait: <A>(request: Effect.Effect<A, Failure | ToolError>) => Effect.Effect<A, CommandError>
}

/** Connects, and runs the command to its end. */
export const run = <A, R>(
  input: Input,
  use: (connected: Connected) => Effect.Effect<A, CommandError, R>
): Effect.Effect<A, CommandError, R | Asked.Environment> =>
  Effect.tapError(
    untilSignal(Effect.scoped(Effect.flatMap(open(input), use))),
    ({ details }) => input.json && details !== undefined ? printJson({ error: details }) : Effect.void
  )

/** Connects to hear whether the server speaks a revision: the legacy era has no other way to ask. */
export const speaks = (
  input: Input,
  revision: Revision.Revision
): Effect.Effect<boolean, CommandError, Asked.Environment> =>
  untilSignal(Effect.match(Effect.scoped(open({ ...input, protocolVersion: Option.some(revision) })), {
    onFailure: () => false,
    onSuccess: ({ client }) => client.protocolVersion === revision
  }))

const untilSignal = <A, R>(effect: Effect.Effect<A, CommandError, R>): Effect.Effect<A, CommandError, R> =>
  Effect.raceFirst(effect, signal.ended)

/** Shows the traffic as the flags say. Progress may stand in the line. */
export const traced = (input: Flags.Traced): Effect.Effect<Watch, CommandError> =>
  Flags.traced(input, { isShared: true })

/** Prints a value of JSON. */
export const printJson = (value: unknown): Effect.Effect<void> =>
  // Everything that a server sends is JSON.
  print(json.render(value as Schema.Json, json.styleOf(process.stdout)))

const open = Effect.fnUntraced(function*(input: Input) {
  const variables = yield* variablesOf(input)
  const there = yield* wire.fromInput({ ...input, framing: "line", variables }, "--framing")
  const protocolVersion = yield* versionOf(input.protocolVersion)
  const limit = Option.getOrElse(input.timeout, () => usual)
  const timeout = yield* duration.fromFlag(limit)
  const watch = input.watch ?? (yield* traced(input))
  const margin = new Margin(spinner.stream)
  yield* Effect.addFinalizer(() => Effect.sync(() => margin.clear()))
  const patience = Patience.make(timeout)
  const isAttended = process.stdin.isTTY
  const limits = { handshake: Math.max(1, Math.min(Limits.defaults.handshake, Math.ceil(Duration.toMillis(timeout)))) }
  const options = {
    name: "parley",
    version,
    protocolVersion,
    handlers: isAttended ? Asked.atTerminal({ margin, patience }) : Asked.declining(margin),
    // The time of a call stands still while a person is asked, which only we know.
    timeout: isAttended ? Duration.infinity : timeout,
    maxTimeout: Duration.infinity,
    // The client knows how long the first answer of a command may take: a package runner may have to install it.
    initializeTimeout: Option.isNone(input.timeout) && there.endpoint._tag === "Command" ? undefined : timeout,
    probe: Duration.min(timeout, probe),
    extensions: [TaskClient.use()],
    // The command prints what came.
    keepDigits: true,
    logLevel: logs.levelOf(yield* References.MinimumLogLevel)
  }
  const logger = logs.make(margin)
  const client = yield* reach.clientOf(there, { auth: input.auth, limits, watch })(options).pipe(
    connect.waiting(there),
    Effect.provide(Logger.layer([logger])),
    Effect.mapError((error) => explain(error, there.name))
  )
  const late = line(at(there.name, `no answer within ${limit}`))
  const explained = Effect.mapError((error: Failure | ToolError) => explain(error, there.name))
  let shown: string | undefined
  const connected: Connected = {
    client,
    onTask: ({ status, taskId }) => {
      // The time without progress is that of a request; the client knows how long it waits for a task.
      patience.rest()
      if (status !== shown) margin.say(`task ${taskId}: ${status}`)
      shown = status
    },
    options: {
      onProgress: (progress) => {
        patience.heard()
        margin.show(progress)
      }
    },
    wait: (request) =>
      Effect.suspend(() => {
        patience.heard()
        return isAttended ? patience.within(late)(explained(request)) : explained(request)
      }).pipe(Effect.ensuring(Effect.sync(() => margin.clear())))
  }
  return connected
})

/** The default time to wait without progress. */
const usual = "30s"

/** How long to wait for an answer that only newer servers have. */
const probe = Duration.seconds(2)

/** A server that is started sees a safe part of our environment, and what the command line adds. */
const variablesOf = Effect.fnUntraced(function*(
  { endpoint, env, envAll }: Input
): Effect.fn.Return<wire.Variables, CommandError> {
  if ((env.length > 0 || envAll) && !endpoint.startsWith("stdio:")) {
    return yield* usage(
      "--env and --env-all need an endpoint that is a command",
      "for example \"stdio:node server.js\""
    )
  }
  const added = yield* Effect.forEach(env, (text) => {
    const [, name, value = process.env[name ?? ""]] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? []
    return name === undefined
      ? Effect.fail(
        usage(`${JSON.stringify(text)} is not a variable`, "for example --env GITHUB_TOKEN or --env MODE=test")
      )
      : Effect.succeed([name, value] as const)
  })
  return { inherit: envAll ? "all" : "safe", env: Object.fromEntries(added) }
})

const versionOf = (text: Option.Option<string>): Effect.Effect<Revision.Revision | "auto", CommandError> => {
  if (Option.isNone(text)) return Effect.succeed("auto")
  return Revision.isKnown(text.value)
    ? Effect.succeed(text.value)
    : Effect.fail(
      usage(`${JSON.stringify(text.value)} is not a version of MCP`, `use one of ${Revision.all.join(", ")}`)
    )
}
