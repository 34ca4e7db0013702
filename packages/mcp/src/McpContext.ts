/**
 * The context of a call. Its handler reads there who calls, reports progress, logs to the client, and sends requests to
 * the client. The types of completers stand here, too: each gets the context of the call that it
 * completes for.
 *
 * A handler is written once for both eras. In the legacy era a question is a request of the server. In the modern era
 * it is a result that asks, after which the handler *runs again* from its start. Code before a question then runs once
 * more in each round; put what must run only once into `memo`.
 *
 * ```ts run
 * import { type McpContext, McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { Effect } from "effect"
 *
 * const steps = (call: McpContext.McpContext) =>
 *   Effect.forEach([1, 2], (step) => call.progress({ progress: step, total: 2 }), { discard: true })
 *
 * const build = McpTool.make(
 *   "build",
 *   { description: "Builds it." },
 *   (_, call) => Effect.as(steps(call), `${call.client.info?.name} called ${call.method}`)
 * )
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   const result = yield* client.callTool("build", {}, { onProgress: ({ progress }) => console.log(progress) })
 *   // => 1
 *   // => 2
 *   console.log(result.content) // => [ { type: 'text', text: 'me called tools/call' } ]
 * })
 *
 * const server = McpServer.layer({ name: "builder", version: "1.0.0", features: [build] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { Caller, CallError } from "@parley/peer/Caller"
import type { RequestId } from "@parley/protocol/shared"
import type * as Handshake from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { ClientCapabilities, Implementation } from "./payload/Capabilities.ts"
import type { ElicitForm, ElicitResult, ElicitUrl } from "./payload/Elicitation.ts"
import type { LogLevel } from "./payload/LogLevel.ts"
import type { Progress } from "./payload/Requests.ts"
import type { InputRequest } from "./payload/Results.ts"
import type { Root, RootsResult } from "./payload/Roots.ts"
import type { SampleRequest, SampleResult } from "./payload/Sampling.ts"
import type * as StandardSchema from "./schema/StandardSchema.ts"
import type { ClientRequestError } from "./server/ClientRequestError.ts"
import type { ServerChanges } from "./server/ServerChanges.ts"
import type { Revision } from "./wire/Revision.ts"

/**
 * The client of a call, as it describes itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface Client {
  /** Its name and version; `undefined` where it does not say. */
  readonly info: Implementation | undefined
  /** The capabilities that it declares. */
  readonly capabilities: ClientCapabilities
}

/**
 * The facts that the host of a connection knows of the caller beside the message of a call. A fact that is not given comes
 * from the handshake.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallerInfo {
  /** The handshake of the connection, or of the request that brought the call. */
  readonly handshake?: Handshake.Handshake | undefined
  /** The name of the caller, as the host has authenticated them. */
  readonly principal?: string | undefined
  /** The scopes of the caller, or `"all"`. Without any, a call of a feature that needs a scope is refused. */
  readonly scopes?: ReadonlySet<string> | "all" | undefined
  /** The party of a caller without a principal, for bounds that parties share. By default its session or connection. */
  readonly party?: string | undefined
  /** A header of the HTTP request that brought the call, by its name in lower case. */
  readonly header?: ((name: string) => string | undefined) | undefined
  /** Closes the stream that the call is answered on; its client comes back for the rest. */
  readonly closeStream?: Effect.Effect<void> | undefined
}

/**
 * The caller of a handler, as the host of the connection has authenticated them. It is the same on each node of a server,
 * and while the call runs on as a task.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthInfo {
  /** The name; `undefined` for a caller whom the host has not authenticated. */
  readonly principal: string | undefined
  /** The scopes of the caller, or `"all"`, as over stdio. */
  readonly scopes: ReadonlySet<string> | "all"
  /** The end of the credentials, in milliseconds of the epoch; `undefined` where there is none. */
  readonly expiresAt: number | undefined
  /**
   * A service of the principal, which `authorize` of the host gave; none where it gave none. The server must name the
   * service in `principals`: another one is a defect.
   */
  readonly get: <I, S>(key: Context.Key<I, S>) => Option.Option<S>
}

/**
 * The answer of the person at the client: they accepted with content, declined, or dismissed the question.
 *
 * @category models
 * @since 0.1.0
 */
export type Elicited<A> =
  | { readonly _tag: "Accepted"; readonly content: A }
  | { readonly _tag: "Declined" }
  | { readonly _tag: "Cancelled" }

/**
 * The fields of a form, whose JSON is a string, a number, a boolean, or a list of strings. The type refuses objects, null
 * and lists of anything else; that a list has choices, and a choice only strings, is known when the form is written.
 *
 * @category models
 * @since 0.1.0
 */
export type FormFields = { readonly [name: string]: Schema.ConstraintCodec<unknown, FormValue> }

/** The values of one field before they are JSON; dates, URLs and bytes become strings there. */
type FormValue = string | number | bigint | boolean | Date | URL | Uint8Array | ReadonlyArray<string> | undefined

/**
 * A form to fill in: fields that are strings, numbers, booleans, or choices of strings. Title, description and default
 * of each field come from the annotations of its Schema. `requestedSchema` says the JSON Schema itself instead.
 *
 * @category models
 * @since 0.1.0
 */
export interface Form<F extends FormFields | StandardSchema.Described> {
  /** The question, for the person. */
  readonly message: string
  /** The fields, by their names, or a Standard Schema of them all. */
  readonly fields: F
  /** The JSON Schema that the client is sent in place of that of `fields`; the answer is still read by `fields`. */
  readonly requestedSchema?: Schema.JsonObject | undefined
}

/**
 * Something that a client can be asked, as a record.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientQuestion =
  | { readonly method: "elicitation/create"; readonly params: ElicitForm | ElicitUrl }
  | { readonly method: "sampling/createMessage"; readonly params: SampleRequest }
  | { readonly method: "roots/list"; readonly params?: { readonly _meta?: Schema.JsonObject } }

/** The answer to such a question. @category models @since 0.1.0 */
export type ClientAnswer<Q extends ClientQuestion = ClientQuestion> = Q["method"] extends "elicitation/create"
  ? ElicitResult
  : Q["method"] extends "sampling/createMessage" ? SampleResult
  : Q["method"] extends "roots/list" ? RootsResult
  : ElicitResult | SampleResult | RootsResult

/**
 * A session or connection of the legacy era, which lasts longer than its calls. Its identity tells it from others.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientSession {
  /** The client of the session. */
  readonly client: Client
  /** The log level that the client has set; `undefined` where it has set none. */
  readonly logLevel: LogLevel | undefined
  /** Runs a function when the session ends, at once where it has ended. The function that it gives cancels that. */
  readonly onEnd: (run: () => void) => () => void
  /** Calls a function when the client's roots have changed. The function that it gives ends that. */
  readonly onRootsChanged: (hear: () => void) => () => void
  /** Asks outside of any call. */
  readonly ask: <const Q extends ClientQuestion>(question: Q) => Effect.Effect<ClientAnswer<Q>, ClientRequestError>
  /** Logs outside of any call, where the client wants messages of this level. */
  readonly notifyLog: (level: LogLevel, data: Schema.Json, logger?: string) => Effect.Effect<void>
}

/**
 * How a question travels, where there is a choice.
 *
 * @category models
 * @since 0.1.0
 */
export interface AskOptions {
  /**
   * Another way for the question than a request that waits for its answer, such as `McpTasks.asTask` of `@parley/mcp-tasks`,
   * where the client takes such questions. In the modern era, and while the call itself is a task, it changes nothing.
   */
  readonly via?: QuestionWay | undefined
}

/**
 * Options for a question that is passed on for somebody else.
 *
 * @category models
 * @since 0.1.0
 */
export interface RelayOptions {
  /**
   * Whether the answer is for this round alone, and later rounds do not have it: for one who asks no question again, so that
   * the state which the client brings back does not grow with the answers. The default is `false`.
   */
  readonly isOnce?: boolean | undefined
}

/**
 * A way for questions: it gives `undefined` where this client has no such way for this question.
 *
 * @category models
 * @since 0.1.0
 */
export type QuestionWay = (question: SentQuestion) => Effect.Effect<Schema.Json, CallError> | undefined

/**
 * A question that is about to be sent to a legacy client.
 *
 * @category models
 * @since 0.1.0
 */
export interface SentQuestion {
  /** Sends requests to the client. */
  readonly caller: Caller
  /** The revision of the client. */
  readonly protocolVersion: Revision
  /** The capabilities that the client declares. */
  readonly capabilities: ClientCapabilities
  /** The question, as the revision writes it. */
  readonly request: InputRequest
  /** How long the client may take. */
  readonly timeout: Duration.Input
}

/**
 * One call of a tool, a resource, a prompt or a completion.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpContext {
  /** The client that calls. */
  readonly client: Client
  /** The server that serves the call, to tell its clients of what the call has changed. */
  readonly server: ServerChanges
  /** The revision that the call is made in. */
  readonly protocolVersion: Revision
  /** The name of the caller, as `auth` has it. */
  readonly principal: string | undefined
  /** The caller: their name, scopes, the end of their credentials, and the services of their principal. */
  readonly auth: AuthInfo
  /**
   * The party that bounds count the call for, which is equal for calls of one party: the principal; else the address, where
   * `proxies` of an HTTP endpoint tell it; else the session or connection. `undefined` where nothing tells callers apart, as
   * over HTTP in the modern era without these.
   */
  readonly party: string | ClientSession | undefined
  /** A header of the HTTP request that brought the call, by its name in lower case; elsewhere there are none. */
  readonly header: (name: string) => string | undefined
  /** The id of the request. */
  readonly id: RequestId.RequestId | undefined
  /** The method of the request, as in `tools/call`. */
  readonly method: string
  /** The `_meta` of the request; empty where it has none. */
  readonly meta: Schema.JsonObject
  /**
   * The task that the call is: its id, and a number above those of all processes that ran it before, by which a store of
   * your own can refuse what they still write. `undefined` for a call that is none.
   */
  readonly task: { readonly id: string; readonly epoch: number } | undefined
  /** The least important log messages that are wanted for this call; `undefined` where none are. */
  readonly logLevel: LogLevel | undefined
  /** The session of the call, where it is of the legacy era and has one that lasts. */
  readonly session: ClientSession | undefined

  /**
   * Reports progress, where the client asked for it. On the wire progress only grows, so a value is sent only if it is
   * larger than the one before.
   */
  readonly progress: (progress: Progress) => Effect.Effect<void>

  /** Logs to the client, where it wants messages of this level. */
  readonly log: (level: LogLevel, data: Schema.Json, logger?: string) => Effect.Effect<void>

  /**
   * Sends a notification on the stream of this call: one of an extension, which `notify` of its `McpExtension` writes.
   */
  readonly notify: (method: string, params?: Schema.JsonObject) => Effect.Effect<void>

  /** Asks the client's person to fill in a form. The key names the question within this call. */
  readonly elicit: <const F extends FormFields | StandardSchema.Described>(
    key: string,
    form: Form<F>,
    options?: AskOptions | undefined
  ) => Effect.Effect<Elicited<StandardSchema.Decoded<F>>, ClientRequestError>

  /** Asks the client's person to open a URL. `Accepted` says that they open it, not that they are done there. */
  readonly elicitUrl: (key: string, url: Omit<ElicitUrl, "_meta">) => Effect.Effect<Elicited<void>, ClientRequestError>

  /** Asks the client's model. */
  readonly sample: (
    key: string,
    request: SampleRequest,
    options?: AskOptions | undefined
  ) => Effect.Effect<SampleResult, ClientRequestError>

  /** Asks the client for its roots, the folders that it works in. The key is `roots` by default. */
  readonly listRoots: (key?: string) => Effect.Effect<ReadonlyArray<Root>, ClientRequestError>

  /**
   * Asks any of these by its record, and gives the answer as a record, for a server that passes on the questions of
   * others.
   */
  readonly ask: <const Q extends ClientQuestion>(
    key: string,
    question: Q,
    options?: RelayOptions
  ) => Effect.Effect<ClientAnswer<Q>, ClientRequestError>

  /**
   * Runs an effect once, however many rounds the call takes: its value goes with the question to the client, sealed,
   * and comes back with the answer. Where nothing is asked it is simply run. A round waits for it, so it must not wait
   * for the answer to a question that is asked outside of it.
   */
  readonly memo: <A, I, E, R>(
    key: string,
    schema: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>

  /**
   * Closes the stream of this call, where it has one of its own; the client comes back for the answer. Elsewhere it does
   * nothing.
   */
  readonly closeStream: Effect.Effect<void>

  /**
   * Makes the call a task, where its tool is one with `startAfterInput`: the handler runs again from its start, as after a
   * question, and goes on behind this as a task. Where the call is a task already, or cannot be one, it does nothing.
   */
  readonly detach: Effect.Effect<void>
}

/**
 * The context of the call that is served, for code that does not get it as an argument: the handlers of an `effect/ai`
 * toolkit. `undefined` outside of a call.
 *
 * @category services
 * @since 0.1.0
 */
export const Current: Context.Reference<McpContext | undefined> = Context.Reference<McpContext | undefined>(
  "@parley/mcp/McpContext/Current",
  { defaultValue: () => undefined }
)

/**
 * The facts that a completer gets: the arguments so far, and the context of the call that it completes for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Known {
  /** The arguments that are filled in already. */
  readonly arguments: { readonly [name: string]: string }
  /** The context of the call. */
  readonly call: McpContext
}

/**
 * Gives the values that complete what was typed, the best first. At most a hundred of them are sent.
 *
 * @category models
 * @since 0.1.0
 */
export type Completer<E = never, R = never> = (
  prefix: string,
  known: Known
) => Effect.Effect<ReadonlyArray<string>, E, R>

/**
 * The completers of arguments, by the names of these; `R` has the services that they require.
 *
 * @category models
 * @since 0.1.0
 */
export type Completers<R> = { readonly [name in keyof R]?: Completer<unknown, R[name]> | undefined }
