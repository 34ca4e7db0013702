/**
 * A connection to a server of MCP on which requests are made one by one, each with its own id. It knows no handshake, and
 * hides nothing of what comes.
 */
import * as HeaderValue from "@parley/mcp/http/HeaderValue"
import * as Envelope from "@parley/mcp/wire/Envelope"
import type * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { JsonObject } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Passed, Unverified } from "../../../Suite.ts"
import type { Target } from "../../../Target.ts"
import * as HttpLine from "../../probe/HttpLine.ts"
import * as Json from "../../probe/Json.ts"
import * as Line from "../../probe/Line.ts"
import type { Patience } from "../../probe/Patience.ts"
import * as jsonRpc from "../jsonRpc.ts"

/** What came for a request. */
export type Outcome =
  | { readonly _tag: "Result"; readonly result: Schema.Json }
  | {
    readonly _tag: "Error"
    /** `undefined` where it is no number. */
    readonly code: number | undefined
    readonly message: string
    readonly error: Schema.Json
  }
  /** HTTP has answered with a status, and with no response of JSON-RPC. */
  | { readonly _tag: "Status"; readonly status: number }
  /** Nothing came in time. */
  | { readonly _tag: "Silent" }
  /** The connection has ended. */
  | { readonly _tag: "Ended"; readonly reason: string }

/** A request and what came for it. */
export interface Reply {
  readonly outcome: Outcome
  readonly exchange: ReadonlyArray<Passed>
  /** The answer of HTTP, where that is the wire. */
  readonly http: HttpLine.Exchanged | undefined
  readonly milliseconds: number
}

/** How a request is made. */
export interface RequestOptions {
  readonly patience?: Duration.Duration | undefined
  /** What stands in `_meta` beside the envelope. */
  readonly meta?: Schema.JsonObject | undefined
  /** Replaces the envelope of the modern era. */
  readonly envelope?: Schema.JsonObject | undefined
  /** Further headers of HTTP; one that is `undefined` is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Whether it will be cancelled: then it need not be answered. */
  readonly isCancelled?: boolean | undefined
  /** Is told the id before anything is sent. */
  readonly onId?: ((id: number) => void) | undefined
}

/** A connection on which requests are made. */
export interface Wire {
  readonly line: Line.Line
  readonly http: HttpLine.HttpLine | undefined
  readonly request: (
    method: string,
    params?: Schema.JsonObject,
    options?: RequestOptions
  ) => Effect.Effect<Reply>
  /** Sends a notification, and gives what HTTP has answered. */
  readonly notify: (
    method: string,
    params?: Schema.JsonObject
  ) => Effect.Effect<HttpLine.Exchanged | undefined, Unverified>
  /** The session of HTTP, which a handshake sets. */
  readonly session: Session
}

/** What each request of HTTP names once it is known. */
export interface Session {
  id: string | undefined
  revision: string | undefined
}

/** How a wire writes. */
export interface Options {
  readonly target: Target
  readonly patience: Patience
  /** What each request of the modern era says of its client; `undefined` in the legacy era. */
  readonly envelope: Schema.JsonObject | undefined
}

/** Whom servers see. */
export const clientInfo = { name: "parley-conform", version: "1.0.0" }

/** The envelope of a client that offers nothing. */
export const envelopeOf = ({ revision }: RevisionCodec.RevisionCodec): Schema.JsonObject =>
  Envelope.make({ protocolVersion: revision, clientCapabilities: {}, clientInfo })

/** Connects. */
export const open = Effect.fnUntraced(function*(
  { envelope, patience, target }: Options
): Effect.fn.Return<Wire, Unverified, Scope.Scope> {
  const session: Session = { id: undefined, revision: undefined }
  const headers = (text: string | undefined) => ({ ...headersOf(text), ...inSession(session) })
  const { http, line } = target._tag === "Http"
    ? yield* Effect.map(HttpLine.make(target, { patience, reply, headers }), (http) => ({ http, line: http }))
    : { http: undefined, line: yield* duplex(target, patience, envelope) }
  const opened: Array<Session> = []
  if (http !== undefined) yield* Effect.addFinalizer(() => Effect.forEach(opened, (one) => end(target, http, one)))
  let count = 0

  const write = (
    method: string,
    params: Schema.JsonObject | undefined,
    { envelope: own = envelope, meta }: RequestOptions
  ) => {
    const marked = meta === undefined ? params : { ...params, _meta: { ...Envelope.metaOf(params), ...meta } }
    const whole = own === undefined ? marked : Envelope.writeEnvelope(marked, own)
    return { method, ...(whole !== undefined && { params: whole }) }
  }
  const request: Wire["request"] = (method, params, options = {}) =>
    Effect.gen(function*() {
      const id = ++count
      options.onId?.(id)
      const text = JSON.stringify({ jsonrpc: "2.0", id, ...write(method, params, options) })
      const before = yield* Clock.currentTimeMillis
      const reply = yield* http === undefined ? ask(line, text, id, options) : post(http, text, id, options)
      const opening = method === "initialize" ? openedBy(reply) : undefined
      if (opening !== undefined) opened.push(opening)
      return { ...reply, milliseconds: (yield* Clock.currentTimeMillis) - before }
    })
  const notify: Wire["notify"] = (method, params) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...write(method, params, {}) })
    return http === undefined ? Effect.as(line.send(text), undefined) : http.exchange({ method: "POST", body: text })
  }
  return { line, http, request, notify, session }
})

/** The session that an answer to `initialize` has opened. */
const openedBy = ({ http, outcome }: Answered): Session | undefined => {
  const id = http?.head?.header("mcp-session-id")
  const revision = outcome._tag === "Result" ? JsonObject.member(outcome.result, "protocolVersion") : undefined
  return id === undefined ? undefined : { id, revision: typeof revision === "string" ? revision : undefined }
}

/** How long the end of a session may take. */
const mostOfEnd = Duration.seconds(1)

/** The servers that let no client end a session, or do not say. */
const keeping = new WeakSet<Target>()

/** Ends a session, so that a server holds none of a client that has gone. Whatever comes of it is no matter of a rule. */
const end = (target: Target, http: HttpLine.HttpLine, session: Session) =>
  Effect.suspend(() =>
    keeping.has(target)
      ? Effect.void
      : Effect.map(
        // In a fiber of its own: that of a rule may be interrupted, and the time could not be kept in one that cannot be.
        Effect.flatMap(
          Effect.forkDetach(
            http.exchange({ method: "DELETE", headers: inSession(session) }, { patience: mostOfEnd })
          ),
          Fiber.join
        ),
        ({ head }) => {
          if (head === undefined || head.status === 405) keeping.add(target)
        }
      )
  )

const duplex = (
  target: Target & { readonly _tag: "Duplex" },
  patience: Patience,
  envelope: Schema.JsonObject | undefined
) =>
  Effect.flatMap(
    jsonRpc.connect(target, patience.answer),
    (transport) => Line.make(transport, { patience, reply, sentinel: sentinelOf(envelope) })
  )

/** A method that no server has: its answer shows that a server has read what was sent before. */
export const sentinelOf = (envelope: Schema.JsonObject | undefined) => {
  const rest = { method: "parley/conform/sentinel", ...(envelope !== undefined && { params: { _meta: envelope } }) }
  return (id: string): string => `{"jsonrpc":"2.0","id":${id},${JSON.stringify(rest).slice(1)}`
}

/** The reply to a request of the server: this client has nothing but `ping`. */
export const reply = (text: string): string | undefined => {
  const message = Json.objectOf(text)
  if (message === undefined || !Object.hasOwn(message, "method") || !Object.hasOwn(message, "id")) return undefined
  return JSON.stringify({
    jsonrpc: "2.0",
    id: message["id"],
    ...(message["method"] === "ping" ? { result: {} } : { error: { code: -32601, message: "Method not found" } })
  })
}

type Answered = Omit<Reply, "milliseconds">

const ask = Effect.fnUntraced(function*(
  line: Line.Line,
  text: string,
  id: number,
  { patience }: RequestOptions
): Effect.fn.Return<Answered> {
  const at = line.passed().length
  const sent = yield* Effect.option(line.send(text))
  const found = sent._tag === "None" ? undefined : yield* line.until((text) => isAnswer(text, id), patience, at)
  const ended = line.ended()
  return {
    outcome: found !== undefined
      ? outcomeOf(found)
      : ended === undefined
      ? { _tag: "Silent" }
      : { _tag: "Ended", reason: ended },
    exchange: line.passed().slice(at),
    http: undefined
  }
})

const post = (http: HttpLine.HttpLine, text: string, id: number, { headers, patience }: RequestOptions) =>
  Effect.map(
    http.exchange(
      { method: "POST", body: text, headers },
      { patience, enough: (texts) => texts.some((text) => isAnswer(text, id)) }
    ),
    (exchanged): Answered => {
      const { exchange, failure, head, texts } = exchanged
      const found = texts.find((text) => isAnswer(text, id))
      return {
        outcome: found !== undefined
          ? outcomeOf(found)
          : head !== undefined && failure === undefined
          ? { _tag: "Status", status: head.status }
          : failure?.startsWith("nothing came") === true
          ? { _tag: "Silent" }
          : { _tag: "Ended", reason: failure ?? "the answer had no end" },
        exchange,
        http: exchanged
      }
    }
  )

/**
 * Tells whether a text answers a request. A server that loses ids or changes their type is heard all the same: one rule says
 * so, and the others go on.
 */
const isAnswer = (text: string, id: number): boolean => {
  if (!Json.isResponse(text)) return false
  const found = Json.idOf(text)
  return found === undefined || found === "null" || found === String(id) || found === `"${id}"`
}

const outcomeOf = (text: string): Outcome => {
  const message = Json.objectOf(text) ?? {}
  if (Object.hasOwn(message, "result")) return { _tag: "Result", result: message["result"] ?? null }
  const error = message["error"] ?? null
  const [code, said] = [JsonObject.member(error, "code"), JsonObject.member(error, "message")]
  return {
    _tag: "Error",
    code: typeof code === "number" ? code : undefined,
    message: typeof said === "string" ? said : JSON.stringify(error),
    error
  }
}

/** The headers that repeat a modern message. */
const headersOf = (text: string | undefined): Readonly<Record<string, string>> => {
  const message = text === undefined ? undefined : Json.objectOf(text)
  const params = message?.["params"]
  const version = Envelope.metaOf(params)?.[Envelope.protocolVersion]
  const method = message?.["method"]
  if (typeof version !== "string" || typeof method !== "string") return {}
  const name = HeaderValue.nameOf(method, params)
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": HeaderValue.encode(name) })
  }
}

/** The headers that name a session. */
export const inSession = ({ id, revision }: Session): Readonly<Record<string, string>> => ({
  ...(id !== undefined && { "mcp-session-id": id }),
  ...(revision !== undefined && { "mcp-protocol-version": revision })
})
