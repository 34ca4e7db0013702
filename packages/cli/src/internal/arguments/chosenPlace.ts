/**
 * The place where a server listens: exactly one flag of its command names it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Endpoint from "../Endpoint.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import * as Place from "../wire/Place.ts"

/** The flags of the command. */
export interface Input {
  readonly stdio: boolean
  readonly tcp: Option.Option<string>
  readonly unix: Option.Option<string>
  readonly ws: Option.Option<string>
  readonly http: Option.Option<string>
  readonly nats: Option.Option<string>
}

/** Whether a flag names a place. */
export const isNamed = (input: Input): boolean => named(input, "/").length > 0

/** The one place that the flags name. `path` is the default path of an HTTP server. */
export const fromInput = (input: Input, path: string): Effect.Effect<Place.Place, CommandError> => {
  const [only, ...others] = named(input, path)
  if (only === undefined) return Effect.fail(usage("no flag names the place to listen at", `use one of ${choice}`))
  return others.length > 0
    ? Effect.fail(usage("more than one flag names a place to listen at", `use only one of ${choice}`))
    : only
}

/** All places that the flags name. */
const named = (
  { http, nats, stdio, tcp, unix, ws }: Input,
  path: string
): ReadonlyArray<Effect.Effect<Place.Place, CommandError>> => [
  ...stdio ? [Effect.succeed<Place.Place>({ _tag: "Stdio" })] : [],
  ...Option.toArray(tcp).map((text) =>
    read(`--tcp ${text}`, Endpoint.tcpFromText(text), `--tcp 127.0.0.1:4000${anyPort}`)
  ),
  ...Option.toArray(unix).map((path) => Effect.succeed<Place.Place>({ _tag: "Unix", path })),
  ...Option.toArray(ws).map((text) =>
    read(`--ws ${text}`, Result.map(Place.webFromText(text), Place.webSocket), `--ws 127.0.0.1:4000/rpc${anyPort}`)
  ),
  ...Option.toArray(http).map((text) =>
    read(
      `--http ${text}`,
      Result.map(Place.webFromText(text, path), Place.http),
      `--http 127.0.0.1:4000${path === "/" ? "/rpc" : path}${anyPort}`
    )
  ),
  ...Option.toArray(nats).map((text) =>
    read(
      `--nats ${Endpoint.withoutSecrets(text)}`,
      Place.natsFromText(text),
      "--nats nats://127.0.0.1:4222/bank"
    )
  )
]

const choice = "--stdio, --tcp HOST:PORT, --unix PATH, --ws HOST:PORT[/PATH], --http HOST:PORT[/PATH] or "
  + "--nats nats://HOST:PORT/SUBJECT"

const anyPort = "; port 0 picks a free one"

const read = (
  flag: string,
  place: Result.Result<Place.Place, string>,
  example: string
): Effect.Effect<Place.Place, CommandError> =>
  Effect.mapError(
    Effect.fromResult(place),
    (why) => usage(`${flag}: ${why}`, `for example ${example}`)
  )
