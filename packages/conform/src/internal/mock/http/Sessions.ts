/** The sessions of a mock over HTTP, by their names. */

/** How many there are at most, how long one may be idle, and how one is ended. */
export interface Options<S> {
  readonly most: number
  /** Milliseconds. */
  readonly idle: number
  /** Whether somebody uses it, although no request of it comes. */
  readonly isBusy: (session: S) => boolean
  readonly end: (session: S) => void
}

/** One that is idle for too long ends, and beyond their number the one that was not used for longest. */
export class Sessions<S> {
  readonly #options: Options<S>
  /** Those that were used last come last. */
  readonly #all = new Map<string, { readonly session: S; readonly used: number }>()

  constructor(options: Options<S>) {
    this.#options = options
  }

  /** Adds a session. */
  add(name: string, session: S, now: number): void {
    this.#expire(now)
    this.#use(name, session, now)
    const [oldest] = this.#all.keys()
    if (this.#all.size > this.#options.most && oldest !== undefined) this.end(oldest)
  }

  /** The session of a name, which is used now. */
  use(name: string, now: number): S | undefined {
    this.#expire(now)
    const found = this.#all.get(name)
    if (found !== undefined) this.#use(name, found.session, now)
    return found?.session
  }

  /** Ends a session. */
  end(name: string): void {
    const found = this.#all.get(name)
    if (found === undefined) return
    this.#all.delete(name)
    this.#options.end(found.session)
  }

  #use(name: string, session: S, now: number): void {
    this.#all.delete(name)
    this.#all.set(name, { session, used: now })
  }

  #expire(now: number): void {
    for (const [name, { session, used }] of this.#all) {
      if (now - used < this.#options.idle) return
      if (this.#options.isBusy(session)) this.#use(name, session, now)
      else this.end(name)
    }
  }
}
