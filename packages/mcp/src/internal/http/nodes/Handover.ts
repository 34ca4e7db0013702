/**
 * The planned end of a node: it lets go of each session as soon as no call of it runs, so that other nodes go on with it,
 * and none of its calls is interrupted. Streams that clients read are not waited for.
 */
import * as Effect from "effect/Effect"

/** @internal */
export interface HandoverOptions<Session> {
  readonly sessions: () => Iterable<Session>
  readonly release: (session: Session) => void
  /** Whether no session is left, and none is being let go. */
  readonly isDone: () => boolean
}

/** @internal */
export class Handover<Session extends { readonly isEnded: boolean; readonly isRunning: boolean }> {
  readonly #options: HandoverOptions<Session>
  /** Hears that no session is left; `undefined` while the node does not end. */
  #onDone: (() => void) | undefined

  constructor(options: HandoverOptions<Session>) {
    this.#options = options
  }

  /** Begins the end, and waits for it. */
  readonly done: Effect.Effect<void> = Effect.callback((resume) => {
    this.#onDone = () => resume(Effect.void)
    for (const session of [...this.#options.sessions()]) this.rest(session)
    this.check()
  })

  /** A call of a session has ended. */
  rest(session: Session) {
    if (this.#onDone !== undefined && !session.isEnded && !session.isRunning) this.#options.release(session)
  }

  /** A session was let go. */
  check() {
    if (this.#options.isDone()) this.#onDone?.()
  }
}
