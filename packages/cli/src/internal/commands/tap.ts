/**
 * `parley tap`: a proxy that shows what passes.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import type { Dialect } from "@parley/protocol/Dialect"
import * as Recorder from "@parley/traffic/Recorder"
import * as Tap from "@parley/traffic/Tap"
import type { Wrapping } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as Endpoint from "../Endpoint.ts"
import * as join from "../proxy/join.ts"
import * as lines from "../tap/lines.ts"
import { type Entry, Story } from "../tap/Story.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import * as json from "../terminal/json.ts"
import { complain, writeLine, written } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"
import type * as Place from "../wire/Place.ts"
import { endpointOf, framingOf, type Joined, placeOf } from "./proxy.ts"

/** The arguments and flags of the command. */
export interface Input extends Joined {
  readonly listen: Option.Option<string>
  readonly record: Option.Option<string>
}

/** Passes texts as `parley proxy` does, and shows each, until a signal comes. */
export const tap = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.gen(function*() {
    const there = yield* endpointOf(input)
    const place = Option.isSome(input.listen)
      ? yield* placeOf(input.listen.value, Option.getOrUndefined(input.framing))
      : beside(there.endpoint)
    const show = Tap.make(
      showOn(place._tag === "Stdio" ? process.stderr : process.stdout, framings.dialectByName(input.dialect))
    )
    const record = Option.isSome(input.record) ? yield* recorder(input.record.value) : Effect.succeed
    return yield* join.run({
      place,
      framing: framingOf(input),
      wire: there,
      wrapping: (inner) => Effect.flatMap(record(inner), show),
      announce: (address) => complain(`listening ${address}`)
    })
  }).pipe(
    Effect.scoped,
    Effect.raceFirst(signal.received),
    Effect.asVoid
  )

/** A free port of this machine, of the kind of the endpoint. */
const beside = (endpoint: Endpoint.Endpoint): Place.Place => {
  const here = { host: "127.0.0.1", port: 0 }
  switch (endpoint._tag) {
    case "WebSocket":
    case "Http":
      // So that only the host changes for a client.
      return { ...here, _tag: endpoint._tag, path: new URL(endpoint.url).pathname }
    default:
      return { ...here, _tag: "Tcp" }
  }
}

const recorder = (file: string): Effect.Effect<Wrapping, CommandError, Scope.Scope> =>
  Recorder.make(file).pipe(
    Effect.provide(NodeFileSystem.layer),
    Effect.mapError(({ message }) =>
      usage(`${file} cannot be written: ${message}`, "--record needs a file, to whose end the texts are added")
    )
  )

/** Columns of a terminal that does not tell, or says 0. */
const unknownWidth = 80

/**
 * Traffic waits while what shows it is not read. One frame at a time becomes lines, which are as large as it is: not even
 * one whose connection has ended in the meantime leaves its lines to the next.
 */
const showOn = (stream: NodeJS.WriteStream, dialect: Dialect) => {
  const story = new Story(undefined, dialect)
  const { coloured, pretty } = json.styleOf(stream)
  const turn = Semaphore.makeUnsafe(1)
  let several = false
  const lineOf = (entry: Entry) =>
    pretty
      ? lines.forPerson(entry, { width: stream.columns > 0 ? stream.columns : unknownWidth, coloured, several })
      : lines.forPipe(entry)
  return (frame: Tap.Frame): Effect.Effect<void> =>
    turn.withPermit(Effect.flatMap(written(stream), () => {
      several ||= frame.connection > 1
      return Effect.forEach(story.tell(frame), (entry) => writeLine(stream, lineOf(entry)), { discard: true })
    }))
}
