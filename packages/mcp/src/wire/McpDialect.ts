/**
 * How the Model Context Protocol uses JSON-RPC.
 *
 * A connection learns its revision from the handshake, so two members are read anew
 * each time: whether batches are accepted, and how a message with an unreadable id is
 * answered.
 *
 * ```ts run
 * import * as McpDialect from "@parley/mcp/wire/McpDialect"
 * import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
 *
 * let codec: RevisionCodec.RevisionCodec | undefined
 * const dialect = McpDialect.make(() => codec)
 *
 * console.log(dialect.framing, dialect.batches) // => line refuse
 * codec = RevisionCodec.of("2025-03-26")
 * console.log(dialect.batches) // => accept
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as McpError from "./McpError.ts"
import * as RevisionCodec from "./RevisionCodec.ts"

/** Where a message carries the trace context and the baggage. @category constants @since 0.1.0 */
export const traceContext: Dialect.TraceContext = { in: "params", path: ["_meta"] }

/** The members that all of its dialects share. The others depend on the revision, and digits on what is served. */
const { batches: _, shutDownCode: ___, tooLargeCode: ____, unreadableId: __, ...common } = Dialect.make({
  name: "mcp",
  framing: "line",
  cancellation: Dialect.cancelledNotification(["initialize"]),
  progress: { method: "notifications/progress", member: "progressToken", request: ["_meta", "progressToken"] },
  partialResults: undefined,
  subscriptions: undefined,
  traceContext,
  nullId: "refuse",
  nullParams: "refuse",
  overloadCode: McpError.Overloaded,
  subjects: { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" }
})

/**
 * The dialect of a connection whose revision may become known later. Before
 * that, arrays are refused, errors without a readable id have none, and errors have the codes of the newest revision, which
 * every revision allows. Where `relays` says so, payloads go on with the
 * digits that came.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (codec: () => RevisionCodec.RevisionCodec | undefined, relays?: () => boolean): Dialect.Dialect =>
  reading(codec, undefined, relays)

/**
 * The dialect of a client. It does not answer malformed messages, because many servers write other lines to their stdout;
 * the log has them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeClient = (
  codec: () => RevisionCodec.RevisionCodec | undefined,
  relays?: () => boolean
): Dialect.Dialect => reading(codec, "silent", relays)

interface Reading extends Dialect.Dialect {
  readonly [source]: {
    readonly codec: () => RevisionCodec.RevisionCodec | undefined
    readonly unreadableId: Dialect.Dialect["unreadableId"] | undefined
    readonly relays: (() => boolean) | undefined
  }
}

const source = Symbol()

/** The code of an error in the revision of a connection, or in the newest one as long as there is none. */
const codeOf = (code: number) => ({
  enumerable: true,
  get(this: Reading) {
    return (this[source].codec() ?? RevisionCodec.latest).errorCode(code)
  }
})

/** Getters of its own would give each dialect a hidden class of its own, of almost a kilobyte for each session. */
const getters = {
  batches: {
    enumerable: true,
    get(this: Reading) {
      return batchesOf(this[source].codec())
    }
  },
  unreadableId: {
    enumerable: true,
    get(this: Reading) {
      const { codec, unreadableId } = this[source]
      return unreadableId ?? codec()?.features.unreadable ?? "omit"
    }
  },
  tooLargeCode: codeOf(Dialect.jsonRpc.tooLargeCode),
  shutDownCode: codeOf(Dialect.jsonRpc.shutDownCode),
  digits: {
    enumerable: true,
    get(this: Reading) {
      return this[source].relays?.() === true ? "relayed" : undefined
    }
  }
}

const reading = (
  codec: () => RevisionCodec.RevisionCodec | undefined,
  unreadableId: Dialect.Dialect["unreadableId"] | undefined,
  relays: (() => boolean) | undefined
) =>
  // All of these members are defined.
  Object.defineProperties({ ...common, [source]: { codec, unreadableId, relays } }, getters) as Reading

const batchesOf = (codec: RevisionCodec.RevisionCodec | undefined) =>
  codec?.features.batches === true ? "accept" : "refuse"
