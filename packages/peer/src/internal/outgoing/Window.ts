/**
 * Bounds the requests of ours that are written and unanswered. JSON-RPC has no
 * flow control, so the calling side keeps to what a peer takes by its defaults.
 * Then an honest other side never has to refuse a call.
 */
import type { Limits } from "@parley/protocol/Limits"
import type { Entry } from "../../Correlator.ts"

/** @internal */
export class Window {
  readonly #limits: Pick<Limits, "window" | "windowBytes">
  #count = 0
  #size = 0

  constructor(limits: Pick<Limits, "window" | "windowBytes">) {
    this.#limits = limits
  }

  /** One call may always go, however long its text is. */
  hasRoom(): boolean {
    return this.#count === 0 || (this.#count < this.#limits.window && this.#size < this.#limits.windowBytes)
  }

  /** Counts a call that is written. */
  add(call: Entry, size: number): void {
    call.size = size
    this.#count++
    this.#size += size
  }

  /** Stops counting a call that has ended. */
  remove(call: Entry): void {
    if (call.size === 0) return
    this.#count--
    this.#size -= call.size
    call.size = 0
  }
}
