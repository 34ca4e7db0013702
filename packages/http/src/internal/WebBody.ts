/**
 * The body of a Web response, which is read on while what came is taken.
 *
 * `fetch` keeps what nobody reads, as it came: where a server sends chunks of one
 * byte, 64 KiB of them take 7 MiB in Node.js. So a body is read as it comes, up to
 * a mebibyte ahead of its taker. Then it waits unread, and counts as so much.
 */
import { Disconnected } from "@parley/peer/Caller"
import { Bytes } from "@parley/protocol/shared"
import type { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import { Growth } from "./Reserve.ts"

const MiB = 1024 * 1024

/** Bytes that are read ahead: so much does not come while a taker waits for its turn only. */
const ahead = MiB

/** Bytes that `fetch` may take for what it keeps of a body. */
const unread = 8 * MiB

export class WebBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #room: Growth
  /** One body that waits does not spend a small budget. */
  readonly #scale: number
  /** The piece that is waited for, whoever takes it. */
  #coming: ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> | undefined
  /** The bytes that were read ahead. */
  #bytes = new Bytes.Bytes()
  #isTaking = false
  #isAhead = false
  #isOver = false

  constructor(body: ReadableStream<Uint8Array>, share: Budget.Share) {
    this.#reader = body.getReader()
    this.#room = new Growth(share)
    this.#scale = Math.min(1, share.limit / (2 * unread))
    this.#goAhead()
  }

  /** Gives each piece, and goes on when it has been taken. */
  read<E>(
    take: (piece: Uint8Array) => Effect.Effect<void, E> | undefined
  ): Effect.Effect<void, Disconnected | E> {
    // An aborted `fetch` keeps the functions that ran then, as long as the connection: they must not keep what was taken.
    const taker: { take: typeof take | undefined } = { take }
    const next: Effect.Effect<void, Disconnected | E> = Effect.flatMap(
      Effect.tryPromise({
        try: () => this.#next(),
        catch: (cause) => this.#isOver ? overrun() : new Disconnected({ reason: { _tag: "Lost", cause }, sent: true })
      }),
      (piece) => {
        if (piece === undefined) return this.#isOver ? Effect.fail(overrun()) : Effect.void
        const taken = taker.take?.(piece)
        if (taken === undefined) return next
        this.#goAhead()
        return Effect.andThen(taken, next)
      }
    )
    return Effect.ensuring(
      next,
      Effect.sync(() => {
        taker.take = undefined
      })
    )
  }

  /** Others are given its room: reading fails. */
  readonly evict = (): void => {
    this.#isOver = true
    this.#bytes = new Bytes.Bytes()
    this.#room.hold(0)
    // In a turn of its own, for the same reason.
    queueMicrotask(() => this.#reader.cancel().catch(() => {}))
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver) return undefined
    this.#isTaking = false
    const bytes = this.#bytes
    this.#room.hold(bytes.size)
    if (bytes.size > 0) {
      this.#bytes = new Bytes.Bytes()
      return bytes.join()
    }
    const { value } = await this.#come()
    this.#coming = undefined
    return value
  }

  #come() {
    return this.#coming ??= this.#reader.read()
  }

  #goAhead(): void {
    this.#isTaking = true
    if (this.#isAhead) return
    this.#isAhead = true
    void this.#readAhead()
  }

  async #readAhead(): Promise<void> {
    try {
      while (this.#bytes.size < ahead * this.#scale) {
        const { done, value } = await this.#come()
        if (done || this.#isOver || !this.#isTaking) return
        this.#coming = undefined
        this.#bytes.add(value)
        this.#room.hold(this.#room.held + value.length)
      }
      this.#room.hold(this.#room.held + unread * this.#scale)
    } catch {
      // The taker hears of it behind what came before.
    } finally {
      this.#isAhead = false
    }
  }
}

/** The end of an answer that gives its room to others. */
export const overrun = () => new Disconnected({ reason: { _tag: "Overrun" }, sent: true })
