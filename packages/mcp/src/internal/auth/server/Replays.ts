/** Names that were taken lately. Each is taken once, and forgotten when nobody would take it again anyway. */

/** @internal */
export class Replays {
  /** When each is forgotten. All are kept for the same time, so the oldest is the first. */
  readonly #until = new Map<string, number>()
  readonly #most: number
  readonly #keep: number

  constructor(most: number, keep: number) {
    this.#most = most
    this.#keep = keep
  }

  /** Takes a name, or gives the reason why it cannot. */
  take(name: string, now: number): "Replayed" | "Full" | undefined {
    for (const [oldest, until] of this.#until) {
      // In its last millisecond a name could still be taken.
      if (until >= now) break
      this.#until.delete(oldest)
    }
    if (this.#until.has(name)) return "Replayed"
    if (this.#until.size >= this.#most) return "Full"
    this.#until.set(name, now + this.#keep)
    return undefined
  }
}
