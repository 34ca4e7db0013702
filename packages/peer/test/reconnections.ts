/** A reconnecting caller under test, and the other side of each of its connections in the hands of the test. */
import { assert } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import { Effect, Fiber, Schedule, type Scope, Stream } from "effect"
import { Disconnected } from "../src/Caller.ts"
import * as Reconnecting from "../src/Reconnecting.ts"
import { settle, success } from "./wire.ts"

export type Service = Reconnecting.Reconnecting

/** A message, or what looks like one. */
interface Received {
  readonly jsonrpc?: string
  readonly id?: number | string
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
}

/** One connection, seen from the other side. */
export interface Line {
  /** Everything received so far, parsed. */
  readonly received: ReadonlyArray<Received>
  readonly send: (...texts: ReadonlyArray<string>) => Effect.Effect<void>
  readonly answer: (id: number, result: unknown) => Effect.Effect<void>
  /** Ends the input of the caller. */
  readonly cut: Effect.Effect<void>
  /** Whether the Scope of the connection has closed. */
  readonly isReleased: () => boolean
}

/** What happens to an attempt: a connection, none, or no end. */
export type Attempt = "opens" | "fails" | "hangs" | "dies"

export interface Station {
  readonly lines: ReadonlyArray<Line>
  /** How often it was tried. */
  readonly attempts: () => number
  readonly open: Effect.Effect<Transport, TransportError, Scope.Scope>
}

export const refused = transportError({ _tag: "Open", cause: "refused" })

/** What the attempts come to; those after them open. */
export const station = (...first: ReadonlyArray<Attempt>): Station => {
  const lines: Array<Line> = []
  const plan = [...first]
  let attempts = 0

  const open = Effect.gen(function*() {
    attempts++
    const attempt = plan.shift() ?? "opens"
    if (attempt === "fails") return yield* Effect.fail(refused)
    if (attempt === "dies") return yield* Effect.die("open is broken")
    if (attempt === "hangs") return yield* Effect.never
    let released = false
    yield* Effect.addFinalizer(() => Effect.sync(() => void (released = true)))
    const [ours, theirs] = yield* MemoryTransport.makePair({ capacity: 64 * 1024 * 1024 })
    const received: Array<Received> = []
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(Effect.map(theirs.receive, (texts) => {
      for (const text of texts) received.push(...[JSON.parse(String(text))].flat())
    }))))
    const send: Line["send"] = (...texts) =>
      Effect.forEach(texts, (text) => Effect.orDie(theirs.send([text])), { discard: true })
    lines.push({
      received,
      send,
      answer: (id, result) => Effect.andThen(send(success(id, result)), settle),
      cut: Effect.andThen(theirs.close, settle),
      isReleased: () => released
    })
    return ours
  })

  return { lines, attempts: () => attempts, open }
}

/** The latest connection. */
export const latest = ({ lines }: Station): Line => {
  const line = lines.at(-1)
  assert.isDefined(line, "there is no connection yet")
  return line!
}

export const methods = (line: Line): ReadonlyArray<string | undefined> => line.received.map(({ method }) => method)

/** At the end of a test the clock stands still, so that nothing may be waited for. */
export const limits = { drain: 0 }

type Changed = Partial<Reconnecting.ReconnectingOptions<Scope.Scope, never, Scope.Scope>>

export const connecting = (at: Station, options: Changed = {}) =>
  Effect.tap(
    Reconnecting.make({ open: at.open, ...options, limits: { ...limits, ...options.limits } }),
    () => settle
  )

/** Keeps the states that it goes through, short. */
export const watching = (reconnecting: Service) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    const watch = Stream.runForEach(reconnecting.changes, (state) => Effect.sync(() => seen.push(show(state))))
    const fiber = yield* Effect.forkChild(Effect.andThen(watch, Effect.sync(() => seen.push("end"))), {
      startImmediately: true
    })
    yield* settle
    return { seen, end: Fiber.join(fiber) }
  })

export const show = (state: Reconnecting.ReconnectingState): string => {
  switch (state._tag) {
    case "Connecting":
      return `connecting ${state.attempt}`
    case "Connected":
      return `connected ${state.connection}`
    case "Waiting":
      return `waiting ${state.attempt}: ${state.reason._tag}, ${state.milliseconds}`
    case "Closed":
      return `closed: ${state.reason._tag}`
  }
}

export const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Attempts a second apart. */
export const second = Schedule.spaced("1 second")

/** The reason of an error that must be `Disconnected`, and whether the call was sent. */
export const disconnected = (error: unknown) => {
  assert.instanceOf(error, Disconnected)
  const { reason, sent } = error as Disconnected
  return [reason._tag, sent]
}
