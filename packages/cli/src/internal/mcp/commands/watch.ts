/**
 * `parley mcp watch`: the changes of a server's lists and resources, until it is ended.
 */
import { UnsupportedCapability } from "@parley/mcp/client/McpClientError"
import type { ListChanged, Resumed, Subscribed, Updated } from "@parley/mcp/client/McpEvent"
import type { McpClient } from "@parley/mcp/McpClient"
import { describe } from "@parley/peer/Caller"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as duration from "../../arguments/duration.ts"
import * as Endpoint from "../../Endpoint.ts"
import { at, type CommandError, line, usage } from "../../terminal/CommandError.ts"
import { complain, print, printableLine, readerGone } from "../../terminal/output.ts"
import * as signal from "../../terminal/signal.ts"
import { bold, dim, paint, styleOf } from "../../terminal/style.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import { explain, type Failure } from "../failures.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly uris: ReadonlyArray<string>
}

/** The lists, or a resource. */
type Watched = "lists" | { readonly uri: string }

/** An event after which something may be another. */
type News = ListChanged | Resumed | Updated

type Event = News | Subscribed

/** Prints each change as a line. */
export const watch = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.suspend(() => {
    const wrong = input.uris.find((uri) => !isUri.test(uri))
    if (wrong !== undefined) {
      return Effect.fail(usage(`${JSON.stringify(wrong)} is not the URI of a resource`, "for example file:///a.txt"))
    }
    const uris = new Set(input.uris)
    let isWatching = false
    const watching = Connection.run(input, ({ client }) =>
      Effect.gen(function*() {
        const idle = Option.isSome(input.timeout) ? yield* duration.fromFlag(input.timeout.value) : Duration.infinity
        const name = Endpoint.withoutSecrets(input.endpoint)
        const ended = Effect.flatMap(
          client.disconnected,
          (reason) => Effect.fail(line(`${at(name, describe(reason))}; nothing more is watched`))
        )
        const streams = [
          lists(client, uris.size > 0),
          ...Array.from(uris, (uri) => resource(client, uri))
        ]
        const all = Stream.mergeAll(streams, { concurrency: "unbounded" })
        const shown = Stream.runForEach(idle === Duration.infinity ? all : Stream.timeout(all, idle), (change) => {
          isWatching = true
          return show(input, change)
        })
        const explained = Effect.mapError(shown, (error) => explain(error, name))
        return yield* explained.pipe(Effect.raceFirst(ended), Effect.raceFirst(readerGone))
      }))
    return Effect.asVoid(signal.endsWell(() => isWatching)(watching))
  })

/** A URI begins with a scheme, and has neither spaces nor control characters (RFC 3986, section 3). */
const isUri = /^[a-z][a-z\d+.-]*:[^\s\p{Cc}]*$/iu

interface Change {
  readonly watched: Watched
  readonly event: Event
}

/** The changes of the lists. A server may have none to tell, which is no failure where resources are watched. */
const lists = (client: McpClient, isOptional: boolean): Stream.Stream<Change, Failure> =>
  Stream.map(
    isOptional
      ? Stream.catchIf(client.changes, (error) => error instanceof UnsupportedCapability, () => Stream.never)
      : client.changes,
    (event) => ({ watched: "lists", event })
  )

const resource = (client: McpClient, uri: string): Stream.Stream<Change, Failure> =>
  Stream.map(client.subscribe(uri), (event) => ({ watched: { uri }, event }))

const show = (input: Input, change: Change): Effect.Effect<void> => {
  if (input.json || !process.stdout.isTTY) {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => print(JSON.stringify(recordOf(change, now))))
  }
  const { event, watched } = change
  return event._tag === "Subscribed"
    ? complain(`watching ${nameOf(watched)}`)
    : Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => print(lineOf(event, watched, now, styleOf(process.stdout).coloured))
    )
}

/** A change for a program. */
const recordOf = ({ event, watched }: Change, now: number) => {
  const time = DateTime.formatIso(DateTime.makeUnsafe(now))
  const place = watched === "lists" ? {} : { resource: watched.uri }
  switch (event._tag) {
    case "Subscribed":
      return { time, event: "watching", ...watched === "lists" ? { lists: true } : place }
    case "Updated":
      return { time, event: "updated", ...place, uri: event.uri }
    case "ListChanged":
      return { time, event: "listChanged", list: event.list }
    case "Resumed":
      return { time, event: "resumed", ...watched === "lists" ? { lists: true } : place, reason: event.reason }
  }
}

/** A change for a person. */
const lineOf = (event: News, watched: Watched, now: number, coloured: boolean): string => {
  const time = DateTime.formatIso(DateTime.makeUnsafe(now)).slice(11, 23)
  return `${paint(coloured, dim, time)} ${wordsOf(event, watched, (name) => paint(coloured, bold, name))}`
}

const wordsOf = (event: News, watched: Watched, name: (text: string) => string): string => {
  switch (event._tag) {
    case "Updated":
      return `${name(printableLine(event.uri))} has changed`
    case "ListChanged":
      return `the list of ${name(event.list)} has changed`
    case "Resumed":
      return `${name(nameOf(watched))} may have changed: ${reasons[event.reason]}`
  }
}

const reasons: Readonly<Record<Resumed["reason"], string>> = {
  SessionExpired: "the session was made again",
  Ended: "the subscription was made again",
  Overrun: "more has changed than was read"
}

const nameOf = (watched: Watched): string => watched === "lists" ? "the lists" : printableLine(watched.uri)
