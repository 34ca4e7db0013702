/**
 * Where a server is to serve, as the flags of its command say it: exactly one of them.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Endpoint from "../../Endpoint.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import * as Place from "../wire/Place.ts"

/** What the command line says. */
export interface Input {
  readonly stdio: boolean
  readonly tcp: Option.Option<string>
  readonly unix: Option.Option<string>
  readonly ws: Option.Option<string>
  readonly http: Option.Option<string>
  readonly nats: Option.Option<string>
}

/** Whether a place is said. */
export const isSaid = (input: Input): boolean => said(input, "/").length > 0

/** The one place that is said. `path` is what an HTTP server serves that names none. */
export const fromInput = (input: Input, path: string): Effect.Effect<Place.Place, CommandError> => {
  const [only, ...others] = said(input, path)
  return only === undefined || others.length > 0
    ? Effect.fail(usage("where to serve is not clear", `say one of ${choice}`))
    : only
}

/** All places that are said. */
const said = (
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

const choice = "--stdio, --tcp HOST:PORT, --unix PATH, --ws HOST:PORT[/PATH], --http HOST:PORT[/PATH] and "
  + "--nats nats://HOST:PORT/SUBJECT"

const anyPort = "; port 0 picks one"

const read = (
  flag: string,
  place: Result.Result<Place.Place, string>,
  example: string
): Effect.Effect<Place.Place, CommandError> =>
  Effect.mapError(
    Effect.fromResult(place),
    (why) => usage(`${flag}: ${why}`, `for example ${example}`)
  )
