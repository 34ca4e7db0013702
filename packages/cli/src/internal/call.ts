/**
 * `parley call`: one request or notification, and what came of it.
 */
import * as Specimen from "@parley/conformance/Specimen"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import type { CallError, RemoteError } from "@parley/peer/CallerError"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Limits from "@parley/protocol/Limits"
import type * as Message from "@parley/protocol/Message"
import type { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Endpoint from "../Endpoint.ts"
import { CommandError, ExitCode, line, usage } from "./CommandError.ts"
import { sentence } from "./disconnected.ts"
import * as duration from "./duration.ts"
import * as framings from "./framings.ts"
import * as json from "./json.ts"
import { print, printable } from "./output.ts"
import * as signal from "./signal.ts"
import { traceWith } from "./trace.ts"

/** What the command line says. */
export interface Input {
  readonly endpoint: string
  readonly method: string
  readonly params: Option.Option<string>
  readonly notify: boolean
  readonly timeout: string
  readonly framing: framings.Name
  readonly trace: boolean
}

/** Calls, and prints the result. */
export const call = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.raceFirst(
    callOnce(input),
    Effect.flatMap(signal.received, (name) =>
      Effect.fail(new CommandError({ exitCode: ExitCode[name], message: `ended by ${name}` })))
  )

const callOnce = Effect.fnUntraced(function*(input: Input) {
  const endpoint = yield* endpointOf(input.endpoint)
  const params = yield* paramsOf(input.params)
  const timeout = yield* timeoutOf(input.timeout)
  const opened = yield* Effect.mapError(
    open(endpoint, input, timeout),
    (error) => line(`${input.endpoint} ${error.message}`)
  )
  const transport = input.trace ? yield* traceWith(writeTrace)(opened) : opened
  const router = yield* Router.make()
  yield* Effect.orDie(router.add("echo", Specimen.echo))
  const peer = yield* Peer.make(transport, { router, timeout })
  if (input.notify) return yield* Effect.mapError(peer.notify(input.method, params), explain)
  const result = yield* Effect.mapError(peer.request(input.method, params), explain)
  yield* print(json.render(result, json.styleOf(process.stdout)))
}, Effect.scoped)

const endpointOf = (text: string) =>
  Effect.mapError(
    Effect.fromResult(Endpoint.fromText(text)),
    (why) =>
      usage(
        `${JSON.stringify(text)} is no endpoint: ${why}`,
        "an endpoint is tcp://host:port, unix:/path or \"stdio:command with arguments\""
      )
  )

const paramsOf = (text: Option.Option<string>): Effect.Effect<Message.Params | undefined, CommandError> =>
  Option.isNone(text) ? Effect.undefined : Effect.suspend(() => {
    const parsed = Result.try(() => JSON.parse(text.value))
    if (Result.isFailure(parsed)) return Effect.fail(paramsError(`PARAMS is no JSON: ${String(parsed.failure)}`))
    return typeof parsed.success === "object" && parsed.success !== null
      ? Effect.succeed(parsed.success)
      : Effect.fail(paramsError("PARAMS is neither an array nor an object"))
  })

const paramsError = (message: string) =>
  usage(message, "quote it for the shell, as in '[42, 23]' or '{\"text\": \"hi\"}'")

const timeoutOf = (text: string) =>
  Option.match(duration.fromText(text), {
    onNone: () =>
      Effect.fail(usage(`${JSON.stringify(text)} is no time`, "for example --timeout 500ms, 5s or 2m, or none")),
    onSome: Effect.succeed
  })

const open = (
  endpoint: Endpoint.Endpoint,
  input: Input,
  timeout: Duration.Duration
): Effect.Effect<Transport["Service"], TransportError, Scope.Scope> => {
  const options = {
    framing: framings.byName(input.framing),
    limits: { handshake: Math.min(Limits.defaults.handshake, Duration.toMillis(timeout)) }
  }
  switch (endpoint._tag) {
    case "Tcp":
      return NodeTcp.makeTransport({ ...endpoint, ...options })
    case "Unix":
      return NodeUnix.makeTransport({ ...endpoint, ...options })
    case "Command":
      return NodeChildProcess.makeTransport({ ...endpoint, ...options, onStderr: passStderr })
  }
}

const passStderr = (text: string) => Effect.sync(() => void process.stderr.write(text))

const writeTrace = (text: string) => void process.stderr.write(`${printable(text)}\n`)

const explain = (error: CallError): CommandError => {
  switch (error._tag) {
    case "RemoteError":
      return new CommandError({ exitCode: ExitCode.remote, message: describe(error) })
    case "Disconnected":
      return line(sentence(error.reason))
    case "InvalidArguments":
      return usage("the params cannot be sent", "they may be nested too deeply")
    default:
      return line(error.message)
  }
}

const describe = ({ code, data, message }: RemoteError): string =>
  [`error ${code}: ${message}`, ...data === undefined ? [] : [`data: ${JSON.stringify(data)}`]].join("\n")
