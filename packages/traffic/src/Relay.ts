/**
 * Joins two transports: what one receives, the other sends, in both directions.
 *
 * It passes texts unchanged, in both directions, so both sides may call. A direction
 * reads on only when the other side has taken what was read. A bad frame cannot be
 * passed on. It is answered as a peer answers it: a request gets its error, with its
 * id where the frame is only too large. In place of a bad response, the side that
 * waits for it gets an error, so that its call fails at once. A side that sends
 * `Limits.badFrames` of them in a row is `Lost`.
 *
 * When one side ends its input, it still gets the answers to its requests. Then both
 * are closed. Any other end closes both at once.
 *
 * Texts under way count on the budget, for both sides on the same share: each of them
 * counts twice, for it is there as it was received, and as the bytes that are sent.
 * While the budget is spent, nothing more is read, unless a write waits: its side may
 * read only when somebody reads what it writes. Then the budget may end the relay.
 *
 * ```ts run
 * import { Relay } from "@parley/traffic"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Fiber } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [client, near] = yield* MemoryTransport.makePair()
 *   const [far, server] = yield* MemoryTransport.makePair()
 *   const relay = yield* Effect.forkChild(Relay.join(near, far))
 *
 *   yield* client.send([`{"jsonrpc":"2.0","method":"hello"}`])
 *   console.log(yield* server.receive) // => [ '{"jsonrpc":"2.0","method":"hello"}' ]
 *   yield* client.close
 *   const { error, side } = yield* Fiber.join(relay)
 *   console.log(side, error.reason._tag) // => near EndOfInput
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import type { BadFrame } from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import { ErrorCode, ErrorObject, ErrorReply, RequestId } from "@parley/protocol/shared"
import { Budget, Reader } from "@parley/transport/shared"
import {
  framingOf,
  type Received,
  type Transport,
  type TransportError,
  transportError
} from "@parley/transport/Transport"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { weightOf } from "./internal/weight.ts"

/**
 * Which side ended first, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface End {
  /** The side, by its place among the arguments of `join`. */
  readonly side: "near" | "far"
  /** The failure of its `receive` or `send`. */
  readonly error: TransportError
}

/**
 * Passes texts between two transports until one of them ends, and closes both. `drain` of the limits bounds the time in
 * which a side that has ended its input gets its answers, `waiting` the number of answers that are waited for. A side
 * that takes nothing for `writeStall` milliseconds is `Lost`. `dialect`, `Dialect.jsonRpc` by default, is that of the
 * texts that pass, of the errors that the relay writes for bad frames, and of the framing of streams of bytes. Texts under way count on the `Budget` in the
 * context, or without one on a budget of its own; where that is spent, the relay may end with `BudgetSpent`.
 *
 * @category running
 * @since 0.1.0
 */
export const join = (
  near: Transport,
  far: Transport,
  options: { readonly dialect?: Dialect.Dialect | undefined; readonly limits?: Partial<Limits.Limits> | undefined } = {}
): Effect.Effect<End> =>
  Effect.flatMap(Budget.Budget, (shared) => {
    const { dialect = Dialect.jsonRpc } = options
    const limits = Limits.make(options.limits)
    for (const side of [near, far]) framingOf(side)?.choose(dialect.framing)
    const budget = shared ?? Budget.make(limits.budget)
    const left: Side = { name: "near", transport: near, owed: new Owed(limits.waiting) }
    const right: Side = { name: "far", transport: far, owed: new Owed(limits.waiting) }
    const room = new Room(budget, limits.writeStall)
    const [there, back] = room.readers
    let first: End | undefined
    const firstOf = (end: End) => first ??= end
    const evicted = Effect.callback<End>((resume) => {
      const end = () => resume(Effect.succeed(firstOf({ side: "near", error: budgetSpent })))
      return Effect.sync(budget.onEvict(end))
    })
    const common = { budget, dialect, limits, room, firstOf }
    return Effect.ensuring(
      Effect.raceAllFirst([evicted, pump(left, right, there, common), pump(right, left, back, common)]),
      Effect.all([near.close, far.close], { concurrency: 2 })
    )
  })

const tooBad = (count: number): TransportError => {
  const cause = new Error(`it sent ${count} bad frames in a row, as many as the limit \`badFrames\` allows`)
  return transportError({ _tag: "Lost", cause })
}

const budgetSpent = transportError({ _tag: "BudgetSpent" })

interface Side {
  readonly name: "near" | "far"
  readonly transport: Transport
  /** Its requests that the other side has not answered. */
  readonly owed: Owed
}

type Texts = NonEmptyReadonlyArray<string>

/** The parts that both directions share. */
interface Common {
  readonly budget: Budget.Budget
  readonly dialect: Dialect.Dialect
  readonly limits: Limits.Limits
  readonly room: Room
  readonly firstOf: (end: End) => End
}

/** One direction, which writes one thing after the other. */
const pump = (from: Side, to: Side, reader: Reader.Reader, common: Common): Effect.Effect<End> => {
  const { budget, dialect, firstOf, limits, room } = common
  const rules: Batch.DecodeOptions = {
    ...dialect,
    depth: limits.depth,
    batch: limits.batch,
    mistakes: { skipped: 0 }
  }
  const ended = (side: Side) => (error: TransportError): Effect.Effect<never, End> =>
    Effect.fail({ side: side.name, error })

  const send = (side: Side, texts: ReadonlyArray<string>): Effect.Effect<void, End> =>
    isSome(texts) ? Effect.catch(bounded(side.transport.send(texts), reader, common), ended(side)) : Effect.void

  /** How many frames of this side in a row could not be passed on. */
  let bad = 0

  const pass = (received: ReadonlyArray<Received>): Effect.Effect<void, End> =>
    Effect.suspend(() => {
      const replies: Array<string> = []
      const texts: Array<string> = []
      for (const each of received) {
        if (typeof each === "string") {
          bad = 0
          texts.push(each)
          continue
        }
        const reply = ErrorReply.toBadFrame(each, dialect)
        const failure = failureOf(each, to.owed, dialect)
        if (reply !== undefined) replies.push(reply)
        if (failure !== undefined) texts.push(failure)
        if (++bad >= limits.badFrames) break
      }
      const ids = texts.map((text) => idsOf(text, rules))
      // Before it is sent, because the answer may be here before `send` returns.
      for (const { asked } of ids) from.owed.add(asked)
      const weight = weightOf(received)
      const passed = Effect.andThen(send(to, texts), send(from, replies)).pipe(
        // Only after it was sent: a side that waits for its last answer is closed when it is settled.
        Effect.tap(() => Effect.sync(() => ids.forEach(({ answered }) => to.owed.settle(answered)))),
        Effect.andThen(bad >= limits.badFrames ? ended(from)(tooBad(bad)) : Effect.void)
      )
      return Effect.acquireUseRelease(
        Effect.sync(() => budget.take(weight)),
        () => passed,
        () => Effect.sync(() => budget.take(-weight))
      )
    })

  return Effect.andThen(room.wait, Effect.catch(from.transport.receive, ended(from))).pipe(
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

/** When more may be read. */
class Room {
  /** Those of both directions. */
  readonly readers: readonly [Reader.Reader, Reader.Reader]
  readonly #budget: Budget.Budget
  /** Those that wait, at most one for each direction. */
  readonly #waiting = new Set<() => void>()

  constructor(budget: Budget.Budget, writeStall: number) {
    const told: Pick<Budget.Budget, "unread"> = {
      unread: (now, before) => {
        budget.unread(now, before)
        if (before === "none") this.#look()
      }
    }
    this.#budget = budget
    this.readers = [new Reader.Reader(told, writeStall), new Reader.Reader(told, writeStall)]
  }

  readonly wait: Effect.Effect<void> = Effect.suspend(() =>
    this.#isThere() ? Effect.void : Budget.until(() => this.#isThere(), (again) => this.#hear(again))
  )

  #hear(again: () => void): () => void {
    const stop = this.#budget.onRoom(again)
    this.#waiting.add(again)
    return () => {
      this.#waiting.delete(again)
      stop()
    }
  }

  /** A write has begun to wait. */
  #look(): void {
    for (const again of [...this.#waiting]) again()
  }

  #isThere(): boolean {
    return !this.#budget.isSpent() || this.readers.some(({ isBehind }) => isBehind)
  }
}

/** While a side takes nothing, the relay does not read, and so does not see the end of the other side. */
const bounded = (
  write: Effect.Effect<void, TransportError>,
  reader: Reader.Reader,
  { limits: { writeStall } }: Common
): Effect.Effect<void, TransportError> => {
  const givenUp = Effect.suspend(() => {
    const cause = new Error(`a write made no progress for ${writeStall} ms`)
    return Effect.fail(transportError({ _tag: "Lost", cause }))
  })
  return Effect.ensuring(
    Effect.raceFirst(write, Effect.andThen(reader.stall, givenUp)),
    Effect.sync(() => reader.takes())
  )
}

const isSome = (texts: ReadonlyArray<string>): texts is Texts => texts.length > 0

/**
 * The text that stands in for a bad response: an error for the call that it answers. An error with id null stands in for a batch
 * of responses, as from a server that refuses the batch: only the caller knows which of its batches that may be.
 */
const failureOf = (bad: BadFrame, owed: Owed, dialect: Dialect.Dialect): string | undefined => {
  const { firstKind, id, kind, reason } = bad
  if (firstKind === "response") return Message.failureText("null", ErrorObject.parseError(), dialect)
  if (kind !== "response" || id === undefined || !owed.has(keyOf(id))) return undefined
  const error = reason === "TooLarge"
    ? ErrorObject.make(dialect.tooLargeCode, "Response too large")
    : ErrorObject.make(ErrorCode.InternalError, "The response cannot be read")
  return Message.failureText(id, error, dialect)
}

/** The key of an id that was found in a bad frame. Its source text is JSON. */
const keyOf = (id: string): string => RequestId.keyOf(RequestId.fromResponse(JSON.parse(id), () => id) ?? null)

/** Characters of an id whose answer is waited for. The bound keeps all waiting ids together small. */
const longestId = 256

/** Requests and answers of a text, by the texts of their ids. */
const idsOf = (text: string, rules: Batch.DecodeOptions) => {
  const batch = Batch.decode(text, rules)
  const asked: Array<string> = []
  const answered: Array<string> = []
  for (const member of Batch.isMembers(batch) ? batch : [batch]) {
    if (Result.isFailure(member) || member.success._tag === "Notification") continue
    const key = RequestId.keyOf(member.success.id)
    if (key.length <= longestId) (member.success._tag === "Request" ? asked : answered).push(key)
  }
  return { asked, answered }
}

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
      const count = this.counts.get(id)
      if (count !== undefined || this.counts.size < this.most) this.counts.set(id, (count ?? 0) + 1)
    }
  }

  has(id: string): boolean {
    return this.counts.has(id)
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
