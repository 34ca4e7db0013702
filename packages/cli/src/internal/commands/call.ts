/**
 * `parley call`: sends one request or notification, and prints the result.
 */
import * as Specimen from "@parley/conformance/Specimen"
import { type Caller, type CallError, describe, type RemoteError } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import { Exchange } from "@parley/peer/shared"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import type * as Message from "@parley/protocol/Message"
import { ExactNumber, Excerpt } from "@parley/protocol/shared"
import * as Tap from "@parley/traffic/Tap"
import { describeCause, type TransportError } from "@parley/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as duration from "../arguments/duration.ts"
import * as Endpoint from "../Endpoint.ts"
import * as tapped from "../proxy/tapped.ts"
import { at, CommandError, ExitCode, line, usage } from "../terminal/CommandError.ts"
import * as json from "../terminal/json.ts"
import { print } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import { lineOf } from "../terminal/trace.ts"
import * as connect from "../wire/connect.ts"
import * as framings from "../wire/framings.ts"
import * as wire from "../wire/Wire.ts"

/** The arguments and flags of the command. */
export interface Input extends Omit<wire.Input, "framing" | "dialect"> {
  readonly dialect: framings.DialectName
  readonly framing: Option.Option<framings.Name>
  readonly method: string
  readonly params: Option.Option<string>
  readonly notify: boolean
  readonly timeout: string
  readonly trace: boolean
  readonly json: boolean
}

/** Calls, and prints the result. */
export const call = (input: Input): Effect.Effect<void, CommandError> => Effect.raceFirst(callOnce(input), signal.ended)

const callOnce = Effect.fnUntraced(function*(input: Input) {
  const there = yield* wire.fromInput({ ...input, framing: Option.getOrUndefined(input.framing) }, "--framing")
  const params = yield* paramsOf(input.params)
  const timeout = yield* duration.fromFlag(input.timeout)
  const fail = (error: CallError | TransportError) =>
    Effect.andThen(
      input.json ? printJson({ error: errorOf(error, input.method, there.name) }) : Effect.void,
      Effect.fail(explain(error, input.method, there.name))
    )
  const { caller, leave } = yield* Effect.catch(open(there, timeout, input.trace), fail)
  if (input.notify) return yield* Effect.catch(caller.notify(input.method, params), fail)
  const result = yield* Effect.catch(Effect.ensuring(caller.request(input.method, params), leave), fail)
  yield* printJson(input.json ? { result } : result)
}, Effect.scoped)

/** A caller, and how it leaves the other side when it needs nothing more. */
interface Opened {
  readonly caller: Pick<Caller, "notify" | "request">
  readonly leave: Effect.Effect<void>
}

/** How long a connection may take to end in order when its call has ended: the other side may go on without an end. */
const patience = Duration.millis(250)

const open = (
  there: wire.Wire,
  timeout: Duration.Duration,
  trace: boolean
): Effect.Effect<Opened, TransportError, Scope.Scope> =>
  Effect.gen(function*() {
    const limits = {
      handshake: Math.max(1, Math.min(Limits.defaults.handshake, Math.ceil(Duration.toMillis(timeout))))
    }
    const { endpoint } = there
    const dialect = Dialect.make({ ...framings.dialectOver(there.dialect, there.framing), digits: "relayed" })
    const wrapping = Tap.make(writeTrace)
    if (Endpoint.isPosts(endpoint)) {
      const exchange = yield* connect.exchange({ ...there, endpoint }, limits)
      const posting = Exchange.makeCaller(trace ? tapped.exchange(exchange, wrapping) : exchange, { dialect, timeout })
      return { caller: yield* posting, leave: Effect.void }
    }
    const opened = yield* connect.transport({ ...there, endpoint }, limits)
    const router = yield* Router.make()
    yield* Effect.orDie(router.add("echo", Specimen.echo))
    const peer = yield* Peer.make(trace ? yield* wrapping(opened) : opened, { dialect, router, timeout })
    return {
      caller: peer,
      leave: Effect.andThen(Effect.timeoutOption(peer.shutdown, patience), opened.abort ?? Effect.void)
    }
  })

const paramsOf = (text: Option.Option<string>): Effect.Effect<Message.Params | undefined, CommandError> =>
  Option.isNone(text) ? Effect.undefined : Effect.suspend(() => {
    const parsed = Result.try(() => json.parseUnsafe(text.value))
    if (Result.isFailure(parsed)) {
      return Effect.fail(paramsError(`PARAMS is not JSON: ${describeCause(parsed.failure)}`))
    }
    return isParams(parsed.success)
      ? Effect.succeed(parsed.success)
      : Effect.fail(paramsError("PARAMS is neither an array nor an object"))
  })

const isParams = (json: Schema.Json): json is Message.Params =>
  typeof json === "object" && json !== null && !ExactNumber.isExactNumber(json)

const paramsError = (message: string) =>
  usage(message, "quote it for the shell, as in '[42, 23]' or '{\"text\": \"hi\"}'")

const writeTrace = (frame: Tap.Frame) =>
  Effect.sync(() => void process.stderr.write(`${Excerpt.line(lineOf(frame), Infinity)}\n`))

const printJson = (value: Schema.Json) => print(json.render(value, json.styleOf(process.stdout)))

/** An error as JSON. The code, the message and the data of an error object are those that the peer sent. */
const errorOf = (error: CallError | TransportError, method: string, endpoint: string): Schema.Json => {
  const { _tag: tag } = error
  if (tag !== "RemoteError") return { tag, endpoint, method, message: explain(error, method, endpoint).message }
  const { code, data, text: message } = error
  return { tag, endpoint, method, code, message, ...(data === undefined ? {} : { data }) }
}

/** The failure of the command: the endpoint, the method, and the cause. */
const explain = (error: CallError | TransportError, method: string, name: string): CommandError => {
  switch (error._tag) {
    case "RemoteError":
      return new CommandError({ exitCode: ExitCode.remote, message: at(name, textOf(error)) })
    case "TransportError":
      return line(`${at(name, error.message)}; ${method} was not sent`)
    case "Disconnected":
      return line(`${at(name, describe(error.reason))}; ${method} was ${error.sent ? "" : "not "}sent`)
    case "HttpStatusError":
      // Its message has the URL.
      return line(error.message)
    case "InvalidArguments":
      return usage(at(name, error.message), "the dialect may not allow such params, or they are nested too deeply")
    default:
      return line(at(name, error.message))
  }
}

const textOf = ({ data, message }: RemoteError): string =>
  [message, ...data === undefined ? [] : [`data: ${JSON.stringify(data)}`]].join("\n")
