/**
 * `parley call`: sends one request or notification, and prints the result.
 */
import * as Specimen from "@parley/conformance/Specimen"
import { type Caller, type CallError, describe, type DisconnectReason, type RemoteError } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import { Exchange } from "@parley/peer/shared"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import type * as Message from "@parley/protocol/Message"
import { ErrorCode, ExactNumber } from "@parley/protocol/shared"
import type { TransportError } from "@parley/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as duration from "../arguments/duration.ts"
import { ArgumentError } from "../arguments/grammar/ArgumentError.ts"
import { asUsage, params as givenOf } from "../arguments/grammar/given.ts"
import * as Grammar from "../arguments/grammar/Grammar.ts"
import { join } from "../arguments/words.ts"
import * as Endpoint from "../Endpoint.ts"
import * as tapped from "../proxy/tapped.ts"
import * as Flags from "../tap/Flags.ts"
import type { Watch } from "../tap/Watch.ts"
import { at, CommandError, ExitCode, line, usage, withHint } from "../terminal/CommandError.ts"
import * as json from "../terminal/json.ts"
import { print, printableLine, readerGone } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import { spinner } from "../terminal/Spinner.ts"
import * as connect from "../wire/connect.ts"
import * as framings from "../wire/framings.ts"
import * as wire from "../wire/Wire.ts"
import * as Following from "./Following.ts"

/** The arguments and flags of the command. */
export interface Input extends Omit<wire.Input, "framing" | "dialect">, Flags.Traced {
  readonly dialect: framings.DialectName
  readonly framing: Option.Option<framings.Name>
  readonly method: string
  readonly params: ReadonlyArray<string>
  readonly notify: boolean
  readonly timeout: Option.Option<string>
  readonly follow: boolean
  readonly json: boolean
}

/** Calls, and prints the result; with `--follow`, also what follows it. */
export const call = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.suspend(() => {
    let isDone = false
    const followed = callOnce(input, () => {
      isDone = true
    })
    return signal.endsWell(() => isDone)(Effect.raceFirst(followed, signal.ended))
  })

const callOnce = Effect.fnUntraced(function*(input: Input, onFollowing: () => void) {
  const there = yield* wire.fromInput({ ...input, framing: Option.getOrUndefined(input.framing) }, "--framing")
  if (input.follow && Endpoint.isPosts(there.endpoint)) {
    return yield* usage(
      `--follow does not apply to ${there.name}`,
      "HTTP and single messages of NATS bring only responses; a nats URL that ends with ?conversation brings more"
    )
  }
  const given = yield* givenOf(input.params)
  const params = yield* paramsOf(given)
  const timeout = yield* duration.fromFlag(Option.getOrElse(input.timeout, () => usual))
  const watch = yield* Flags.traced(input, { dialect: framings.dialectOver(there.dialect, there.framing) })
  const fail = (error: CallError | TransportError) =>
    Effect.andThen(
      input.json ? printJson({ error: errorOf(error, input.method, there.name) }) : Effect.void,
      Effect.fail(hinted(error, given, explain(error, input.method, there.name)))
    )
  const following = input.follow ? yield* Following.make(show) : undefined
  const { caller, closed, leave } = yield* Effect.catch(
    connect.waiting(there)(open(there, timeout, watch, following)),
    fail
  )
  const called: Effect.Effect<Schema.Json | void, CallError> = input.notify
    ? caller.notify(input.method, params)
    : caller.request(input.method, params)
  if (following === undefined) {
    // What a notification waits for is written when the scope closes.
    const answered = spinner.around(`waiting for ${input.method}`)(called)
    const result = yield* Effect.catch(input.notify ? called : Effect.ensuring(answered, leave), fail)
    return yield* printResult(input, result)
  }
  yield* Effect.gen(function*() {
    yield* printResult(input, yield* Effect.catch(following.during(called), fail))
    onFollowing()
    const idle = Option.isSome(input.timeout) ? timeout : undefined
    const reason = yield* Effect.raceFirst(following.after(closed, idle), readerGone)
    if (reason !== undefined) yield* line(`${at(there.name, describe(reason))}; nothing more follows`)
  }).pipe(Effect.ensuring(Effect.andThen(following.end, leave)))
}, Effect.scoped)

/** The default time to wait for a response. */
const usual = "30s"

const show = ({ method, params }: Following.Notification): Effect.Effect<void> =>
  printJson({ method, ...params !== undefined && { params } })

/** A notification has no result. */
const printResult = (input: Input, result: Schema.Json | void): Effect.Effect<void> =>
  result === undefined ? Effect.void : printJson(input.json ? { result } : result)

/** A caller, and how it leaves the other side when it needs nothing more. */
interface Opened {
  readonly caller: Pick<Caller, "notify" | "request">
  readonly closed: Effect.Effect<DisconnectReason>
  readonly leave: Effect.Effect<void>
}

/** How long a connection may take to end in order when its call has ended: the other side may go on without an end. */
const patience = Duration.millis(250)

const open = (
  there: wire.Wire,
  timeout: Duration.Duration,
  watch: Watch,
  following: Following.Following | undefined
): Effect.Effect<Opened, TransportError, Scope.Scope> =>
  Effect.gen(function*() {
    const limits = {
      handshake: Math.max(1, Math.min(Limits.defaults.handshake, Math.ceil(Duration.toMillis(timeout))))
    }
    const { endpoint } = there
    const dialect = Dialect.make({ ...framings.dialectOver(there.dialect, there.framing), digits: "relayed" })
    if (Endpoint.isPosts(endpoint)) {
      const exchange = yield* connect.exchange({ ...there, endpoint }, limits)
      const posting = Exchange.makeCaller(tapped.exchange(exchange, watch.wrapping), { dialect, timeout })
      return { caller: yield* posting, closed: Effect.never, leave: Effect.void }
    }
    const opened = yield* connect.transport({ ...there, endpoint }, limits)
    const router = yield* Router.make({ fallback: following?.fallback })
    yield* Effect.orDie(router.add("echo", Specimen.echo))
    const peer = yield* Peer.make(yield* watch.wrapping(opened), { dialect, router, timeout })
    return {
      caller: peer,
      closed: peer.closed,
      leave: Effect.andThen(Effect.timeoutOption(peer.shutdown, patience), opened.abort ?? Effect.void)
    }
  })

const paramsOf = (given: Grammar.Given): Effect.Effect<Message.Params | undefined, CommandError> => {
  switch (given._tag) {
    case "None":
      return Effect.undefined
    case "Named":
      return Effect.succeed(
        Grammar.objectOf(Array.from(given.members, ([name, member]) => [name, Grammar.textOf(member)] as const))
      )
    case "Whole":
      return isParams(given.value)
        ? Effect.succeed(given.value)
        : Effect.fail(asUsage(
          new ArgumentError({
            reason: { _tag: "NotParams", place: given.place, expected: "an array or an object" }
          })
        ))
  }
}

const isParams = (json: Schema.Json): json is Message.Params =>
  typeof json === "object" && json !== null && !ExactNumber.isExactNumber(json)

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

/** Params that were refused may have a text where a number was meant: words with names are texts. */
const hinted = (error: CallError | TransportError, given: Grammar.Given, failure: CommandError): CommandError => {
  if (error._tag !== "RemoteError" || error.code !== ErrorCode.InvalidParams || given._tag !== "Named") return failure
  const [name, text] = Grammar.doubtful(given.members) ?? []
  if (name === undefined || text === undefined) return failure
  const word = printableLine(join([`${name}:=${text}`]))
  const { exitCode, message } = failure
  return new CommandError({ exitCode, message: withHint(message, `${word} sends the value, and not the text`) })
}

const textOf = ({ data, message }: RemoteError): string =>
  [message, ...data === undefined ? [] : [`data: ${JSON.stringify(data)}`]].join("\n")
