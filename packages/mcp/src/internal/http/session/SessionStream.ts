/**
 * One stream of events of a session: what answers a POST, or what belongs to no
 * request.
 *
 * ```
 *   quiet ──first text, or in time──→ started ──┬── written to who reads it now
 *                                               └── kept for who comes back with an id
 * ```
 *
 * At most one reader has it at a time; a newer one takes it over. Writes apply back-pressure while a reader is attached;
 * without one, they only go to the journal. The stream that answers a POST has a reader from the start.
 */
import type { Responder } from "@parley/http/HttpEndpoint"
import { EventStream } from "@parley/http/shared"
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { beatingBy, type Pulse } from "../server/Pulse.ts"
import { type Events, idOf, newGeneral, newStream, placeOf, type Rest, type Writer } from "./Events.ts"

/** What the streams of a session share. @internal */
export interface StreamHost extends Writer {
  readonly events: Events
  readonly keepAlive: Pulse
  /** What clients are told to wait before they come back, in milliseconds; `undefined` where streams do not begin so. */
  readonly priming: number | undefined
}

/** @internal */
export class SessionStream {
  readonly name: string
  readonly #host: StreamHost
  readonly #turn = Semaphore.makeUnsafe(1)
  /** The client that has posted. */
  readonly #poster: Reader | undefined
  /** Called each time that somebody begins to read. */
  readonly #onResumed: (() => void) | undefined
  /** Called once, when the stream has to begin. */
  #onStart: (() => void) | undefined
  /** The place of the last text. */
  #place = 0
  /** The place behind which a text could not be kept. */
  #torn = -1
  /** The last place that was written to anybody. */
  #delivered = 0
  #reader: Reader | undefined
  #isStarted = false
  #isEnded = false
  #onEnded: (() => void) | undefined

  /** The stream that answers a POST is told when to begin; the one of what belongs to no request is there at once. */
  constructor(
    host: StreamHost,
    requests: ReadonlyArray<Message.Request> = [],
    onStart?: () => void,
    onResumed?: () => void
  ) {
    this.#onResumed = onResumed
    this.#host = host
    this.#onStart = onStart
    this.name = onStart === undefined ? newGeneral() : newStream(requests)
    this.#reader = this.#poster = onStart === undefined ? undefined : new Reader()
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  get isRead(): boolean {
    return this.#reader !== undefined
  }

  /** Begins the stream, so that its client has an id to come back with. */
  readonly start = () => {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#onStart?.()
    this.#onStart = undefined
  }

  /** Sends a text, and waits until it is written where somebody reads. */
  readonly send = (text: string): Effect.Effect<void> => Effect.flatten(this.#keep(text, false))

  /** Sends the last text. */
  finish(text: string): Effect.Effect<void> {
    return Effect.map(this.#keep(text, true), () => this.end())
  }

  /** Keeps a text, and gives what waits until it is written, whoever is interrupted. */
  #keep(text: string, isLast: boolean): Effect.Effect<Effect.Effect<void>> {
    return this.#turn.withPermit(Effect.uninterruptible(Effect.suspend(() => {
      if (this.#isEnded) return nothing
      const before = this.#torn === this.#place ? undefined : this.#place
      this.start()
      return Effect.map(this.#host.events.put(this.#host, this.name, before, text, isLast), (place) => {
        // A journal that came back empty begins again: an event there has the place, and so the id, of another before.
        const isNew = place !== undefined && place > this.#place
        if (isNew) this.#place = place
        else this.#torn = this.#place
        const id = isNew ? idOf(this.name, place) : undefined
        return this.#reader?.push(this.#place, id, text) ?? Effect.void
      })
    })))
  }

  /** Nothing more will come. */
  end() {
    this.#isEnded = true
    this.#reader?.end()
    this.#onEnded?.()
  }

  /** Waits until nothing more will come. One may wait. */
  get ended(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.#isEnded) return resume(Effect.void)
      this.#onEnded = () => resume(Effect.void)
    })
  }

  /** Ends who reads now when all is written: they come back for the rest. Where none has an id yet, nobody could. */
  readonly pause: Effect.Effect<void> = Effect.sync(() => {
    if (this.#host.priming === undefined || this.#reader === undefined) return
    this.start()
    this.#reader.end()
    this.#reader = undefined
  })

  /** The client that has posted has gone before the stream began. */
  abandon() {
    if (this.#poster !== undefined) this.#leave(this.#poster)
  }

  /** Writes the stream to who has posted, until it ends, is paused, or somebody else reads it. */
  read(responder: Responder, begin: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => this.#write(this.#poster ?? new Reader(), responder, begin, this.#opening(0)))
  }

  /**
   * Writes the stream to a client that comes for it: from behind a place on, or from what was never written. `false`
   * where what is behind that place is gone.
   */
  resume(
    responder: Responder,
    begin: Effect.Effect<void>,
    options: { readonly after?: number | undefined; readonly before?: string | undefined } = {}
  ): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const { after, before = "" } = options
      if (this.#reader !== undefined) this.#leave(this.#reader)
      const reader = this.#reader = new Reader()
      this.#onResumed?.()
      if (this.#isEnded) reader.end()
      const since = after ?? this.#delivered
      return Effect.flatMap(this.#missed(since), (missed) => {
        if (Option.isNone(missed) && after !== undefined) return Effect.as(this.#left(reader), false)
        const events = Option.isNone(missed) ? [] : missed.value.events
        const opening = before + (after === undefined ? this.#opening(since) : "")
        const known = events.at(-1)
        const place = known === undefined ? since : placeOf(known.id)[1]
        return Effect.as(
          this.#write(reader, responder, begin, opening + events.map(EventStream.encodeFields).join(""), place),
          true
        )
      }).pipe(Effect.onInterrupt(() => this.#left(reader)))
    })
  }

  #missed(since: number): Effect.Effect<Option.Option<Rest>> {
    if (since <= this.#torn) return Effect.succeedNone
    return since === this.#place
      ? Effect.succeed(Option.some({ events: [], isOver: this.#isEnded }))
      : this.#host.events.after(this.#host, idOf(this.name, since))
  }

  #opening(place: number): string {
    const { priming } = this.#host
    return priming === undefined
      ? ""
      : EventStream.encodeFields({ data: "", id: idOf(this.name, place), retry: priming })
  }

  #write(reader: Reader, responder: Responder, begin: Effect.Effect<void>, opening: string, place = 0) {
    return begin.pipe(
      Effect.andThen(opening === "" ? Effect.void : responder.write(opening)),
      Effect.andThen(Effect.suspend(() => {
        reader.skipTo(place)
        return reader.write(responder, this.#host.keepAlive)
      })),
      Effect.ensuring(this.#left(reader))
    )
  }

  #left(reader: Reader): Effect.Effect<void> {
    return Effect.sync(() => this.#leave(reader))
  }

  #leave(reader: Reader) {
    reader.leave()
    this.#delivered = Math.max(this.#delivered, reader.place)
    if (this.#reader === reader) this.#reader = undefined
  }
}

const nothing = Effect.succeed(Effect.void)

interface Waiting {
  readonly place: number
  /** Whether it can come another way, too. */
  readonly isKept: boolean
  readonly event: string
  /** Whether it is written, or cannot be any more. */
  isReleased: boolean
  onReleased: (() => void) | undefined
}

/** @internal */
export class Reader {
  /** The last place that was written. */
  place = 0
  #waiting: Array<Waiting> = []
  #isOver = false
  #isGone = false
  #isBeat = false
  #wake: (() => void) | undefined

  /** Has a text written, and gives what waits until it is, or cannot be any more. */
  push(place: number, id: string | undefined, text: string): Effect.Effect<void> {
    if (this.#isGone) return Effect.void
    const event = id === undefined ? EventStream.encode(text) : EventStream.encodeFields({ id, data: text })
    const waiting: Waiting = { place, isKept: id !== undefined, event, isReleased: false, onReleased: undefined }
    this.#waiting.push(waiting)
    this.#wake?.()
    return Effect.callback<void>((resume) => {
      if (waiting.isReleased) return resume(Effect.void)
      waiting.onReleased = () => resume(Effect.void)
    })
  }

  /** Nothing more will be pushed: what waits is written, and that is all. */
  end() {
    this.#isOver = true
    this.#wake?.()
  }

  /** Nobody waits for a reader that has gone. */
  leave() {
    this.#isGone = true
    release(this.#waiting.splice(0))
    this.end()
  }

  /** Skips what another way has brought already. */
  skipTo(place: number) {
    this.place = Math.max(this.place, place)
    const isKnown = (waiting: Waiting) => waiting.isKept && waiting.place <= place
    const known = this.#waiting.filter(isKnown)
    this.#waiting = this.#waiting.filter((waiting) => !isKnown(waiting))
    release(known)
  }

  /** Writes until it ends. */
  write(responder: Responder, keepAlive: Pulse): Effect.Effect<void> {
    return Effect.suspend(() => {
      const beating = beatingBy(() => {
        this.#isBeat = true
        this.#wake?.()
      })
      keepAlive.add(beating)
      return Effect.onExitPrimitive(this.#go(responder), () => {
        keepAlive.remove(beating)
        this.leave()
        return undefined
      })
    })
  }

  #go(responder: Responder): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#waiting.length > 0) {
        // Texts that come together are written together.
        const waiting = this.#waiting.splice(0)
        const written = responder.write(waiting.map(({ event }) => event).join(""))
        return Effect.andThen(
          Effect.onExitPrimitive(written, (exit) => this.#written(waiting, exit)),
          this.#go(responder)
        )
      }
      if (this.#isOver) return Effect.void
      if (this.#isBeat) {
        this.#isBeat = false
        return Effect.andThen(responder.write(EventStream.keepAlive), this.#go(responder))
      }
      return Effect.andThen(this.#woken, this.#go(responder))
    })
  }

  readonly #woken: Effect.Effect<void> = Effect.callback((resume) => {
    this.#wake = () => {
      this.#wake = undefined
      resume(Effect.void)
    }
    return Effect.sync(() => {
      this.#wake = undefined
    })
  })

  #written(waiting: ReadonlyArray<Waiting>, exit: Exit.Exit<void>) {
    if (Exit.isSuccess(exit)) this.place = waiting.at(-1)?.place ?? this.place
    release(waiting)
    return undefined
  }
}

const release = (waiting: ReadonlyArray<Waiting>) => {
  for (const one of waiting) {
    one.isReleased = true
    one.onReleased?.()
  }
}
