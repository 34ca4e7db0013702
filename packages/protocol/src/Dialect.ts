/**
 * How a protocol family uses JSON-RPC, as plain, open data.
 *
 * The specification is silent on cancellation, progress and null ids; families
 * such as the Language Server Protocol are not. Every difference
 * between them is a member here; no other code knows a family by its name.
 *
 * ```ts run
 * import { Dialect } from "@parley/protocol"
 *
 * const mine = Dialect.make({ name: "mine", cancellation: undefined, batches: "refuse" })
 *
 * console.log(mine.framing, mine.batches) // => line refuse
 * console.log(Dialect.lsp.framing, Dialect.lsp.cancellation?.method) // => contentLength $/cancelRequest
 * ```
 *
 * @since 0.1.0
 */
import type { FramingName } from "./internal/framing/frame.ts"
import * as ErrorCode from "./shared/ErrorCode.ts"

/**
 * Which notification cancels a call, how it names the call, what the cancelled
 * side answers, and which methods may never be cancelled.
 *
 * @category models
 * @since 0.1.0
 */
export interface Cancellation {
  /** The method of the notification. */
  readonly method: string
  /** The member of its `params` that holds the id of the call. */
  readonly member: string
  /** The error that the cancelled side answers, or `undefined` when it must stay silent. */
  readonly reply: { readonly code: number; readonly message: string } | undefined
  /** Methods whose calls are never cancelled. */
  readonly except: ReadonlyArray<string>
}

/**
 * Which notification carries the progress of a call, and how a request asks for it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  /** The method of the notification. */
  readonly method: string
  /** The member of its `params` that holds the token. */
  readonly member: string
  /** The path in a request's `params` where the token stands. */
  readonly request: readonly [string, ...Array<string>]
}

/**
 * Which notification carries the partial results of a call, and how a request asks for them.
 *
 * @category models
 * @since 0.1.0
 */
export interface PartialResults extends Progress {
  /** The member of the notification's `params` that holds the partial result. */
  readonly value: string
}

/**
 * How the items of a subscription travel where each is a notification of its own.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subscriptions {
  /** The method of the notification that carries an item. */
  readonly notification: string
  /** The method that takes `[id]` and closes a subscription. */
  readonly close: string
  /** The member of the notification's `params` that holds the id of the subscription. */
  readonly id: string
  /** The member that holds the item. */
  readonly item: string
  /** The member that holds an error object when the stream has failed; `undefined` where failures do not travel. */
  readonly error: string | undefined
  /** The member that is `true` when the stream has ended; `undefined` where its end does not travel. */
  readonly end: string | undefined
}

/**
 * The place of the W3C trace context in a request: an object there has the members `traceparent`, `tracestate` and
 * `baggage`.
 *
 * @category models
 * @since 0.1.0
 */
export interface TraceContext {
  /** In the message itself, beside `method`, or in its `params`. */
  readonly in: "message" | "params"
  /** The path of the object from there. */
  readonly path: ReadonlyArray<string>
}

/**
 * How a protocol family uses JSON-RPC.
 *
 * @category models
 * @since 0.1.0
 */
export interface Dialect {
  /** The name of the family, for logs. */
  readonly name: string
  /** The framing of its byte streams, on both sides. */
  readonly framing: FramingName
  /** How a call is cancelled, or `undefined` when it cannot be. */
  readonly cancellation: Cancellation | undefined
  /** How progress travels, or `undefined` when it does not. */
  readonly progress: Progress | undefined
  /** How partial results travel, or `undefined` when they do not. */
  readonly partialResults: PartialResults | undefined
  /** How items of subscriptions travel, or `undefined` where they are partial results. */
  readonly subscriptions: Subscriptions | undefined
  /** Where the trace context stands, or `undefined` when it does not travel. */
  readonly traceContext: TraceContext | undefined
  /** How a call with `id: null` is read: as a request with the id null, as a notification, or as an Invalid Request. */
  readonly nullId: "request" | "notification" | "refuse"
  /** How `params: null` is read: as no params, or as an Invalid Request. */
  readonly nullParams: "absent" | "refuse"
  /**
   * Whether arrays of messages are spoken: both ways, only read (`read`), or not at all. Where none are written, the
   * members of a batch of ours go one by one.
   */
  readonly batches: "accept" | "read" | "refuse"
  /**
   * Whether messages have `"jsonrpc":"2.0"`: it is written and demanded, written and not demanded, or neither. Where it
   * is not demanded, its value does not matter.
   */
  readonly version: "required" | "optional" | "omit"
  /**
   * Which members a response has. `one`: either `result` or `error`. `both`: both of them, as in JSON-RPC 1.0, where
   * the one that does not count is null. `any`: one is written, and both are read.
   *
   * In `any` and `both`, an `error` may be any JSON. One that is no error object becomes one, with the code -32000 if
   * it has none, and with itself as `data` if it is no string.
   */
  readonly responses: "one" | "any" | "both"
  /** Whether notifications of ours are written without an id, or with the id null, as JSON-RPC 1.0 has them. */
  readonly notificationId: "omit" | "null"
  /**
   * How calls of ours without params are written: without the member, with `null` or with `[]`. With `array`, params by
   * name are refused as `InvalidArguments`, because JSON-RPC 1.0 has none.
   */
  readonly params: "optional" | "null" | "array"
  /** How a text whose id cannot be read is answered: with id null, without id, or not at all. */
  readonly unreadableId: "null" | "omit" | "silent"
  /** The code of the error that refuses a request for lack of room. */
  readonly overloadCode: number
  /** The code of the error that stands in for a request, a result or a reply to a batch that is larger than a frame. */
  readonly tooLargeCode: number
  /** The code of the error that refuses a request because its side shuts down. */
  readonly shutDownCode: number
  /** The HTTP status of the empty answer to a text that has no reply. */
  readonly emptyStatus: 200 | 204
  /**
   * `relayed` for a proxy, a gateway, or a program that prints what came: the numbers of payloads are doubles, which are
   * infinite beyond the range of these, and what is sent on or printed has all the digits that came, as `Relayed` has it.
   * By default, a number beyond that range is refused, and the others are rounded. Nothing of this is on the wire.
   */
  readonly digits?: "relayed" | undefined
  /**
   * For our log: by their methods, the param that says what a call is about, such as the name of the tool of a
   * `tools/call`.
   */
  readonly subjects?: Readonly<Record<string, string>> | undefined
}

/**
 * A dialect that differs from `jsonRpc` in what is named.
 *
 * @category constructors
 * @since 0.1.0
 */
// A bundle leaves out the dialects that it does not name.
/* @__NO_SIDE_EFFECTS__ */
export const make = (options: Partial<Dialect> & { readonly name: string }): Dialect => ({ ...jsonRpc, ...options })

/**
 * Says that the texts of a dialect are framed in another way than its family frames them, and what to change;
 * `undefined` where they are framed as they should be. A dialect with the framing of `jsonRpc`, which is only a
 * default, goes with every framing.
 *
 * @category predicates
 * @since 0.1.0
 */
export const misframing = ({ framing, name }: Dialect, actual: Dialect["framing"]): string | undefined =>
  framing === actual || framing === jsonRpc.framing
    ? undefined
    : `the dialect ${name} frames texts by \`${framing}\`, and the transport by \`${actual}\`: `
      + `leave out its \`framing\` and use it for nothing before, or give one to \`Dialect.make\``

/**
 * The cancellation of the Language Server Protocol: the notification `$/cancelRequest`, and the error -32800 as the
 * answer of the cancelled call. A dialect without a way to cancel has `undefined`.
 *
 * @category cancellations
 * @since 0.1.0
 */
export const cancelRequest: Cancellation = {
  method: "$/cancelRequest",
  member: "id",
  reply: { code: ErrorCode.RequestCancelled, message: "Request cancelled" },
  except: []
}

/**
 * The cancellation of the Model Context Protocol: the notification `notifications/cancelled`. The cancelled call is not
 * answered. Calls of the methods in `except` are never cancelled.
 *
 * @category cancellations
 * @since 0.1.0
 */
export const cancelledNotification = (except: ReadonlyArray<string>): Cancellation => ({
  method: "notifications/cancelled",
  member: "requestId",
  reply: undefined,
  except
})

const progress: Progress = { method: "$/progress", member: "token", request: ["workDoneToken"] }

const partialResults: PartialResults = {
  method: "$/progress",
  member: "token",
  request: ["partialResultToken"],
  value: "value"
}

/**
 * JSON-RPC 2.0 as the specification has it, with the cancellation and progress
 * notifications that its libraries agree on: a peer that knows neither ignores both.
 *
 * @category dialects
 * @since 0.1.0
 */
export const jsonRpc: Dialect = {
  name: "jsonRpc",
  framing: "line",
  cancellation: cancelRequest,
  progress,
  partialResults,
  subscriptions: undefined,
  traceContext: { in: "message", path: [] },
  nullId: "request",
  nullParams: "refuse",
  batches: "accept",
  version: "required",
  responses: "one",
  notificationId: "omit",
  params: "optional",
  unreadableId: "null",
  overloadCode: -32000,
  tooLargeCode: -32001,
  shutDownCode: -32000,
  emptyStatus: 204
}

/**
 * JSON-RPC 1.0, as `net/rpc/jsonrpc` of Go, Bitcoin nodes and Deluge speak it: no version, `result` and `error` in
 * every response, notifications with the id null, params by position, no batches. It has neither cancellation nor
 * progress.
 *
 * @category dialects
 * @since 0.1.0
 */
export const jsonRpc1: Dialect = make({
  name: "jsonRpc1",
  cancellation: undefined,
  progress: undefined,
  partialResults: undefined,
  traceContext: undefined,
  nullId: "notification",
  nullParams: "absent",
  batches: "refuse",
  version: "omit",
  responses: "both",
  notificationId: "null",
  params: "array",
  emptyStatus: 200
})

/**
 * JSON-RPC 2.0 that also reads the messages of careless peers: messages without a version, responses of JSON-RPC 1.0,
 * `params: null`, notifications with the id null. It writes what the specification has, and sends the members of a
 * batch one by one.
 *
 * @category dialects
 * @since 0.1.0
 */
export const lenient: Dialect = make({
  name: "lenient",
  nullId: "notification",
  nullParams: "absent",
  batches: "read",
  version: "optional",
  responses: "any"
})

/**
 * The base protocol of the Language Server Protocol, version 3.17.
 *
 * @category dialects
 * @since 0.1.0
 */
export const lsp: Dialect = make({
  name: "lsp",
  framing: "contentLength",
  nullParams: "absent",
  batches: "refuse",
  traceContext: undefined
})

/**
 * The JSON-RPC of Ethereum's execution clients: no cancellation, no progress,
 * values without a delimiter on Unix sockets.
 *
 * @category dialects
 * @since 0.1.0
 */
export const ethereum: Dialect & { readonly subscriptions: Subscriptions } = {
  ...jsonRpc,
  name: "ethereum",
  framing: "concatenated",
  // Clients write it, and geth takes it.
  nullParams: "absent",
  cancellation: undefined,
  progress: undefined,
  partialResults: undefined,
  subscriptions: {
    notification: "eth_subscription",
    close: "eth_unsubscribe",
    id: "subscription",
    item: "result",
    error: undefined,
    end: undefined
  },
  traceContext: undefined,
  overloadCode: -32005
}
