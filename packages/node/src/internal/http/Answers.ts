/**
 * The answers of a server that have not ended, so that it can end in order.
 */
import { RequestRules, Served } from "@parley/http/shared"
import { Roster } from "@parley/transport/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as http from "node:http"
import type { Socket } from "node:net"
import { refuse } from "./refusal.ts"

/** Answers a request in its own way. */
interface Owner {
  readonly refuse: (refusal: RequestRules.Refusal) => void
  /** Refuses it where its body has not arrived, and tells whether it did. */
  readonly refuseUnread: () => boolean
  /** Hears that the answer has ended, or its client has gone. */
  readonly leave: () => void
}

/** An answer that has not ended. */
interface Open extends Roster.Linked<Open> {
  readonly response: http.ServerResponse
  readonly owner: Owner | undefined
}

export class Answers {
  readonly #context: Context.Context<never>
  readonly #open = new Roster.Roster<Open>()
  #onQuiet: () => void = () => {}

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  add(response: http.ServerResponse, owner?: Owner): void {
    const open: Open = { response, owner, earlier: undefined, later: undefined }
    this.#open.add(open)
    response.on("close", () => {
      this.#open.delete(open)
      owner?.leave()
      if (this.#open.size === 0) this.#onQuiet()
    })
  }

  /** Whether a connection waits for one of them. */
  owes(socket: Socket): boolean {
    return this.#open.all().some(({ response }) => response.req.socket === socket && !response.writableEnded)
  }

  /**
   * Waits for the end of all, for so many milliseconds. Then `over` ends what runs, and tells whether that may still answer.
   * It has a moment for this: a stream that breaks off tells its client nothing. Then answers that have not begun are refused
   * with 503, and streams break off.
   */
  drain(within: number, over: () => boolean = () => false): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (Option.isSome(yield* Effect.timeoutOption(this.#quiet, within))) return
      // No endpoint answers a request whose body has not arrived.
      const others = this.#open.all().filter(({ owner }) => owner?.refuseUnread() !== true)
      if (over() && Option.isSome(yield* Effect.timeoutOption(this.#quiet, Served.grace))) return
      for (const { owner, response } of others) {
        if (response.headersSent) response.destroy()
        else if (owner !== undefined) owner.refuse(RequestRules.shuttingDown)
        else refuse(this.#context, response.req, response, RequestRules.shuttingDown)
      }
      yield* Effect.timeoutOption(this.#quiet, Served.grace)
    })
  }

  readonly #quiet = Effect.callback<void>((resume) => {
    this.#onQuiet = () => resume(Effect.void)
    if (this.#open.size === 0) this.#onQuiet()
  })
}
