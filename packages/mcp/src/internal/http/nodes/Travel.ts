/**
 * The parts of a request that may reach another node: the services of its principal that `authorize` declares, and the headers of an
 * allow-list. A node shows its own handlers the same and no more, so that the node which a request reaches makes no
 * difference.
 */
import type { RequestRules } from "@parley/http/shared"
import { ExpiresAt, Scopes } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { isModern } from "../server/incoming.ts"
import type { Answer } from "./Answer.ts"

/** A principal, as it is written. */
export interface Written {
  readonly principal?: string
  readonly scopes: ReadonlyArray<string>
  /** The end of its credentials. */
  readonly until?: number
  /** By their keys. */
  readonly services: Readonly<Record<string, Schema.Json>>
}

export interface Options {
  readonly authorize: Handshake.Authorize | undefined
  /** Headers beside the usual ones. */
  readonly headers: ReadonlyArray<string>
}

export class Travel {
  readonly #services: ReadonlyMap<string, Handshake.Service>
  readonly #headers: ReadonlySet<string>
  readonly #declared: ReadonlySet<string> | undefined

  /** Throws where `authorize` declares no services, or a header holds credentials. */
  constructor({ authorize, headers }: Options) {
    if (authorize !== undefined && authorize.services === undefined) throw new TypeError(undeclared)
    const credential = headers.find((name) => credentials.test(name))
    if (credential !== undefined) {
      throw new TypeError(`\`forwarded\` names the header ${credential}: credentials are never sent to another node`)
    }
    const services = authorize?.services ?? []
    this.#services = new Map(services.map((service) => [service.key, service]))
    this.#declared = authorize === undefined ? undefined : new Set([...ownKeys, ...this.#services.keys()])
    this.#headers = new Set([...usual, ...headers.map((name) => name.toLowerCase())])
  }

  /** The head of a request as handlers see it, on whatever node they run. */
  shown({ head, principal }: Handshake.Handshake): Handshake.Handshake {
    const declared = this.#declaredOf(principal)
    const shown = [...principal.mapUnsafe].filter(([key]) => declared?.has(key))
    return {
      head: isModern(head) ? head : this.head(head),
      principal: Context.makeUnsafe(new Map(shown)),
      declared
    }
  }

  /** Answers with what travels. A modern request is answered here, and keeps its headers. */
  around(answer: Answer): Answer {
    return (handshake, ...rest) => {
      const shown = this.shown(handshake)
      return Effect.provideService(answer(shown, ...rest), Handshake.Current, shown)
    }
  }

  head(head: RequestRules.Head): RequestRules.Head {
    return head instanceof ShownHead ? head : new ShownHead(head, (name) => this.#shows(name))
  }

  write(principal: Context.Context<never>): Written {
    const name = Context.get(principal, Handshake.Name)
    const services: Record<string, Schema.Json> = {}
    for (const [key, service] of this.#services) {
      const written = service.encode(principal)
      if (Option.isSome(written)) services[key] = written.value
    }
    const until = Context.get(principal, ExpiresAt)
    return {
      ...(name === undefined ? {} : { principal: name }),
      scopes: [...Context.get(principal, Scopes)],
      ...(until === undefined ? {} : { until }),
      services
    }
  }

  /** `undefined` where it has what this node cannot read. */
  read({ principal, scopes, services, until }: Written): Context.Context<never> | undefined {
    let read: Context.Context<never> | undefined = Context.add(
      principal === undefined ? empty : Context.make(Handshake.Name, principal),
      Scopes,
      new Set(scopes)
    )
    if (until !== undefined) read = Context.add(read, ExpiresAt, until)
    for (const [key, written] of Object.entries(services)) {
      read = read && this.#services.get(key)?.decode(read, written)
    }
    return read
  }

  handshake(head: RequestRules.Head, principal: Context.Context<never>): Handshake.Handshake {
    return { head: this.head(head), principal, declared: this.#declaredOf(principal) }
  }

  /** Without `authorize`, principals come from the host, which declares nothing. */
  #declaredOf(principal: Context.Context<never>): ReadonlySet<string> | undefined {
    return this.#declared ?? (principal.mapUnsafe.size === 0 ? undefined : ownKeys)
  }

  headersOf(head: RequestRules.Head): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}
    for (const name of head.names?.() ?? this.#headers) {
      const value = this.#shows(name) ? head.header(name) : undefined
      if (value !== undefined) headers[name] = value
    }
    return headers
  }

  #shows(name: string): boolean {
    return this.#headers.has(name) || (name.startsWith("mcp-") && !credentials.test(name))
  }
}

/** A head without the headers that do not travel, and without its query. */
class ShownHead implements RequestRules.Head {
  readonly #head: RequestRules.Head
  readonly header: RequestRules.Head["header"]
  readonly names: RequestRules.Head["names"]
  readonly url: string

  constructor(head: RequestRules.Head, shows: (name: string) => boolean) {
    const { names } = head
    this.#head = head
    this.header = (name) => shows(name.toLowerCase()) ? head.header(name) : undefined
    this.names = names && (() => names().filter(shows))
    this.url = withoutQuery(head.url)
  }

  get method() {
    return this.#head.method
  }

  get address() {
    return this.#head.address
  }
}

const empty = Context.empty()

/** Services that every principal may have. */
const ownKeys: ReadonlySet<string> = new Set([Handshake.Name.key, Scopes.key, ExpiresAt.key])

/** The headers that the protocol needs, and those that describe a request and its way, not who may send it. */
const usual = [
  "accept",
  "accept-language",
  "baggage",
  "content-length",
  "content-type",
  "forwarded",
  "host",
  "last-event-id",
  "origin",
  "traceparent",
  "tracestate",
  "user-agent",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-request-id"
]

/** The names of headers that hold credentials. */
const credentials =
  /authori[sz]ation|cookie|dpop|api[-_]?key|token|secret|password|bearer|jwt|assertion|signature|(^|[-_])auth($|[-_])/i

/** A target without its parameters, any of which may hold a token, a key or a signature (RFC 6750, section 2.3). */
const withoutQuery = (url: string): string => url.split("?", 1)[0] ?? ""

const undeclared =
  "`authorize` declares no Schema of its principals, which a server with a `Mesh` needs, because a handler " +
  "may run on another node: give the Schema to `Handshake.authorize`, `Handshake.declare`, or `services` of `ResourceServer`"
