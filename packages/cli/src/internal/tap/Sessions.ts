/**
 * The numbers of connections over HTTP: that of a session for all requests that name it, and one of its own for each
 * request that names none.
 */

/** How many sessions are remembered. Beyond that, the one that was used least recently gets a new number. */
const most = 1_000

export class Sessions {
  readonly #numbers = new Map<string, number>()
  #last = 0
  #exchanges = 0

  /** The number of the next exchange: a request and its answer. */
  exchange(): number {
    return ++this.#exchanges
  }

  /** The number of the session or else that of the URL, if one is known, or a new one, which the session keeps. */
  numberOf(session: string | undefined, url: string): number {
    const known = [session, url].find((name) => name !== undefined && this.#numbers.has(name))
    const number = (known === undefined ? undefined : this.#numbers.get(known)) ?? ++this.#last
    // A session that began before this watch did is one connection, too.
    const name = known ?? session
    if (name !== undefined) this.remember(name, number)
    return number
  }

  /** Gives a session the number of the request that has begun it. */
  remember(name: string, number: number): void {
    this.#numbers.delete(name)
    this.#numbers.set(name, number)
    const [oldest] = this.#numbers.keys()
    if (this.#numbers.size > most && oldest !== undefined) this.#numbers.delete(oldest)
  }
}
