/**
 * A transport over a wire that posts values: message ports, workers, windows.
 *
 * Owns how a text becomes a value and back, and the credits. Such wires buffer
 * everything until somebody reads it. So with `flow: "credits"` each side posts,
 * beside its texts, values that are not strings:
 *
 * - `0` when it starts, and once more as the answer to the other side's first `0`: it counts what it reads;
 * - a number above: so much of the other side's texts has been read since the last one;
 * - `null`: it has closed.
 *
 * A sender suspends before a text while more than a window is on its way. The same
 * window holds until the other side has posted its `0`, because it may not have
 * started yet. When its first text comes without a `0`, or after
 * `Limits.handshake` milliseconds at a full window, the other side knows no credits,
 * and senders no longer wait. If more than a window and one frame then lie unread
 * here, the connection ends with `Unread`.
 */
import type * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import { BadFrame } from "@parley/protocol/shared"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Budget from "../shared/Budget.ts"
import * as Direct from "../shared/Direct.ts"
import * as Occupancy from "../shared/Occupancy.ts"
import type { Received, Transport } from "../Transport.ts"
import * as json from "./json.ts"
import { boundsOf, Inbox, Waiters, weightOf } from "./messages.ts"
import * as TransportError from "./TransportError.ts"

/** @see MessagePortTransport, which publishes it */
export type Options =
  & {
    readonly limits?: Partial<Limits.Limits> | undefined
  }
  & (
    | { readonly wire?: "text" | undefined; readonly flow?: "credits" | "none" | undefined }
    | { readonly wire: "object"; readonly flow?: "none" | undefined }
  )

/** The events of a wire. */
export interface Events {
  readonly onMessage: (value: unknown) => void
  /** A message could not be read. */
  readonly onUnreadable: () => void
  /** The other side has gone: in order, or with this error. */
  readonly onEnd: (cause?: { readonly error: unknown }) => void
}

/** A wire that posts values. */
export interface Wire {
  /** May throw. */
  readonly post: (value: unknown) => void
  /** Calls the events from now on. Returns how to stop that. */
  readonly listen: (events: Events) => () => void
  readonly close: () => void
}

/**
 * UTF-16 units that may be on their way before a sender waits: enough to keep a reader in another thread busy while the
 * credit travels, and little beside a frame.
 */
const window = 1024 * 1024

export const make = Effect.fnUntraced(function*(
  wire: Wire,
  options: Options
): Effect.fn.Return<Transport, never, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const shared = { budget: yield* Budget.Budget, occupancy: yield* Occupancy.Occupancy }
  const fork = Effect.runForkWith(yield* Effect.context())
  return yield* Effect.acquireRelease(
    Effect.sync(() => open(wire, options, limits, shared, fork)),
    (transport) => transport.close
  )
})

const open = (
  wire: Wire,
  options: Options,
  limits: Limits.Limits,
  { budget, occupancy }: {
    readonly budget: Budget.Budget | undefined
    readonly occupancy: Occupancy.Occupancy | undefined
  },
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
): Transport => {
  const isText = options.wire !== "object"
  const credits = isText && options.flow !== "none"

  /** Whether the other side counts what it reads. Undefined until that is known. */
  let counts: boolean | undefined = credits ? undefined : false
  /** The weight of texts that were posted and not read yet. */
  let onItsWay = 0
  /** The weight of texts that were read here and not reported yet. */
  let untold = 0
  let isOver = false
  /** Waits for the other side's first word, while a sender waits. */
  let patience: Fiber.Fiber<void> | undefined

  const senders = new Waiters()
  const release = () => senders.release(inbox.broken ?? Exit.void)

  const onRead = (weight: number) => {
    if (!credits || isOver) return
    untold += weight
    // Often enough to keep the sender's window open, and seldom enough to cost nothing.
    if (untold < window / 4) return
    const told = untold
    untold = 0
    post(told)
  }
  const inbox = new Inbox({ bounds: boundsOf(limits, budget, window), onTaken: onRead })

  const lost = (cause: unknown) => {
    inbox.end({ _tag: "Lost", cause })
    shut()
  }
  const post = (value: unknown) => {
    try {
      wire.post(value)
    } catch (cause) {
      lost(cause)
    }
  }

  /** Ends the wire, whoever ended the connection. */
  const shut = () => {
    if (isOver) return
    isOver = true
    forget?.()
    patience?.interruptUnsafe()
    stop()
    release()
    try {
      if (credits) wire.post(null)
    } catch {
      // The other side cannot be told any more.
    }
    wire.close()
  }

  const forget = budget?.onEvict(() => {
    inbox.end({ _tag: "BudgetSpent" })
    shut()
  })

  const receive = (received: Received, weight: number) => {
    occupancy?.speak()
    if (inbox.hand([received])) onRead(weight)
    else if (inbox.keep(received, weight)) return
    else shut()
  }
  const onText = (text: string) => {
    if (text.length <= limits.frame) return receive(text, weightOf(text))
    const bad = BadFrame.ofText("TooLarge", text)
    const held = weightOf(bad)
    // Nobody will read the rest of it.
    onRead(Math.max(0, weightOf(text) - held))
    receive(bad, held)
  }
  const onBad = (bad: Framing.BadFrame) => receive(bad, weightOf(bad))

  const onCredit = (weight: number) => {
    // It may have begun to listen after we said so.
    if (counts === undefined) post(0)
    counts = true
    patience?.interruptUnsafe()
    onItsWay = Math.max(0, onItsWay - weight)
    release()
  }
  const giveUp = () => {
    if (counts !== undefined) return
    counts = false
    patience?.interruptUnsafe()
    release()
  }
  const goneAway = () => {
    // First: the reader that this ends may send at once.
    inbox.breakOff({ _tag: "Lost", cause: new Error("the other side has closed") })
    inbox.end({ _tag: "EndOfInput" })
    release()
  }

  const onMessage = (value: unknown) => {
    if (credits && isCredit(value)) return onCredit(value)
    if (credits && value === null) return goneAway()
    giveUp()
    if (!isText) {
      const text = json.textOf(value, limits.frame)
      return typeof text === "string" ? onText(text) : onBad(badValue(text.reason, text.what, value))
    }
    return typeof value === "string" ? onText(value) : onBad(badValue("NotText", json.nameOf(value), value))
  }

  const stop = wire.listen({
    onMessage: (value) => isOver ? undefined : onMessage(value),
    onUnreadable: () => isOver ? undefined : onBad(BadFrame.ofText("NotText", "(not readable)")),
    onEnd: (cause) => {
      if (isOver) return
      return cause === undefined ? goneAway() : lost(cause.error)
    }
  })
  if (credits) post(0)

  /** Woken in the order of their sends, so that the texts of one send stay together. */
  const room = () => {
    if (counts === undefined) patience ??= fork(Effect.andThen(Effect.sleep(limits.handshake), Effect.sync(giveUp)))
    return senders.wait
  }

  const sendText = (text: string): Exit.Exit<void, TransportError.TransportError> => {
    if (isText) {
      onItsWay += weightOf(text)
      post(text)
      return inbox.broken ?? Exit.void
    }
    const value = json.valueOf(text)
    if (value === undefined) return notJson
    post(value.json)
    return inbox.broken ?? Exit.void
  }

  const sendFrom = (
    texts: NonEmptyReadonlyArray<string>,
    first: number
  ): Effect.Effect<void, TransportError.TransportError> => {
    if (inbox.broken !== undefined) return inbox.broken
    occupancy?.touch()
    for (let index = first; index < texts.length; index++) {
      if (counts !== false && onItsWay > window) return Effect.flatMap(room(), () => sendFrom(texts, index))
      // The index is below the length.
      const sent = sendText(texts[index] as string)
      if (Exit.isFailure(sent)) return sent
    }
    return Exit.void
  }

  return {
    receive: inbox.receive,
    send: Direct.send((texts) => sendFrom(texts, 0)),
    close: Effect.sync(() => {
      inbox.close()
      shut()
    })
  }
}

const badValue = (reason: Framing.BadFrame["reason"], what: string, value: unknown): Framing.BadFrame =>
  BadFrame.ofValue(reason, what, json.envelopeOf(value))

const notJson = Exit.fail(TransportError.transportError({
  _tag: "Lost",
  cause: new Error("a text that is not JSON cannot be posted as an object")
}))

const isCredit = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
