/**
 * `parley proxy`: joins a place to listen at with an endpoint.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Endpoint from "../Endpoint.ts"
import * as join from "../proxy/join.ts"
import * as Watch from "../tap/Watch.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { complain, print } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"
import * as Place from "../wire/Place.ts"
import * as wire from "../wire/Wire.ts"

/** The arguments and flags of the command. */
export interface Input extends Joined {
  readonly listen: string
}

/** The options of an endpoint that clients are joined with. */
export interface Joined extends Omit<wire.Input, "framing" | "dialect"> {
  readonly dialect: framings.DialectName
  readonly framing: Option.Option<framings.Name>
  readonly endpointFraming: Option.Option<framings.Name>
  readonly login: boolean
}

/** Passes texts between the clients of the place and the endpoint, until a signal comes. */
export const proxy = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.gen(function*() {
    const place = yield* placeOf(input.listen, Option.getOrUndefined(input.framing))
    const there = yield* endpointOf(input, place)
    const say = place._tag === "Stdio" ? complain : print
    return yield* join.run({
      place,
      framing: framingOf(input),
      wire: there,
      watch: Watch.none,
      login: input.login,
      announce: (address) => say(`listening ${address}`)
    })
  }).pipe(
    Effect.raceFirst(signal.received),
    Effect.asVoid
  )

/** How the endpoint is reached from a place; from one beside it where there is none. */
export const endpointOf = Effect.fnUntraced(function*(
  input: Joined,
  place?: Place.Place
): Effect.fn.Return<wire.Wire, CommandError> {
  const framing = Option.getOrUndefined(input.endpointFraming)
  const there = yield* wire.fromInput({ ...input, framing }, "--endpoint-framing")
  if (input.login && (there.endpoint._tag !== "Http" || (place !== undefined && place._tag !== "Http"))) {
    return yield* usage(
      `--login does not apply ${place?._tag === "Http" ? `to ${there.name}` : "here"}`,
      "only a proxy from HTTP to HTTP adds the tokens of `parley mcp login`"
    )
  }
  return there
})

/** The framing of the streams of clients. */
export const framingOf = ({ dialect, framing }: Joined): framings.Name =>
  Option.getOrElse(framing, () => framings.ofDialect(dialect))

/** The place that `--listen` names. */
export const placeOf = (text: string, framing: framings.Name | undefined): Effect.Effect<Place.Place, CommandError> =>
  Result.match(Place.fromText(text), {
    onFailure: (why) =>
      Effect.fail(usage(
        `--listen ${Endpoint.withoutSecrets(text)}: ${why}`,
        "for example --listen tcp://127.0.0.1:0, unix:/tmp/proxy.sock, stdio:, ws://127.0.0.1:0, http://127.0.0.1:0/rpc "
          + "or nats://127.0.0.1:4222/bank"
      )),
    onSuccess: (place) =>
      framings.isIdle(framing, place)
        ? Effect.fail(
          usage(
            `--framing does not apply to ${Endpoint.withoutSecrets(text)}`,
            "only streams have a framing: TCP, Unix sockets and stdio"
          )
        )
        : Effect.succeed(place)
  })
