/**
 * The received and unread data of one side of a conversation, and the grants to the other side.
 *
 * It owns the order and the bounds of unread data. Data that is read is granted again; the link sends the grants.
 */
import type { Budget } from "@parley/transport/shared"
import type * as Transport from "@parley/transport/Transport"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Packet from "./Packet.ts"

type Failure = Exit.Exit<never, Transport.TransportError>
type Chunks = NonEmptyReadonlyArray<Uint8Array>
type Resume = (exit: Exit.Exit<Chunks, Transport.TransportError>) => void

/** The weight that may be on its way to a side: 64 MiB, which a server of NATS keeps for a client, are 256 of these. */
export const window = 256 * 1024

export class Inbox {
  readonly #budget: Budget.Budget | undefined
  readonly #onRead: () => void
  #chunks: Array<Uint8Array> = []
  #unread = 0
  #reader: Resume | undefined = undefined
  #ended: Failure | undefined = undefined
  /** The weight of all that came, and how much of it the other side knows as read. */
  #arrived = 0
  #told = 0

  /** `onRead` is called when so much was read that the other side should know. */
  constructor(budget: Budget.Budget | undefined, onRead: () => void) {
    this.#budget = budget
    this.#onRead = onRead
  }

  readonly pull: Effect.Effect<Chunks, Transport.TransportError> = Effect.callback((resume) => {
    if (this.#chunks.length > 0) {
      // Its length was looked at.
      const chunks = this.#chunks as unknown as Chunks
      this.drop()
      return resume(Exit.succeed(chunks))
    }
    if (this.#ended !== undefined) return resume(this.#ended)
    this.#reader = resume
    return Effect.sync(() => {
      this.#reader = undefined
    })
  })

  /** Takes data. Gives why the conversation has to end, if it has. */
  take(bytes: Uint8Array, largest: number): Transport.TransportReason | undefined {
    const weight = Packet.weightOf(bytes.length)
    this.#arrived += weight
    const reader = this.#reader
    if (reader !== undefined) {
      // Resuming runs the reader at once, and it may pull again before it returns.
      this.#reader = undefined
      reader(Exit.succeed([bytes]))
    } else if (this.#ended === undefined) return this.#keep(bytes, weight, largest)
    // Data behind the end is never read.
    this.#grant()
    return undefined
  }

  /** All that was read, which the other side knows from now on. */
  tell(): number {
    if (this.#chunks.length === 0) this.#told = this.#arrived
    return this.#told
  }

  /** Forgets what lies here. */
  drop(): void {
    this.#budget?.take(-this.#unread)
    this.#chunks = []
    this.#unread = 0
    this.#grant()
  }

  /** Nothing more will come. What lies here is read first. */
  end(exit: Failure): void {
    this.#ended ??= exit
    const reader = this.#reader
    this.#reader = undefined
    reader?.(this.#ended)
  }

  #keep(bytes: Uint8Array, weight: number, largest: number): Transport.TransportReason | undefined {
    this.#chunks.push(bytes)
    this.#unread += weight
    this.#budget?.take(weight)
    if (this.#unread > window + Packet.weightOf(largest)) return { _tag: "Unread", bytes: this.#unread }
    return this.#budget?.isSpent() === true && !this.#budget.evict() ? { _tag: "BudgetSpent" } : undefined
  }

  /** Often enough to keep the window open. */
  #grant(): void {
    if (this.#chunks.length === 0 && this.#arrived - this.#told >= window / 4) this.#onRead()
  }
}
