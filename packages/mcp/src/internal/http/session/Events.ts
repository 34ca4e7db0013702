/**
 * The events of legacy streams, so that a client whose stream broke can come back for what it missed (`Last-Event-ID`).
 *
 * Those of a session are in a journal under one key, and an id is `<stream>_<place>`: the place is the position there, or
 * 0 for the place before the first event of the stream.
 */
import type { Item, Journal } from "@parley/mesh/Journal"
import { type Fenced, Overloaded } from "@parley/mesh/Mesh"
import type * as Message from "@parley/protocol/Message"
import { Excerpt, RequestId } from "@parley/protocol/shared"
import { BoundedLog } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"

/** The id of an event by its place. @internal */
export const idOf = (stream: string, place: number): string => `${stream}_${place}`

/** The stream of an id, and the place there; a place that no stream has where it is no such id. @internal */
export const placeOf = (id: string): readonly [stream: string, place: number] => {
  const at = id.lastIndexOf("_")
  const place = id.slice(at + 1)
  return at > 0 && digits.test(place) ? [id.slice(0, at), Number(place)] : ["", Number.POSITIVE_INFINITY]
}

/** The name of a new stream of what belongs to no request: no process has given it to another. @internal */
export const newGeneral = (): string => `${general}${crypto.randomUUID()}`

/** The name of a new stream that answers requests. That of one request tells its id, if it is not too long. @internal */
export const newStream = (requests: ReadonlyArray<Message.Request>): string => {
  const [first, second] = requests
  return first === undefined || second !== undefined
    ? crypto.randomUUID()
    : crypto.randomUUID() + told(RequestId.toText(first.id))
}

/** Most ids are whole numbers, and stand for themselves. Encoded ones begin with a tilde. */
const told = (id: string): string => {
  if (digits.test(id)) return `.${id}`
  return id.length > longest ? "" : `.~${Base64Url.encode(id)}`
}

const digits = /^\d{1,15}$/

/** Characters of an id of a request that the name of its stream tells. */
const longest = 64

/** The text of the id of the request that a stream of ours answers, where its name tells it. @internal */
export const requestOf = (stream: string): string | undefined => {
  const at = stream.indexOf(".")
  const told = stream.slice(at + 1)
  if (at === -1) return undefined
  return told.startsWith("~") ? Result.getOrUndefined(Base64Url.decodeString(told.slice(1))) : told
}

/** Whether a stream is one of what belongs to no request, of this process or an earlier one. @internal */
export const isGeneral = (stream: string): boolean => stream.startsWith(general)

const general = "general-"

/**
 * An event that was kept.
 *
 * @internal
 */
export interface StoredEvent {
  readonly id: string
  readonly data: string
}

/** The rest of a stream behind one of its events. @internal */
export interface Rest {
  readonly events: ReadonlyArray<StoredEvent>
  /** Whether its last event is there: nothing more will come. */
  readonly isOver: boolean
}

/** The session whose events they are, and the claim since which they are. @internal */
export interface Owner {
  readonly id: string
  readonly epoch: number
}

/** One who writes. @internal */
export interface Writer extends Owner {
  /** Hears that another process has the session by now. */
  onFenced(): void
}

/** Refuses what earlier owners of a key write. Where a newer one has done so, who comes again finds that one. @internal */
export const fence = (journal: Journal, key: string, epoch: number): Effect.Effect<void, Overloaded> =>
  Effect.mapError(
    journal.fence(key, epoch),
    (error) =>
      error._tag === "Fenced" ? new Overloaded({ key, reason: "another process has taken it up since" }) : error
  )

/** An event that cannot be kept or read is logged, and as if it were not there. Without a journal none is kept. @internal */
export class Events {
  readonly #journal: Journal | undefined
  /** Reading all that is kept of a session may take long, and others use the journal as well. */
  readonly #reading = Semaphore.makeUnsafe(atOnce)
  readonly #logged = loggedAs("an event")

  constructor(journal: Journal | undefined) {
    this.#journal = journal
  }

  get areKept(): boolean {
    return this.#journal !== undefined
  }

  /**
   * Keeps an event, and gives its place: behind another of its stream, 0 before the first, or behind one that could not be
   * kept.
   */
  put(
    writer: Writer,
    stream: string,
    before: number | undefined,
    data: string,
    isLast: boolean
  ): Effect.Effect<number | undefined> {
    if (this.#journal === undefined) return Effect.undefined
    const appended = this.#journal.append(keyOf(writer.id), entryOf(stream, before, data, isLast), writer.epoch)
    return Effect.catchCause(appended, (cause) =>
      isFenced(cause)
        ? Effect.as(Effect.sync(() => writer.onFenced()), undefined)
        : this.#logged(Effect.failCause(cause), undefined))
  }

  /** The events behind the one of this id, in order; nothing where one of them is not kept, or the id is none of these. */
  after({ id: session }: Owner, id: string): Effect.Effect<Option.Option<Rest>> {
    const [stream, place] = placeOf(id)
    const journal = this.#journal
    if (stream === "" || journal === undefined) return Effect.succeedNone
    const key = keyOf(session)
    const before = Math.max(0, place - 1)
    const rest = this.#reading.withPermit(journal.read(key, before))
    // An id that no client was given is found out by the event that it names, before all behind it is read.
    const items = place === 0 ? rest : Effect.flatMap(
      journal.read(key, before, 1),
      ([first]) => first?._tag === "Entry" && streamAt(first.text) !== stream ? nothing : rest
    )
    return Effect.map(this.#logged(items, []), (items) => restOf(items, stream, place))
  }

  /** Refuses what earlier owners of a session still write. */
  fence({ epoch, id }: Owner): Effect.Effect<void, Overloaded> {
    return this.#journal === undefined ? Effect.void : fence(this.#journal, keyOf(id), epoch)
  }

  drop({ epoch, id }: Owner): Effect.Effect<void> {
    return this.#journal === undefined ? Effect.void : this.#logged(this.#journal.drop(keyOf(id), epoch), undefined)
  }
}

const isFenced = ({ reasons }: Cause.Cause<Fenced | Overloaded>): boolean =>
  reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag === "Fenced")

const keyOf = (session: string): string => `mcp/events/${session}`

/**
 * An entry of the journal: the id of the event before it in its stream, behind a dot where it is the last, and its data.
 * So it shows whether one of its stream is missing, whatever is missing of others.
 */
const entryOf = (stream: string, before: number | undefined, data: string, isLast: boolean): string =>
  `${isLast ? "." : ""}${idOf(stream, before ?? nowhere)} ${data}`

/** The place of an event that could not be kept: no event has it. */
const nowhere = 999_999_999_999_999

/** Readers of all that is kept of a session at once. */
const atOnce = 2

const nothing: Effect.Effect<ReadonlyArray<Item>> = Effect.succeed([])

/** The id of the event before an entry, and whether the entry is the last of its stream. */
const headOf = (text: string): readonly [id: string, isLast: boolean] => {
  const isLast = text.startsWith(".")
  return [text.slice(isLast ? 1 : 0, text.indexOf(" ")), isLast]
}

const streamAt = (text: string): string => placeOf(headOf(text)[0])[0]

const restOf = (items: ReadonlyArray<Item>, stream: string, after: number): Option.Option<Rest> => {
  const events: Array<StoredEvent> = []
  let place = after
  let isKnown = false
  let isOver = false
  for (const item of items) {
    if (item._tag === "Gap") continue
    const [id, isLast] = headOf(item.text)
    const [own, before] = placeOf(id)
    if (own !== stream) continue
    if (item.position > after) {
      if (before !== place) return Option.none()
      events.push({ id: idOf(stream, item.position), data: item.text.slice(item.text.indexOf(" ") + 1) })
      place = item.position
    }
    isKnown = true
    isOver = isLast
  }
  return isKnown ? Option.some({ events, isOver }) : Option.none()
}

/**
 * Logs where something could not be kept or read, and gives what stands for it then. While a store is away, each event of
 * each client has a line to say, so the lines are bounded.
 *
 * @internal
 */
export const loggedAs = (what: string) => {
  const bounded = BoundedLog.make((untold) => `; ${untold} more such lines were left out`)
  return <A, E>(effect: Effect.Effect<A, E>, otherwise: A): Effect.Effect<A> =>
    Effect.catchCause(effect, (cause) =>
      Effect.as(
        bounded((others) =>
          // escaped: `others` is ours
          Effect.logWarning(`${Excerpt.line(what)} could not be kept or read${others}`, Excerpt.cause(cause))
        ),
        otherwise
      ))
}
