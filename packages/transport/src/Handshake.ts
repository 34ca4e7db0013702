/**
 * The client at the other end: the head of its request, which comes before
 * everything else, and its principal, which the server's `authorize` finds.
 *
 * A listener shows the head of the request that opens a connection, an HTTP host
 * the head of each request. `authorize` answers with services of your own, the
 * principal, or with `Refused`. Handlers of the connection or request then find
 * both as `Current`. Transports that have no head, such as TCP, leave it
 * empty, until a handler logs their client in.
 *
 * ```ts run
 * import { Handshake } from "@parley/transport"
 * import { Context, Effect } from "effect"
 *
 * class User extends Context.Service<User, { readonly name: string }>()("User") {}
 *
 * const authorize = Handshake.authorize(User, ({ header }) =>
 *   header("authorization") === "Bearer alice-token"
 *     ? Effect.succeed({ name: "Alice" })
 *     : Effect.fail(Handshake.unauthenticated("Bearer")))
 *
 * const head = (token: string): Handshake.Head => ({
 *   method: "GET",
 *   url: "/rpc",
 *   address: undefined,
 *   header: (name) => name === "authorization" ? `Bearer ${token}` : undefined
 * })
 *
 * const services = Effect.runSync(authorize(head("alice-token")))
 * console.log(Context.getOption(services, User)) // => { _id: 'Option', _tag: 'Some', value: { name: 'Alice' } }
 * console.log(Effect.runSync(Effect.flip(authorize(head("guess")))).status) // => 401
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * The head of a request, before its body is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Head {
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The target as it was sent: a path and a query in most cases, a whole URL where the client takes us for its proxy. */
  readonly url: string
  /** A header by its name in lower case, `undefined` when it is missing. Values of a repeated header are joined. */
  readonly header: (name: string) => string | undefined
  /** The names of the headers that came, in lower case. Absent where the host cannot tell. */
  readonly names?: (() => ReadonlyArray<string>) | undefined
  /**
   * The address of the client, if the host knows it. Behind a proxy it is that of the proxy: see
   * `HttpEndpoint.clientAddress` of `@parley/http`.
   */
  readonly address: string | undefined
  /** The certificate that the client has shown, where TLS asked for one. */
  readonly certificate?: Certificate | undefined
}

/**
 * The certificate of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface Certificate {
  /** The common name of its subject. */
  readonly name: string | undefined
  /** Its alternative names, as in `DNS:a.example.org, IP Address:192.0.2.1`. */
  readonly alternatives: string | undefined
  /** The SHA-256 of it, as upper case pairs of digits with colons. */
  readonly fingerprint: string
  /** It in DER. */
  readonly raw: Uint8Array
  /** Whether an authority that we trust has signed it. Only `rejectUnauthorized: false` lets others in. */
  readonly isTrusted: boolean
}

/** The path of a head, without the query. @category reading @since 0.1.0 */
export const pathOf = ({ url }: Pick<Head, "url">): string => {
  const target = url.charCodeAt(0) === slash ? url : url.replace(absolute, "")
  const query = target.indexOf("?")
  const path = query === -1 ? target : target.slice(0, query)
  return path === "" ? "/" : path
}

const slash = 0x2f

/** RFC 9112, 3.2.2: a server takes a whole URL, too. */
const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/** The host that a head is for, with its port. A whole URL overrides the header. @category reading @since 0.1.0 */
export const hostOf = ({ header, url }: Pick<Head, "header" | "url">): string | undefined =>
  url.charCodeAt(0) === slash ? header("host") : absolute.exec(url)?.[1] ?? header("host")

/** The query of a head. @category reading @since 0.1.0 */
export const queryOf = ({ url }: Pick<Head, "url">): URLSearchParams => {
  const query = url.indexOf("?")
  return new URLSearchParams(query === -1 ? "" : url.slice(query + 1))
}

/** The cookies of a head by their names, values as they were sent. Of two with one name the first counts. @category reading @since 0.1.0 */
export const cookiesOf = ({ header }: Pick<Head, "header">): ReadonlyMap<string, string> => {
  const cookies = new Map<string, string>()
  for (const pair of (header("cookie") ?? "").split(";")) {
    const equals = pair.indexOf("=")
    const name = pair.slice(0, Math.max(0, equals)).trim()
    if (name !== "" && !cookies.has(name)) cookies.set(name, pair.slice(equals + 1).trim())
  }
  return cookies
}

/** The subprotocols that the client of a WebSocket offers. @category reading @since 0.1.0 */
export const protocolsOf = ({ header }: Pick<Head, "header">): ReadonlyArray<string> =>
  (header("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "")

/**
 * Why `authorize` turns a client away. `message` is for the client, `reason` for our log.
 *
 * @category errors
 * @since 0.1.0
 */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  /** 401 where other credentials would help, 503 where the service that knows clients does not answer, else 403. */
  status: Schema.Literals([401, 403, 503]),
  /** A sentence for the client. */
  message: Schema.String,
  /** The `www-authenticate` of a 401 or 403, as in `Bearer realm="bank"`. */
  challenge: Schema.optional(Schema.String),
  /** Further headers of the answer, by their names in lower case. */
  headers: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  /** A sentence for our log. */
  reason: Schema.optional(Schema.String)
}) {}

/**
 * 401: the client has to say who it is. `challenge` tells it how.
 *
 * @category errors
 * @since 0.1.0
 */
export const unauthenticated = (
  challenge?: string,
  reason?: string,
  headers?: Readonly<Record<string, string>>
): Refused =>
  new Refused({ status: 401, message: "This server does not know who you are.", challenge, headers, reason })

/**
 * 403: the client may not come in, whatever its credentials are.
 *
 * @category errors
 * @since 0.1.0
 */
export const forbidden = (reason?: string): Refused =>
  new Refused({ status: 403, message: "You may not use this server.", reason })

/**
 * 503: the service that knows clients does not answer. The credentials of the client may be good, so it should keep
 * them and come back.
 *
 * @category errors
 * @since 0.1.0
 */
export const unavailable = (reason?: string): Refused =>
  new Refused({
    status: 503,
    message: "This server cannot tell who you are now; try again later.",
    headers: { "retry-after": "5" },
    reason
  })

/**
 * Says who a client is, as services of your own, or refuses it. It runs before the body of a request is read and before
 * a connection is accepted, has `Limits.handshake`, and is interrupted when the client leaves.
 *
 * @category models
 * @since 0.1.0
 */
export interface Authorize {
  (head: Head): Effect.Effect<Context.Context<never>, Refused>
  /** The services of its principals that may travel to other nodes. */
  readonly services?: ReadonlyArray<Service> | undefined
}

/**
 * A service of a principal, and the Schema as which it travels to another node that runs a handler for the client.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /** The key of the service. */
  readonly key: string
  /** Writes the service of a principal, if it has it. */
  readonly encode: (principal: Context.Context<never>) => Option.Option<Schema.Json>
  /** Adds a service that another node has written; `undefined` where it cannot be read. */
  readonly decode: (to: Context.Context<never>, written: unknown) => Context.Context<never> | undefined
}

/** A service with the Schema as which it travels. @category constructors @since 0.1.0 */
export const service = <I, S, E>(tag: Context.Key<I, S>, schema: Schema.Codec<S, E>): Service => {
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeSync(codec)
  const decode = Schema.decodeUnknownOption(codec)
  return {
    key: tag.key,
    encode: (principal) => Option.map(Context.getOption(principal, tag), (service) => encode(service)),
    decode: (to, written) => Option.getOrUndefined(Option.map(decode(written), (read) => Context.add(to, tag, read)))
  }
}

/** Declares the services, if any, that handlers find on all nodes of a server. @category constructors @since 0.1.0 */
export const declare = (authorize: Authorize, ...services: ReadonlyArray<Service>): Authorize =>
  Object.assign((head: Head) => authorize(head), { services: [...authorize.services ?? [], ...services] })

/**
 * The name of a principal, by which one is told from another: a session of MCP belongs to a name.
 *
 * @category services
 * @since 0.1.0
 */
export const Name: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "@parley/transport/Handshake/Name",
  { defaultValue: () => undefined }
)

/**
 * The headers that hold the credentials of a principal, in lower case. Code that runs for the connection or request
 * does not find them in its head, so that no handler passes them on.
 *
 * @category services
 * @since 0.1.0
 */
export const Credentials: Context.Reference<ReadonlyArray<string>> = Context.Reference<ReadonlyArray<string>>(
  "@parley/transport/Handshake/Credentials",
  { defaultValue: () => [] }
)

/**
 * An `authorize` whose principal is one service. `name` tells principals apart; without it, a session of MCP belongs to
 * every client that has its id. With its `schema`, the service is there on every node of a server.
 *
 * @category constructors
 * @since 0.1.0
 */
export const authorize = <I, S>(
  tag: Context.Key<I, S>,
  identify: (head: Head) => Effect.Effect<S, Refused>,
  name?: (service: S) => string,
  schema?: Schema.Codec<S, unknown>
): Authorize => {
  const authorized: Authorize = (head) =>
    Effect.map(identify(head), (service) => {
      const principal = Context.make(tag, service)
      return name === undefined ? principal : Context.add(principal, Name, name(service))
    })
  return schema === undefined ? authorized : declare(authorized, service(tag, schema))
}

/**
 * A client that was let in.
 *
 * @category models
 * @since 0.1.0
 */
export interface Handshake {
  /** The head of the request, without the headers that `Credentials` names. */
  readonly head: Head
  /** The services that `authorize` and the last login gave; empty without one. */
  readonly principal: Context.Context<never>
  /** The keys of the services that `authorize` declares, where the handler may run on another node. */
  readonly declared?: ReadonlySet<string> | undefined
}

/**
 * The handshake of the connection or request that something runs for, with what a login has added to its principal.
 * `undefined` where there was neither.
 *
 * @category services
 * @since 0.1.0
 */
export const Current: Context.Reference<Handshake | undefined> = Context.Reference<Handshake | undefined>(
  "@parley/transport/Handshake/Current",
  { defaultValue: () => undefined }
)

/**
 * The service of the principal, if `authorize` or a login gave it. Where the server runs on several nodes, a service that `authorize`
 * does not declare is a defect.
 *
 * @category reading
 * @since 0.1.0
 */
export const principal = <I, S>(tag: Context.Key<I, S>): Effect.Effect<Option.Option<S>> =>
  Effect.flatMap(Current, (current) =>
    current?.declared?.has(tag.key) === false
      ? Effect.die(new TypeError(`\`authorize\` does not declare ${tag.key}, so other nodes have it not: ${remedy}`))
      : Effect.succeed(current === undefined ? Option.none() : Context.getOption(current.principal, tag)))

const remedy = "give its Schema to `authorize` or `declare` of `Handshake`"

/** The name of the principal, if `authorize` gave one. @category reading @since 0.1.0 */
export const nameOf = ({ principal }: Handshake): string | undefined => Context.get(principal, Name)

/**
 * Holds the principal of a connection for the calls that start from now on. Calls that run keep theirs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Holder {
  /**
   * Adds the services of a login to those of the handshake, in place of those of the login before. `undefined` leaves
   * those of the handshake alone.
   */
  readonly hold: (login: Context.Context<never> | undefined) => void
}

/**
 * The holder of the connection that something runs for. `undefined` where a call belongs to no connection, as over HTTP.
 *
 * @category services
 * @since 0.1.0
 */
export const Holder: Context.Reference<Holder | undefined> = Context.Reference<Holder | undefined>(
  "@parley/transport/Handshake/Holder",
  { defaultValue: () => undefined }
)

/**
 * A handshake with the services of a login. The name is that of the login, also where it has none, so that nobody is
 * taken for the principal of the handshake.
 *
 * @category constructors
 * @since 0.1.0
 */
export const withLogin = (handshake: Handshake | undefined, login: Context.Context<never>): Handshake => {
  const { principal, ...client } = handshake ?? anonymous(noHead)
  return { ...client, principal: Context.merge(Context.omit(Name)(principal), login) }
}

/** The head of a client of a wire that has none. */
const noHead: Head = { method: "", url: "", header: () => undefined, address: undefined }

/** The handshake of a client that was not asked who it is. @category constructors @since 0.1.0 */
export const anonymous = (head: Head): Handshake => ({ head, principal: nobody })

const nobody = Context.empty()
