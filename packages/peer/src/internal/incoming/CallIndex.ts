/**
 * The requests that run or wait, by the value of their id, so that a cancellation finds its call at once however many
 * there are.
 */
import type { LaneCall } from "../conversation/Lane.ts"

/** @internal */
export class CallIndex {
  readonly #calls = new Map<string, Set<LaneCall>>()

  add(call: LaneCall): void {
    if (call.id === undefined) return
    const { key } = call
    const calls = this.#calls.get(key)
    if (calls === undefined) this.#calls.set(key, new Set([call]))
    else calls.add(call)
  }

  delete(call: LaneCall): void {
    if (call.id === undefined) return
    const { key } = call
    const calls = this.#calls.get(key)
    if (calls?.delete(call) === true && calls.size === 0) this.#calls.delete(key)
  }

  /** The oldest call that was not stopped, and is not in the first step of its handler. */
  oldest(key: string): LaneCall | undefined {
    for (const call of this.#calls.get(key) ?? []) {
      if (call.stopped === undefined && (call.isQueued || call.fiber !== undefined)) return call
    }
    return undefined
  }
}
