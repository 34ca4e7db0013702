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
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import type * as Schema from "effect/Schema"
import type { ErrorResponse } from "../ErrorResponse.ts"
import type { AfterReply, Left } from "./AfterReply.ts"

/** What is worth a line in our log, and none to the peer. @internal */
export type Log = (message: string, cause: Cause.Cause<unknown>) => void

/** A log that writes through the Logger of the connection. Nothing that goes on is lost for it. @internal */
export const logWith = (context: Context.Context<never>): Log => {
  // A host that answers texts has one of these for each, and most have nothing to say.
  let isDebugging: boolean | undefined
  return (message, cause) => {
    if (cause !== Cause.empty) return void Effect.runForkWith(context)(Effect.logWarning(message, cause))
    isDebugging ??= !LogLevel.isGreaterThan(Context.get(context, References.MinimumLogLevel), "Debug")
    // Anyone may send what nothing serves, as fast as they can: it starts no fiber that would only find this out.
    if (isDebugging) Effect.runForkWith(context)(Effect.logDebug(message))
  }
}

/** Reads a text by the rules of a dialect. @internal */
export const decoder = (dialect: Dialect, limits: Limits): (text: string) => Batch.Batch => {
  const options = new Rules(dialect, limits)
  return (text) => Batch.decode(text, options)
}

/** What a dialect says at the time: it may change when the two sides have agreed on more. */
class Rules implements Batch.DecodeOptions {
  readonly depth: number
  readonly batch: number
  readonly #dialect: Dialect

  constructor(dialect: Dialect, limits: Limits) {
    this.#dialect = dialect
    this.depth = limits.depth
    this.batch = limits.batch
  }

  get batches() {
    return this.#dialect.batches
  }

  get nullId() {
    return this.#dialect.nullId
  }

  get nullParams() {
    return this.#dialect.nullParams
  }
}

/** Answers a request with its handler's exit; `after` is for a success, and dropped otherwise. @internal */
export const settle = (
  sink: Sink,
  id: string,
  exit: Exit.Exit<Schema.Json | void, ErrorResponse>,
  after: After | undefined,
  drop: AfterReply["drop"],
  log: Log
): void => {
  let reply: string
  try {
    reply = Exit.isSuccess(exit) ? Message.successText(id, exit.value ?? null) : fromCause(id, exit.cause, log)
  } catch (defect) {
    log("a reply cannot be written as JSON", Cause.die(defect))
    drop(after)
    return sink.settle(Message.failureText(id, ErrorObject.internalError))
  }
  if (Exit.isSuccess(exit)) return sink.settle(reply, after)
  drop(after)
  sink.settle(reply)
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

/** What is to run when a success is on its way. @internal */
export type After = ReadonlyArray<Left>

/** Where the reply of a request goes; `undefined` is no reply. @internal */
export interface Sink {
  readonly settle: (reply: string | undefined, after?: After) => void
}

/** Gathers the replies of a batch, in the order of its requests, and gives one text when the last has come. @internal */
export class BatchReply {
  readonly #replies: Array<string | undefined> = []
  readonly #limit: number
  readonly #budget: Budget | undefined
  readonly #done: Sink
  readonly #drop: AfterReply["drop"]
  #after: Array<Left> | undefined
  #size = 0
  // One for `close`, so that replies that come while members are still read do not end it.
  #open = 1

  constructor(limit: number, budget: Budget | undefined, done: Sink, drop: AfterReply["drop"]) {
    this.#limit = limit
    this.#budget = budget
    this.#done = done
    this.#drop = drop
  }

  /** Reserves the next place. A reply beyond the limit becomes an error without its content. */
  member(id: string): Sink {
    const place = this.#replies.push(undefined) - 1
    this.#open++
    return {
      settle: (reply, after) => {
        const fits = reply === undefined || this.#fits(reply)
        this.#replies[place] = fits ? reply : fromError(id, tooLarge)
        if (!fits) this.#drop(after)
        else if (after !== undefined) (this.#after ??= []).push(...after)
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
    this.#done.settle(first === undefined ? undefined : Batch.join([first, ...rest]), this.#after)
  }
}

const tooLarge = ErrorObject.make(-32001, "Batch reply too large")
