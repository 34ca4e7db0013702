/**
 * `parley record`: a proxy that writes down what passes, and shows nothing.
 */
import * as Redaction from "@parley/traffic/Redaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as spelled from "../arguments/spelled.ts"
import { endpointOf, framingOf, type Joined, placeOf } from "../commands/proxy.ts"
import * as join from "../proxy/join.ts"
import * as recorder from "../tap/recorder.ts"
import * as Watcher from "../tap/Watcher.ts"
import type { CommandError } from "../terminal/CommandError.ts"
import { complain } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"

/** The arguments and flags of the command. */
export interface Input extends Omit<Joined, "endpoint"> {
  readonly endpoint: ReadonlyArray<string>
  readonly out: string
  readonly listen: Option.Option<string>
  readonly redact: ReadonlyArray<string>
  readonly secrets: boolean
}

/** Records until a signal comes, or the one client of stdio has ended. */
export const record = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.gen(function*() {
    const joined = { ...input, endpoint: yield* spelled.endpoint(input.endpoint) }
    const framing = Option.getOrUndefined(input.framing)
    const listen = Option.isSome(input.listen) ? yield* placeOf(input.listen.value, framing) : undefined
    const wire = yield* endpointOf(joined, listen)
    const redact = input.secrets ? undefined : Redaction.make({ names: input.redact })
    const see = yield* recorder.make({ file: input.out, flag: "--out", wire, redact })
    return yield* join.run({
      place: listen ?? recorder.beside(wire.endpoint),
      framing: framingOf(joined),
      wire,
      watch: Watcher.make(see, framings.dialectByName(input.dialect)),
      login: input.login,
      announce: (address) => complain(`listening ${address}`)
    })
  }).pipe(
    Effect.scoped,
    Effect.raceFirst(signal.received),
    Effect.asVoid
  )
