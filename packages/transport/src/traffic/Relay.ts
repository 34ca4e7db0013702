/**
 * Joins two transports: what one receives, the other sends, in both directions.
 *
 * It passes texts unchanged, in both directions, so both sides may call. A direction
 * reads on only when the other side has taken what was read. A bad frame cannot be
 * passed on; the side that sent it gets the error reply.
 *
 * When one side ends its input, it still gets the answers to its requests. Then both
 * are closed. Any other end closes both at once.
 *
 * @since 0.1.0
 */
import * as Batch from "@parley/protocol/Batch"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Received, Transport } from "../Transport.ts"
import * as TransportError from "../TransportError.ts"

/**
 * Which side ended first, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface End {
  readonly side: "near" | "far"
  readonly error: TransportError.TransportError
}

/**
 * Passes texts between two transports until one of them ends, and closes both. `drain` of the limits bounds the time in
 * which a side that has ended its input gets its answers, `waiting` the number of answers that are waited for. A side
 * that takes nothing for `writeStall` milliseconds is `Lost`.
 *
 * @category running
 * @since 0.1.0
 */
export const join = (
  near: Transport,
  far: Transport,
  options: { readonly limits?: Partial<Limits.Limits> | undefined } = {}
): Effect.Effect<End> =>
  Effect.suspend(() => {
    const limits = Limits.make(options.limits)
    const left: Side = { name: "near", transport: near, owed: new Owed(limits.waiting) }
    const right: Side = { name: "far", transport: far, owed: new Owed(limits.waiting) }
    let first: End | undefined
    const firstOf = (end: End) => first ??= end
    return Effect.ensuring(
      Effect.raceFirst(pump(left, right, limits, firstOf), pump(right, left, limits, firstOf)),
      Effect.all([near.close, far.close], { concurrency: 2 })
    )
  })

interface Side {
  readonly name: "near" | "far"
  readonly transport: Transport
  /** Its requests that the other side has not answered. */
  readonly owed: Owed
}

type Texts = NonEmptyReadonlyArray<string>

const pump = (from: Side, to: Side, limits: Limits.Limits, firstOf: (end: End) => End): Effect.Effect<End> => {
  const ended = (side: Side) => (error: TransportError.TransportError): Effect.Effect<never, End> =>
    Effect.fail({ side: side.name, error })

  const send = (side: Side, texts: ReadonlyArray<string>): Effect.Effect<void, End> =>
    isSome(texts)
      ? Effect.catch(Effect.timeoutOrElse(side.transport.send(texts), stalled(limits.writeStall)), ended(side))
      : Effect.void

  const pass = (received: ReadonlyArray<Received>): Effect.Effect<void, End> =>
    Effect.suspend(() => {
      const texts = received.filter((each) => typeof each === "string")
      const ids = texts.map((text) => idsOf(text, limits))
      // Before it is sent, because the answer may be here before `send` returns.
      for (const { asked } of ids) from.owed.add(asked)
      const replies = received.filter((each) => typeof each !== "string").map(() => parseError)
      return send(to, texts).pipe(
        Effect.andThen(send(from, replies)),
        // Only after it was sent: a side that waits for its last answer is closed when it is settled.
        Effect.tap(() => Effect.sync(() => ids.forEach(({ answered }) => to.owed.settle(answered))))
      )
    })

  return Effect.catch(from.transport.receive, ended(from)).pipe(
    Effect.flatMap(pass),
    Effect.forever({ disableYield: true }),
    Effect.catch((end: End) => {
      const first = firstOf(end)
      return end.side === from.name && end.error.reason._tag === "EndOfInput"
        ? Effect.as(Effect.timeoutOption(from.owed.settled, limits.drain), first)
        : Effect.succeed(first)
    })
  )
}

/** While a side takes nothing, the relay does not read, and so does not see the end of the other side. */
const stalled = (duration: number) => ({
  duration,
  orElse: () => {
    const cause = new Error(`a write made no progress for ${duration} ms`)
    return Effect.fail(TransportError.make({ _tag: "Lost", cause }))
  }
})

const isSome = (texts: ReadonlyArray<string>): texts is Texts => texts.length > 0

const parseError = Message.failureText("null", ErrorObject.parseError())

/** Requests and answers of a text, by the texts of their ids. */
const idsOf = (text: string, limits: Limits.Limits) => {
  const batch = Batch.decode(text, limits)
  const asked: Array<string> = []
  const answered: Array<string> = []
  for (const member of Batch.isMembers(batch) ? batch : [batch]) {
    if (Result.isFailure(member)) continue
    const message = member.success
    if (message._tag === "Request") asked.push(RequestId.keyOf(message.id))
    else if (message._tag !== "Notification") answered.push(RequestId.keyOf(message.id))
  }
  return { asked, answered }
}

/** Characters of an id whose answer is waited for. The bound keeps all waiting ids together small. */
const longestId = 256

/** Requests without an answer. Two may have the same id. */
class Owed {
  private readonly most: number
  private readonly counts = new Map<string, number>()
  private readonly empty = Deferred.makeUnsafe<void>()
  private isEnding = false

  constructor(most: number) {
    this.most = most
  }

  add(ids: ReadonlyArray<string>): void {
    for (const id of ids) {
      if (id.length > longestId) continue
      const count = this.counts.get(id)
      if (count !== undefined || this.counts.size < this.most) this.counts.set(id, (count ?? 0) + 1)
    }
  }

  settle(ids: ReadonlyArray<string>): void {
    for (const id of ids) {
      const count = this.counts.get(id) ?? 0
      if (count > 1) this.counts.set(id, count - 1)
      else this.counts.delete(id)
    }
    this.check()
  }

  /** Waits until nothing is owed, to who asks nothing more. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() => {
    this.isEnding = true
    this.check()
    return Deferred.await(this.empty)
  })

  private check(): void {
    if (this.isEnding && this.counts.size === 0) Deferred.doneUnsafe(this.empty, Effect.void)
  }
}
