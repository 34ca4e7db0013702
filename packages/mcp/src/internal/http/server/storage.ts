/** The events of all streams of all sessions, the oldest of which go when there are too many. */
import * as Effect from "effect/Effect"

/** The id of an event by its place, from 1 on; 0 is before the first. @internal */
export const idOf = (stream: string, place: number): string => `${stream}_${place}`

/** The stream of an id, and the place there; a place that no stream has where it is no such id. @internal */
export const placeOf = (id: string): readonly [stream: string, place: number] => {
  const at = id.lastIndexOf("_")
  const digits = id.slice(at + 1)
  return at > 0 && /^\d{1,15}$/.test(digits) ? [id.slice(0, at), Number(digits)] : ["", Number.POSITIVE_INFINITY]
}

/** The name of a new stream: no process has given it to another. @internal */
export const newStream = (isGeneral: boolean): string => `${isGeneral ? general : ""}${crypto.randomUUID()}`

/** Whether a stream is one of what belongs to no request, of this process or an earlier one. @internal */
export const isGeneral = (stream: string): boolean => stream.startsWith(general)

const general = "general-"

interface Stream {
  /** The place of the first event that is kept. */
  first: number
  readonly events: Array<string>
}

interface Kept {
  /** The stream that was written to last is the last. */
  readonly streams: Map<string, Stream>
  /** The weight of all events. */
  size: number
}

/** What an event counts: its characters, and about what it costs beside them. @internal */
export const weightOf = (data: string): number => data.length + 256

/** @internal */
export class MemoryEvents {
  /** The session that was written to last is the last. */
  readonly #sessions = new Map<string, Kept>()
  readonly #ofSession: number
  readonly #total: number
  #size = 0

  constructor(ofSession: number, total: number) {
    this.#ofSession = ofSession
    this.#total = total
  }

  /** The newest event is kept, however large it is: it may be the answer that somebody comes back for. */
  put(session: string, id: string, data: string) {
    const [name, place] = placeOf(id)
    const kept = this.#sessions.get(session) ?? { streams: new Map<string, Stream>(), size: 0 }
    this.#sessions.delete(session)
    this.#sessions.set(session, kept)
    const stream = kept.streams.get(name) ?? { first: place, events: [] }
    kept.streams.delete(name)
    kept.streams.set(name, stream)
    stream.events.push(data)
    this.#grow(kept, weightOf(data))
    this.#shrink(kept, stream)
    for (const [oldest, other] of this.#sessions) {
      if (this.#size <= this.#total || other === kept) break
      this.#sessions.delete(oldest)
      this.#size -= other.size
    }
  }

  after(session: string, id: string): ReadonlyArray<{ readonly id: string; readonly data: string }> | undefined {
    const [name, place] = placeOf(id)
    const stream = this.#sessions.get(session)?.streams.get(name)
    if (stream === undefined) return undefined
    const { events, first } = stream
    if (place + 1 < first || place >= first + events.length) return undefined
    return events.slice(place + 1 - first).map((data, index) => ({ id: idOf(name, place + 1 + index), data }))
  }

  drop(session: string) {
    const kept = this.#sessions.get(session)
    if (kept === undefined) return
    this.#sessions.delete(session)
    this.#size -= kept.size
  }

  /** Forgets the oldest events of a session, those of the streams that were written to longest ago first. */
  #shrink(kept: Kept, newest: Stream) {
    for (const [name, stream] of kept.streams) {
      const spared = stream === newest ? 1 : 0
      while (kept.size > this.#ofSession && stream.events.length > spared) {
        this.#grow(kept, -weightOf(stream.events.shift() ?? ""))
        stream.first++
      }
      if (kept.size <= this.#ofSession) return
      if (stream !== newest) kept.streams.delete(name)
    }
  }

  #grow(kept: Kept, by: number) {
    kept.size += by
    this.#size += by
  }
}

/** Logs where something could not be kept or read, and gives what stands for it then. @internal */
export const loggedAs = (what: string) => <A, E>(effect: Effect.Effect<A, E>, otherwise: A): Effect.Effect<A> =>
  Effect.catchCause(
    effect,
    (cause) => Effect.as(Effect.logWarning(`${what} could not be kept or read`, cause), otherwise)
  )
