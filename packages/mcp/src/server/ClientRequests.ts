/**
 * Requests to the client: for a person's input, a model's message, the roots of its work.
 *
 * `direct` sends requests and waits for their responses. `rounds` runs a handler until it needs answers, ends it, and
 * gives the questions as a result; the retry runs the handler again with the answers. A handler that asks under
 * explicit keys cannot tell which of the two it runs in.
 *
 * ```ts run
 * import * as ClientRequests from "@parley/mcp/server/ClientRequests"
 * import { Schema } from "effect"
 *
 * const nights = Schema.Int.annotate({ title: "Nights" })
 * console.log(JSON.stringify(ClientRequests.requestedSchema({ nights })))
 * // => {"type":"object","properties":{"nights":{"type":"integer","title":"Nights"}},"required":["nights"]}
 *
 * try {
 *   ClientRequests.requestedSchema({ guest: Schema.Struct({ name: Schema.String }) })
 * } catch (error) {
 *   console.log(error instanceof ClientRequests.UnsuitableForm) // => true
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { Params } from "@parley/contract/shared"
import type { Caller } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as form from "../internal/schema/form.ts"
import * as questions from "../internal/server/questions/Questions.ts"
import * as Round from "../internal/server/questions/Round.ts"
import type { McpContext } from "../McpContext.ts"
import type { ClientCapabilities } from "../payload/Capabilities.ts"
import type { ObjectSchema } from "../payload/Listing.ts"
import type * as StandardSchema from "../schema/StandardSchema.ts"
import type { RevisionCodec } from "../wire/RevisionCodec.ts"

/**
 * The questions that a handler can ask. A key names one question, or one `memo`, of a call: to use it twice is a
 * defect, unless the first use failed.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientRequests = Pick<
  McpContext,
  "elicit" | "elicitUrl" | "sample" | "listRoots" | "ask" | "memo" | "detach"
>

/**
 * The client that is asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Client {
  /** The codec of the revision that the client speaks. */
  readonly codec: RevisionCodec
  /** The capabilities that the client declared. The server asks for nothing else. */
  readonly capabilities: ClientCapabilities
}

/**
 * The options of `direct`.
 *
 * @category models
 * @since 0.1.0
 */
export interface DirectOptions extends Client {
  /** Sends the requests to the client. */
  readonly caller: Caller
  /** How long to wait for an answer. The default is 10 minutes, as long as a sealed state is valid. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * The options of `rounds`.
 *
 * @category models
 * @since 0.1.0
 */
export type RoundsOptions = Round.Options

/**
 * Asks by requests of the server's own. `memo` simply runs its effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const direct = (options: DirectOptions): ClientRequests =>
  new questions.Questions(
    new questions.Direct(options.caller, options.timeout, options),
    options.codec,
    options.capabilities
  )

/**
 * Runs a handler whose questions travel in its result.
 *
 * Answers come from the sealed state and from the request. When what is left of the handler waits for answers that are
 * not there, it is interrupted, and the result asks for them, as the revision writes it. A request whose state or
 * answers cannot be used fails with -32602.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rounds: <A, E, R>(
  options: RoundsOptions,
  handler: (asking: ClientRequests) => Effect.Effect<A, E, R>
) => Effect.Effect<A | Schema.JsonObject, E | ErrorResponse, R> = Round.run

/**
 * A way of the questions of handlers: an extension that runs a handler by itself has one of its own.
 *
 * @category models
 * @since 0.1.0
 */
export type Asker = questions.Asker

/** A question on its way: its request, and what its answer means. @category models @since 0.1.0 */
export type Question<A> = questions.Question<A>

/**
 * The client requests whose questions an `Asker` takes, for a class of a context of its own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const Questions = questions.Questions

/**
 * The keys of one call that are in use. An `Asker` takes the key of each question and each `memo`: twice is a defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const Keys = questions.Keys

/**
 * What a handler has learned of its client: the answers, the results of `memo`, and the keys that were asked under, so that
 * it can run again.
 *
 * @category models
 * @since 0.1.0
 */
export const Learned = Round.Learned

/** @category models @since 0.1.0 */
export type Learned = Round.Learned

/**
 * The client requests of a call that must not ask: each is a defect that names the method.
 *
 * @category constructors
 * @since 0.1.0
 */
export const impossible = (method: string): ClientRequests => {
  const refuse = () => Effect.die(new Error(`a handler of ${method} cannot ask the client`))
  return {
    elicit: refuse,
    elicitUrl: refuse,
    sample: refuse,
    listRoots: refuse,
    ask: refuse,
    memo: (_, __, effect) => effect,
    detach: Effect.void
  }
}

/**
 * The JSON Schema of a form: what `elicit` sends. Throws `UnsuitableForm` for a field that no form can have, so that a
 * form can be proven where it is defined.
 *
 * @category constructors
 * @since 0.1.0
 */
export const requestedSchema: (fields: Params.Fields | StandardSchema.Described) => ObjectSchema = form.requestedSchema

/**
 * The error for a field that is not a string, a number, a boolean, a choice of strings or a list of such choices.
 *
 * @category errors
 * @since 0.1.0
 */
export const UnsuitableForm = form.UnsuitableForm
