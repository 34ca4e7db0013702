/**
 * Handlers that are functions which give Promises, for tools, prompts and resources.
 *
 * Their call has Promises where that of other handlers has Effects, and an `AbortSignal` for the work that the handler
 * starts. A Promise that is rejected becomes what a typed failure becomes: of a tool, a result with `isError` and the
 * message. In the modern era a handler that asks runs again from its start with the answer, while the Promise of the
 * run before stays unsettled: its signal is aborted, and nobody waits for it.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool, PromiseHandler } from "@parley/mcp"
 * import { Effect } from "effect"
 * import { z } from "zod"
 *
 * const wait = McpTool.make(
 *   "wait",
 *   { params: z.object({ seconds: z.int().max(60) }), result: z.object({ waited: z.int() }) },
 *   PromiseHandler.make(async ({ seconds }, call) => {
 *     await call.progress({ progress: 0, total: seconds })
 *     if (seconds < 0) throw new Error("nobody can wait in the past")
 *     return { waited: seconds }
 *   })
 * )
 *
 * const program = Effect.gen(function*() {
 *   const { callTool } = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   console.log((yield* callTool("wait", { seconds: 0 })).structuredContent) // => { waited: 0 }
 *   console.log((yield* Effect.flip(callTool("wait", { seconds: -1 }))).message)
 *   // => the tool wait failed: nobody can wait in the past
 * })
 *
 * const server = McpServer.layer({ name: "waiter", version: "1.0.0", features: [wait] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { Params } from "@parley/contract/shared"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type {
  AskOptions,
  ClientAnswer,
  ClientQuestion,
  Elicited,
  Form,
  FormFields,
  McpContext,
  RelayOptions
} from "../McpContext.ts"
import type { ElicitUrl } from "../payload/Elicitation.ts"
import type { LogLevel } from "../payload/LogLevel.ts"
import type { Progress } from "../payload/Requests.ts"
import type { Root } from "../payload/Roots.ts"
import type { SampleRequest, SampleResult } from "../payload/Sampling.ts"
import * as StandardSchema from "../schema/StandardSchema.ts"

/**
 * The members of `McpContext` that are no Effects.
 *
 * @category models
 * @since 0.1.0
 */
export type Facts = Omit<
  McpContext,
  | "progress"
  | "log"
  | "notify"
  | "elicit"
  | "elicitUrl"
  | "sample"
  | "listRoots"
  | "ask"
  | "memo"
  | "closeStream"
  | "detach"
>

/**
 * One call, for a handler that gives a Promise: what `McpContext` has, with Promises in place of Effects.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromiseCall extends Facts {
  /** It is aborted when the client cancels the call or leaves, and when the handler is to run again with an answer. */
  readonly signal: AbortSignal
  /**
   * Runs an Effect within the call, with its loggers and its trace. The Promise is rejected with the error of the Effect.
   * When the call is over, because it was answered or `signal` is aborted, nothing is run, and the Promise stays unsettled.
   */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /** Reports progress, where the client asked for it. */
  readonly progress: (progress: Progress) => Promise<void>
  /** Logs to the client, where it wants messages of this level. */
  readonly log: (level: LogLevel, data: Schema.Json, logger?: string) => Promise<void>
  /** Sends a notification of an extension on the stream of this call. */
  readonly notify: (method: string, params?: Schema.JsonObject) => Promise<void>
  /** Asks the client's person to fill in a form. The key names the question within this call. */
  readonly elicit: <const F extends FormFields | StandardSchema.Described>(
    key: string,
    form: Form<F>,
    options?: AskOptions
  ) => Promise<Elicited<StandardSchema.Decoded<F>>>
  /** Asks the client's person to open a URL. `Accepted` says that they open it, not that they are done there. */
  readonly elicitUrl: (key: string, url: Omit<ElicitUrl, "_meta">) => Promise<Elicited<void>>
  /** Asks the client's model. */
  readonly sample: (key: string, request: SampleRequest, options?: AskOptions) => Promise<SampleResult>
  /** Asks the client for its roots, the folders that it works in. The key is `roots` by default. */
  readonly listRoots: (key?: string) => Promise<ReadonlyArray<Root>>
  /** Asks any of these by its record. */
  readonly ask: <const Q extends ClientQuestion>(
    key: string,
    question: Q,
    options?: RelayOptions
  ) => Promise<ClientAnswer<Q>>
  /**
   * Runs a function once, however many rounds the call takes. It gets a call of its own, by which it has to ask what it
   * asks. The schema writes the value for the next rounds and reads it there; a Standard Schema must not change its type.
   */
  readonly memo: <const S extends Params.Codec | StandardSchema.Described>(
    key: string,
    schema: S,
    run: (call: PromiseCall) => Promise<StandardSchema.Decoded<S>>
  ) => Promise<StandardSchema.Decoded<S>>
  /** Closes the stream of this call, where it has one of its own; the client comes back for the answer. */
  readonly closeStream: () => Promise<void>
  /** Makes the call a task, where its tool is one with `startAfterInput`. */
  readonly detach: () => Promise<void>
}

/**
 * A handler of a tool or a prompt from a function that gives a Promise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <P, A>(
  handler: (params: P, call: PromiseCall) => Promise<A>
): (params: P, call: McpContext) => Effect.Effect<A, unknown> =>
(params, call) => settled(call, (call) => handler(params, call))

/**
 * A handler of a resource at one URI from a function that gives a Promise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const resource = <A>(
  handler: (call: PromiseCall, uri: string) => Promise<A>
): (call: McpContext, uri: string) => Effect.Effect<A, unknown> =>
(call, uri) => settled(call, (call) => handler(call, uri))

/**
 * A handler of resources by a template from a function that gives a Promise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const template = <V, A>(
  handler: (variables: V, call: PromiseCall, uri: string) => Promise<A>
): (variables: V, call: McpContext, uri: string) => Effect.Effect<A, unknown> =>
(variables, call, uri) => settled(call, (call) => handler(variables, call, uri))

/** Runs a function within the fiber of a call; interruption aborts the signal, and does not wait for the function. */
const settled = <A>(call: McpContext, run: (call: PromiseCall) => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback<A, unknown>((resume, signal) => {
      const live = new LivePromiseCall(call, context, signal)
      // As an asynchronous function, so that what it throws before its first Promise is a rejection, too.
      const running = (async () => run(live))()
      running.then(
        (value) => {
          live.isOver = true
          resume(Effect.succeed(value))
        },
        (error: unknown) => {
          live.isOver = true
          resume(Effect.failCause(live.causeOf(error)))
        }
      )
    })
  )

/**
 * For code that the end of the call has left behind: a rejection that nobody hears of would end the process. Each is a
 * Promise of its own, because a Promise keeps whoever awaits it: one for all would keep every handler that was left.
 */
const never = (): Promise<never> => new Promise(() => {})

class LivePromiseCall implements PromiseCall {
  readonly signal: AbortSignal
  /** Whether the handler has ended, and the call with it. */
  isOver = false
  readonly #call: McpContext
  readonly #context: Context.Context<never>
  /** Why Effects failed that ran within the call, by the errors that their Promises were rejected with. */
  readonly #causes = new WeakMap<object, Cause.Cause<unknown>>()
  /** The same for the last error that is no object. */
  #last: readonly [error: unknown, cause: Cause.Cause<unknown>] | undefined = undefined

  constructor(call: McpContext, context: Context.Context<never>, signal: AbortSignal) {
    this.#call = call
    this.#context = context
    this.signal = signal
  }

  /** The cause of a rejection. A defect within an Effect of the call stays one, and so does its interruption. */
  causeOf(error: unknown): Cause.Cause<unknown> {
    const [last, cause] = this.#last ?? []
    return (Predicate.isObjectKeyword(error) ? this.#causes.get(error) : last === error ? cause : undefined) ??
      Cause.fail(error)
  }

  readonly run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
    // An Effect that need not wait would run to its end, though the call is over.
    if (this.signal.aborted || this.isOver) return never()
    const running = Effect.runPromiseExitWith(this.#context)(effect, { signal: this.signal }).then((exit) => {
      if (this.signal.aborted || this.isOver) return never()
      if (Exit.isSuccess(exit)) return exit.value
      const error = Cause.squash(exit.cause)
      if (Predicate.isObjectKeyword(error)) this.#causes.set(error, exit.cause)
      else this.#last = [error, exit.cause]
      throw error
    })
    // The function may have left it behind, and the process must not end because of it.
    running.catch(() => undefined)
    return running
  }

  readonly progress: PromiseCall["progress"] = (progress) => this.run(this.#call.progress(progress))

  readonly log: PromiseCall["log"] = (level, data, logger) => this.run(this.#call.log(level, data, logger))

  readonly notify: PromiseCall["notify"] = (method, params) => this.run(this.#call.notify(method, params))

  readonly elicit: PromiseCall["elicit"] = (key, form, options) => this.run(this.#call.elicit(key, form, options))

  readonly elicitUrl: PromiseCall["elicitUrl"] = (key, url) => this.run(this.#call.elicitUrl(key, url))

  readonly sample: PromiseCall["sample"] = (key, request, options) => this.run(this.#call.sample(key, request, options))

  readonly listRoots: PromiseCall["listRoots"] = (key) => this.run(this.#call.listRoots(key))

  readonly ask: PromiseCall["ask"] = (key, question, options) => this.run(this.#call.ask(key, question, options))

  readonly memo: PromiseCall["memo"] = <const S extends Params.Codec | StandardSchema.Described>(
    key: string,
    schema: S,
    run: (call: PromiseCall) => Promise<StandardSchema.Decoded<S>>
  ) => {
    // The Schema is that of the value.
    const codec = StandardSchema.toRead<Params.Codec>(schema) as Schema.Codec<StandardSchema.Decoded<S>, unknown>
    return this.run(this.#call.memo(key, codec, settled(this.#call, run)))
  }

  readonly closeStream = (): Promise<void> => this.run(this.#call.closeStream)

  readonly detach = (): Promise<void> => this.run(this.#call.detach)

  get client() {
    return this.#call.client
  }

  get server() {
    return this.#call.server
  }

  get protocolVersion() {
    return this.#call.protocolVersion
  }

  get principal() {
    return this.#call.principal
  }

  get auth() {
    return this.#call.auth
  }

  get party() {
    return this.#call.party
  }

  get header() {
    return this.#call.header
  }

  get id() {
    return this.#call.id
  }

  get method() {
    return this.#call.method
  }

  get meta() {
    return this.#call.meta
  }

  get task() {
    return this.#call.task
  }

  get logLevel() {
    return this.#call.logLevel
  }

  get session() {
    return this.#call.session
  }
}
