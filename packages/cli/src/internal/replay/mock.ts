/**
 * `parley mock`: serves a recording in place of its server.
 */
import * as Mock from "@parley/conform/Mock"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as chosenPlace from "../arguments/chosenPlace.ts"
import { CommandError, ExitCode, line, usage } from "../terminal/CommandError.ts"
import { complain, print, printableLine } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"
import { listen, serveEndpoint } from "../wire/listen.ts"
import type * as Place from "../wire/Place.ts"
import { delayOf, faultOf } from "./faults.ts"
import { sourceOf } from "./source.ts"

/** The arguments and flags of the command. */
export interface Input extends chosenPlace.Input {
  readonly file: string
  readonly ignore: ReadonlyArray<string>
  readonly pace: boolean
  readonly fault: ReadonlyArray<string>
  readonly delay: ReadonlyArray<string>
  readonly strict: boolean
  readonly seed: number
  readonly dialect: framings.DialectName
  readonly framing: Option.Option<framings.Name>
}

/** Serves until the input ends or a signal comes, and then tells what was not found. */
export const mock = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.scoped(Effect.gen(function*() {
    const place = yield* chosenPlace.fromInput(input, "/")
    if (framings.isIdle(Option.getOrUndefined(input.framing), place)) {
      return yield* usage(
        "--framing does not apply to --ws, --http and --nats",
        "only --stdio, --tcp and --unix have a framing"
      )
    }
    const options: Mock.MockOptions = {
      ignore: input.ignore,
      pace: input.pace,
      faults: yield* Effect.forEach(input.fault, faultOf),
      delays: yield* Effect.forEach(input.delay, delayOf),
      seed: Math.max(1, input.seed)
    }
    const { framing: own, source } = yield* sourceOf(input.file)
    const usual = (input.dialect === "jsonRpc" ? own : undefined) ?? framings.ofDialect(input.dialect)
    const framing = Option.getOrElse(input.framing, () => usual)
    const mock = yield* Mock.make(source, options)
    yield* Effect.raceFirst(serve(mock, place, framing), signal.received)
    yield* tell(yield* mock.unmatched, yield* mock.unmatchedCount, input)
  }))

const serve = (
  mock: Mock.Mock,
  place: Place.Place,
  framing: framings.Name
): Effect.Effect<void, CommandError, Scope.Scope> => {
  switch (place._tag) {
    case "Stdio":
      return Effect.scoped(
        Effect.flatMap(NodeStdio.makeTransport({ framing: framings.byName(framing) }), mock.serve)
      ).pipe(Effect.catchTag("TransportError", ({ message }) => Effect.fail(line(message))))
    case "Http":
      return Effect.gen(function*() {
        yield* print(`listening ${yield* serveEndpoint(place, mock.endpoint)}`)
        return yield* Effect.never
      })
    default:
      return Effect.gen(function*() {
        const listener = yield* listen(place, framing)
        yield* print(`listening ${listener.address}`)
        return yield* listener.run(mock.serve)
      }).pipe(Effect.catchTag("TransportError", ({ message }) => Effect.fail(line(message))))
  }
}

/** Tells what was asked and not found: the text, the nearest recorded one, and what differs. */
const tell = Effect.fnUntraced(function*(
  unmatched: ReadonlyArray<Mock.Unmatched>,
  count: number,
  { strict }: Input
): Effect.fn.Return<void, CommandError> {
  if (count === 0) return
  const told = unmatched.slice(0, mostTold)
  for (const one of told) {
    const words = one.isAnswered ? "answered as one that is like it" : "not found"
    yield* complain(printableLine(`${words}: ${one.text}`))
    if (one.nearest === undefined) continue
    yield* complain(printableLine(`  recorded: ${one.nearest.text}`))
    for (const difference of Mock.differencesOf(one)) yield* complain(printableLine(`  ${difference}`))
  }
  if (count > told.length) yield* complain(`and ${count - told.length} more`)
  const summary = `${count} ${count === 1 ? "text was" : "texts were"} not found as recorded`
  if (strict) return yield* new CommandError({ exitCode: ExitCode.remote, message: summary })
  yield* complain(summary)
})

/** A client that asks for ever fills no terminal. */
const mostTold = 50
