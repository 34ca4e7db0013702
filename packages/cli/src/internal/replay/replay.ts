/**
 * `parley replay`: plays a recording to an endpoint, and shows what differs.
 */
import * as Replay from "@parley/conform/Replay"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as duration from "../arguments/duration.ts"
import * as spelled from "../arguments/spelled.ts"
import * as report from "../conform/report.ts"
import * as target from "../conform/target.ts"
import { at, CommandError, ExitCode, line } from "../terminal/CommandError.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"
import * as wire from "../wire/Wire.ts"
import * as recording from "./recording.ts"

/** The arguments and flags of the command. */
export interface Input extends Omit<wire.Input, "endpoint" | "framing" | "dialect">, report.Input {
  readonly file: string
  readonly endpoint: ReadonlyArray<string>
  readonly ignore: ReadonlyArray<string>
  readonly timeout: Option.Option<string>
  readonly patience: Option.Option<string>
  readonly dialect: framings.DialectName
  readonly framing: Option.Option<framings.Name>
}

/** Plays it, until a signal comes. */
export const replay = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.asVoid(Effect.raceFirst(Effect.scoped(play(input)), signal.ended))

const play = Effect.fnUntraced(function*(input: Input) {
  const recorded = yield* recording.read(input.file)
  const endpoint = yield* spelled.endpoint(input.endpoint)
  const asked = Option.getOrUndefined(input.framing)
  const isStream = !/^(?:https?|wss?|nats):/i.test(endpoint)
  const framing = asked ?? (isStream && input.dialect === "jsonRpc" ? recording.framingOf(recorded) : undefined)
  const there = yield* wire.fromInput({ ...input, endpoint, framing }, "--framing")
  yield* report.files(input)
  const timeout = yield* duration.fromFlag(Option.getOrElse(input.timeout, () => "10s"))
  const patience = yield* duration.fromFlag(Option.getOrElse(input.patience, () => "1s"))
  const subject = yield* Effect.catchTag(
    target.fromWire(there, timeout),
    "TransportError",
    (error) => Effect.fail(line(at(there.name, error.message)))
  )
  const result = yield* Replay.run(subject, recorded, { ignore: input.ignore, timeout, patience })
  const [ended] = result.ended
  if (ended !== undefined && result.results.every(({ kind }) => kind === "missing")) {
    return yield* line(at(there.name, ended.why))
  }
  yield* report.write(input, (format, options) => Replay.render(result, format, options))
  if (Replay.isFailed(result)) {
    return yield* new CommandError({
      exitCode: ExitCode.remote,
      message: `${there.name}: ${Replay.summaryOf(result)}`
    })
  }
})
