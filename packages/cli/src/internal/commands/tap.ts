/**
 * `parley tap`: a proxy that shows what passes.
 */
import * as Redaction from "@parley/traffic/Redaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Endpoint from "../Endpoint.ts"
import * as join from "../proxy/join.ts"
import * as Display from "../tap/Display.ts"
import * as Flags from "../tap/Flags.ts"
import * as recorder from "../tap/recorder.ts"
import * as RedactedOnce from "../tap/RedactedOnce.ts"
import type { Seen } from "../tap/Story.ts"
import * as Watcher from "../tap/Watcher.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { complain } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"
import { endpointOf, framingOf, type Joined, placeOf } from "./proxy.ts"

/** The arguments and flags of the command. */
export interface Input extends Omit<Joined, "endpoint">, Flags.Shown {
  readonly endpoint: ReadonlyArray<string>
  readonly listen: Option.Option<string>
  readonly redact: ReadonlyArray<string>
  readonly record: Option.Option<string>
  readonly wrap: Option.Option<string>
  readonly unwrap: Option.Option<string>
  readonly server: ReadonlyArray<string>
}

/** Changes a configuration, or shows what passes. */
export const tap = (input: Input): Effect.Effect<void, CommandError> => {
  const { endpoint, listen, record, redact, server, unwrap, wrap } = input
  const files = [wrap, unwrap].flatMap(Option.toArray)
  const [file] = files
  if (file === undefined) {
    return server.length > 0
      ? Effect.fail(
        usage("--server belongs to --wrap and --unwrap", "for example --wrap ~/.cursor/mcp.json --server files")
      )
      : watch(input)
  }
  const isMore = endpoint.length > 0 || redact.length > 0 || Option.isSome(listen) || Option.isSome(record)
  if (files.length > 1 || isMore) {
    return Effect.fail(usage("--wrap and --unwrap go with --server alone", "each takes the configuration of a host"))
  }
  return Effect.flatMap(
    Effect.promise(() => import("./wrap.ts")),
    (wrapping) => (Option.isSome(wrap) ? wrapping.wrap : wrapping.unwrap)({ file, servers: server })
  )
}

/** Passes texts as `parley proxy` does, and shows each, until a signal comes. */
const watch = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.gen(function*() {
    const endpoint = yield* Effect.mapError(
      Effect.fromResult(Endpoint.textOfWords(input.endpoint)),
      (why) =>
        usage(why, "for example parley tap tcp://127.0.0.1:4000, or parley tap --listen stdio: -- node server.js")
    )
    const joined = { ...input, endpoint }
    const framing = Option.getOrUndefined(input.framing)
    const listen = Option.isSome(input.listen) ? yield* placeOf(input.listen.value, framing) : undefined
    const there = yield* endpointOf(joined, listen)
    const place = listen ?? recorder.beside(there.endpoint)
    const dialect = framings.dialectByName(input.dialect)
    const once = RedactedOnce.make(Redaction.make({ names: input.redact }))
    const show = Display.make({
      stream: place._tag === "Stdio" ? process.stderr : process.stdout,
      dialect,
      filter: yield* Flags.filterOf(input),
      secrets: input.secrets,
      redact: once.shown
    })
    const record = yield* Option.match(input.record, {
      onNone: () => Effect.succeed(() => Effect.void),
      onSome: (file) =>
        recorder.make({ file, flag: "--record", wire: there, redact: input.secrets ? undefined : once.recorded })
    })
    const see = (seen: Seen) => seen._tag === "Http" ? show(seen) : Effect.andThen(record(seen), show(seen))
    return yield* join.run({
      place,
      framing: framingOf(joined),
      wire: there,
      watch: Watcher.make(see, dialect),
      login: input.login,
      announce: (address) => complain(`listening ${address}`)
    })
  }).pipe(
    Effect.scoped,
    Effect.raceFirst(signal.received),
    Effect.asVoid
  )
