/**
 * The calls of an upstream whose clients may have to come back for them, so many altogether and of each party.
 */
import { Shares } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Room } from "./Backlog.ts"
import type { Running } from "./Running.ts"

export interface Options {
  readonly server: string
  readonly most: number
  readonly mostOfOne: number
  /** Milliseconds until a call is given up that nobody has come back for. */
  readonly patience: number
  /** Lasts as long as `all`: a call may wait longer than its upstream lasts. */
  readonly scope: Scope.Scope
  /** The room for what waits of the calls. */
  readonly room: Room
  /** The calls by their ids, those of an upstream that this one replaces among them. */
  readonly all: Map<string, Running>
}

export class Calls {
  readonly #options: Options
  readonly #shares: Shares.Shares

  constructor(options: Options) {
    this.#options = options
    this.#shares = new Shares.Shares(options.most, options.mostOfOne)
  }

  get room(): Room {
    return this.#options.room
  }

  /**
   * Keeps a call that holds so many characters, unless there are too many. A request that attends to it at once takes the
   * patience back.
   */
  add(running: Running, size: number): Effect.Effect<void, ErrorResponse.ErrorResponse> {
    return Effect.suspend(() => {
      const beyond = this.#shares.fullFor(running.party)
      if (beyond !== undefined) {
        return Effect.fail(
          ErrorResponse.make(
            McpError.Overloaded,
            `No more than ${
              this.#shares.boundOf(beyond)
            } calls of the server ${this.#options.server} may wait for answers of their clients at once`
          )
        )
      }
      if (!running.hold(size)) {
        return Effect.fail(
          ErrorResponse.make(
            McpError.Overloaded,
            `No room for a call of the server ${this.#options.server} that may wait for answers of its client`
          )
        )
      }
      this.#shares.take(running.party)
      running.onEnd = () => this.#shares.give(running.party)
      this.#options.all.set(running.id, running)
      return this.park(running)
    })
  }

  /** The call that a client has come back for, if it may. */
  get(id: string, principal: string | undefined): Running | undefined {
    const running = this.#options.all.get(id)
    return running?.principal === principal ? running : undefined
  }

  /** Waits until somebody attends to a call, and gives it up at last. */
  park(running: Running): Effect.Effect<void> {
    const { patience, scope, server } = this.#options
    const given = Effect.sleep(patience).pipe(
      Effect.andThen(
        Effect.logInfo(
          `no client came back with the answers that a call of the server ${Excerpt.line(server)} waits for`
        )
      ),
      Effect.andThen(Effect.sync(() => this.end(running)))
    )
    return Effect.map(Effect.forkIn(given, scope), (fiber) => {
      running.patience = fiber
    })
  }

  /** Ends a call, whether it has its result or not. */
  end(running: Running) {
    if (this.#options.all.delete(running.id)) running.onEnd?.()
    running.patience?.interruptUnsafe()
    running.fiber?.interruptUnsafe()
    running.end()
  }
}
