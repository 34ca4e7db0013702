/**
 * What a request is answered with.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import type { Budget } from "@parley/transport/Budget"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { ErrorResponse } from "../ErrorResponse.ts"

/** What is worth a line in our log, and none to the peer. @internal */
export type Log = (message: string, cause: Cause.Cause<unknown>) => void

/** A log that writes through the Logger of the connection. Nothing that goes on is lost for it. @internal */
export const logWith = (fork: <A, E>(effect: Effect.Effect<A, E>) => unknown): Log => (message, cause) => {
  fork(cause === Cause.empty ? Effect.logDebug(message) : Effect.logWarning(message, cause))
}

/** Reads a text by the rules of a dialect. @internal */
export const decoder = (dialect: Dialect, limits: Limits): (text: string) => Batch.Batch => {
  const { batches, nullId, nullParams } = dialect
  const options = { batches, nullId, nullParams, depth: limits.depth, batch: limits.batch }
  return (text) => Batch.decode(text, options)
}

/** The reply to a handler's exit. @internal */
export const fromExit = (
  id: string,
  exit: Exit.Exit<Schema.Json | void, ErrorResponse>,
  log: Log
): string => {
  try {
    return Exit.isSuccess(exit) ? Message.successText(id, exit.value ?? null) : fromCause(id, exit.cause, log)
  } catch (defect) {
    log("a reply cannot be written as JSON", Cause.die(defect))
    return Message.failureText(id, ErrorObject.internalError)
  }
}

const fromCause = (id: string, cause: Cause.Cause<ErrorResponse>, log: Log): string => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure === undefined) {
    log("a handler failed in a way it did not declare", cause)
    return Message.failureText(id, ErrorObject.internalError)
  }
  const { error } = failure
  if (error.cause !== undefined) log(`a handler answered ${error.code} ${error.message}`, Cause.die(error.cause))
  return Message.failureText(id, ErrorObject.make(error.code, error.message, error.data))
}

/** An error as a reply. One that cannot be written, such as a code that is no integer, is an internal error. @internal */
export const fromError = (id: string, error: ErrorObject.ErrorObject): string => {
  try {
    return Message.failureText(id, error)
  } catch {
    return Message.failureText(id, ErrorObject.internalError)
  }
}

/** The reply to what is no message, or `undefined` where it must not be answered. @internal */
export const fromMalformed = (error: Message.Malformed, dialect: Dialect): string | undefined => {
  if (error._tag === "InvalidResponse") return undefined
  const object = error._tag === "ParseError" ? ErrorObject.parseError() : ErrorObject.invalidRequest()
  const id = error._tag === "InvalidRequest" ? error.id : null
  if (id !== null || dialect.unreadableId === "null") return Message.failureText(RequestId.toText(id), object)
  return dialect.unreadableId === "silent" ? undefined : `{"jsonrpc":"2.0","error":${JSON.stringify(object)}}`
}

/** Where the reply of a request goes; `undefined` is no reply. @internal */
export interface Sink {
  readonly settle: (reply: string | undefined) => void
}

/** Gathers the replies of a batch, in the order of its requests, and gives one text when the last has come. @internal */
export class BatchReply {
  readonly #replies: Array<string | undefined> = []
  readonly #limit: number
  readonly #budget: Budget | undefined
  readonly #done: (text: string | undefined) => void
  #size = 0
  // One for `close`, so that replies that come while members are still read do not end it.
  #open = 1

  constructor(limit: number, budget: Budget | undefined, done: (text: string | undefined) => void) {
    this.#limit = limit
    this.#budget = budget
    this.#done = done
  }

  /** Reserves the next place. A reply beyond the limit becomes an error without its content. */
  member(id: string): Sink {
    const place = this.#replies.push(undefined) - 1
    this.#open++
    return {
      settle: (reply) => {
        this.#replies[place] = reply === undefined || this.#fits(reply) ? reply : fromError(id, tooLarge)
        this.#end()
      }
    }
  }

  /** The members are all read. */
  close() {
    this.#end()
  }

  #fits(reply: string): boolean {
    if (this.#size + reply.length > this.#limit) return false
    this.#size += reply.length
    this.#budget?.take(reply.length)
    return true
  }

  #end() {
    if (--this.#open > 0) return
    this.#budget?.take(-this.#size)
    const [first, ...rest] = this.#replies.filter((reply) => reply !== undefined)
    this.#done(first === undefined ? undefined : Batch.join([first, ...rest]))
  }
}

const tooLarge = ErrorObject.make(-32001, "Batch reply too large")
