/** Asking by a request of the server's own, whose response is the answer. */
import type { Caller } from "@parley/peer/Caller"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type AskError, InvalidAnswer } from "../../../server/ClientRequestError.ts"
import { Keys } from "./Keys.ts"
import type { Asker, Question } from "./Questions.ts"

export class Direct implements Asker {
  private readonly caller: Caller
  private readonly timeout: Duration.Input
  private readonly keys = new Keys()

  constructor(caller: Caller, timeout: Duration.Input | undefined) {
    this.caller = caller
    this.timeout = timeout ?? Duration.infinity
  }

  ask<A>(key: string, { read, request: { method, params } }: Question<A>): Effect.Effect<A, AskError> {
    return this.keyed(
      key,
      Effect.flatMap(this.caller.request(method, params, { timeout: this.timeout }), (answer) => {
        const result = read(answer)
        return Result.isSuccess(result)
          ? Effect.succeed(result.success)
          : Effect.fail(new InvalidAnswer({ key, method, issues: result.failure.issues }))
      })
    )
  }

  /** The handler runs once only: there is nothing to remember. */
  once<A, I, E, R>(key: string, _: Schema.Codec<A, I>, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.keyed(key, effect)
  }

  private keyed<A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.keys.take(key)
      return Effect.onExit(
        effect,
        (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => this.keys.release(key))
      )
    })
  }
}
