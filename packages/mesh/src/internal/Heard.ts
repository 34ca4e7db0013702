/** When each of the nodes that matter was heard last, in milliseconds of the clock. */

/** @internal */
export class Heard {
  readonly #at = new Map<string, number>()
  /** Since when what was sent to a node has had no receiver. */
  readonly #unreached = new Map<string, number>()

  /** A node matters from now on. One that does already has no more time than before. */
  expect(node: string, now: number) {
    if (!this.#at.has(node)) this.#at.set(node, now)
  }

  /** A message of a node arrived. Its time is kept only if somebody waits for the node. */
  hear(node: string, now: number) {
    if (this.#at.has(node)) this.#at.set(node, now)
    this.#unreached.delete(node)
  }

  /** A text for a node had no receiver. Gives since when there was none. */
  miss(node: string, now: number): number {
    const since = this.#unreached.get(node) ?? now
    if (this.#at.has(node)) this.#unreached.set(node, since)
    return since
  }

  /** A text for a node had a receiver. */
  reach(node: string) {
    this.#unreached.delete(node)
  }

  /** All have their time from now on. */
  hearAll(now: number) {
    for (const node of this.#at.keys()) this.#at.set(node, now)
  }

  isSilentSince(node: string, time: number): boolean {
    return (this.#at.get(node) ?? Number.POSITIVE_INFINITY) <= time
  }

  /** Only these nodes matter now. */
  keep(nodes: { readonly has: (node: string) => boolean }) {
    for (const node of this.#at.keys()) {
      if (nodes.has(node)) continue
      this.#at.delete(node)
      this.#unreached.delete(node)
    }
  }
}
