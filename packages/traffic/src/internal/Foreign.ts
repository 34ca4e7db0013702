/**
 * Hears JSON that is no message of JSON-RPC, such as the events of some servers, and keeps it from the reader.
 *
 * Owns the order: what came before has been read when a value is heard, and what came after is read when it was heard.
 * Nothing else is buffered, so a slow listener stops the reading; texts that wait for it count on the budget.
 *
 * ```ts run
 * import { Tap } from "@parley/traffic"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const hearing = Tap.foreign((value) => Effect.sync(() => console.log(JSON.stringify(value))))
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const messages = yield* hearing(near)
 *   yield* far.send([`{"event":"begun"}`, `{"jsonrpc":"2.0","method":"hello"}`])
 *   // => {"event":"begun"}
 *   console.log(yield* messages.receive) // => [ '{"jsonrpc":"2.0","method":"hello"}' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Batch from "@parley/protocol/Batch"
import { Excerpt, Splice } from "@parley/protocol/shared"
import { Budget } from "@parley/transport/shared"
import type { Received, Transport, Wrapping } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { weightOf } from "./weight.ts"

/**
 * Takes a value that is no message. The reading waits until it has ended, so that it may call the other side only in a
 * fiber of its own. Where the reading is interrupted meanwhile, the value is given again. A defect is logged.
 *
 * @category models
 * @since 0.1.0
 */
export type Hear = (value: Schema.Json) => Effect.Effect<void>

/** A text of more characters is passed on unread: an event is short, and each text is parsed twice. */
const longest = 65_536

/**
 * A wrapping that gives JSON which resembles no message to `hear`: values that are no objects, and objects without
 * `jsonrpc`, `method`, `result` and `error`; also those in a batch. A text of more than 65,536 characters is passed on
 * as it is.
 *
 * @category wrapping
 * @since 0.1.0
 */
export const foreign = (hear: Hear): Wrapping => (inner) =>
  Effect.map(Budget.Budget, (budget): Transport => {
    let waiting: ReadonlyArray<Received | Heard> = []
    /** How many of them are read or heard. */
    let done = 0
    let weight = 0

    const hold = (next: ReadonlyArray<Received | Heard>, nextWeight: number): void => {
      budget?.take(nextWeight - weight)
      waiting = next
      weight = nextWeight
      done = 0
    }

    const release = (count: number): void => {
      done += count
      if (done >= waiting.length) hold([], 0)
    }

    const read = Effect.uninterruptibleMask((restore) =>
      Effect.map(restore(inner.receive), (received) => hold(received.flatMap(split), weightOf(received)))
    )

    const receive: Transport["receive"] = Effect.suspend(() => {
      const first = waiting[done]
      if (first === undefined) return Effect.andThen(read, receive)
      if (first instanceof Heard) {
        return Effect.flatMap(heard(hear, first), () => {
          release(1)
          return receive
        })
      }
      const texts: [Received, ...Array<Received>] = [first]
      for (let at = done + 1; at < waiting.length; at++) {
        const next = waiting[at]
        if (next === undefined || next instanceof Heard) break
        texts.push(next)
      }
      release(texts.length)
      return Effect.succeed(texts)
    })

    const dropping = (end: Effect.Effect<void>) =>
      Effect.suspend(() => {
        hold([], 0)
        return end
      })

    return {
      receive,
      send: inner.send,
      close: dropping(inner.close),
      abort: inner.abort && dropping(inner.abort),
      framing: inner.framing
    }
  })

/** A value that is to be heard. */
class Heard {
  readonly value: Schema.Json

  constructor(value: Schema.Json) {
    this.value = value
  }
}

/** A text without what is no message, and that, in their order. */
const split = (text: Received): ReadonlyArray<Received | Heard> => {
  if (typeof text !== "string" || text.length > longest) return [text]
  const batch = Batch.decode(text, { foreign: "keep" })
  if (!Batch.isMembers(batch)) {
    const value = foreignOf(batch)
    return value === undefined ? [text] : [new Heard(value)]
  }
  const values = batch.map(foreignOf)
  if (values.every((value) => value === undefined)) return [text]
  const members = Splice.parts(text).filter((_, index) => values[index] === undefined)
  const heard = values.flatMap((value) => value === undefined ? [] : [new Heard(value)])
  return members.length === 0 ? heard : [...heard, `[${members.join(",")}]`]
}

const foreignOf = (decoded: Batch.Decoded): Schema.Json | undefined =>
  Result.isFailure(decoded) && decoded.failure._tag === "InvalidRequest" ? decoded.failure.foreign : undefined

const heard = (hear: Hear, { value }: Heard): Effect.Effect<void> =>
  Effect.catchDefect(
    Effect.suspend(() => hear(value)),
    (defect) => Effect.logWarning("the listener to `JSON that is no message` died", Excerpt.cause(Cause.die(defect)))
  )
