/**
 * The sender of a request, as quotas count it: a principal by its name, else the network of its address. A request
 * beyond a quota is refused with 429, and our log has the option that would admit it.
 */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import type { Reply } from "@parley/http/HttpEndpoint"
import { Access, RequestRules } from "@parley/http/shared"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt, type RequestId } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Quota from "../../../http/Quota.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as replies from "../server/replies.ts"
import { type Kind, Parties, type Party } from "./Parties.ts"

/** @internal */
export interface Options {
  readonly quotas: Quota.QuotaOptions | false | undefined
  readonly proxies: HttpEndpoint.Proxies | undefined
  readonly report: RequestRules.RequestGate["report"]
  readonly context: Context.Context<never>
}

/** Tells whose requests are whose. @internal */
export class Requesters {
  readonly #clientOf: ReturnType<typeof HttpEndpoint.clientAddress>
  readonly #byKind: Readonly<Record<keyof Quota.QuotaOptions, Parties>>
  readonly #options: Options
  /** Whether nothing is to be said of proxies that have no name. */
  #isTold: boolean

  constructor(options: Options) {
    const quotas = Quota.make(options.quotas)
    this.#options = options
    this.#clientOf = HttpEndpoint.clientAddress(options.proxies)
    this.#byKind = {
      principal: new Parties(quotas.principal),
      address: new Parties(quotas.address),
      loopback: new Parties(quotas.loopback)
    }
    this.#isTold = options.proxies !== undefined || quotas.address === Quota.unlimited
  }

  of(head: RequestRules.Head, principal: string | undefined): Requester {
    if (principal !== undefined) return this.#make(head, "principal", principal)
    if (!this.#isTold && isForwarded(head)) this.#tell()
    const { address, isProxied, network } = this.#clientOf(head)
    const isNearby = !isProxied && (address === undefined || Access.isLoopback(address))
    return this.#make(head, isNearby ? "loopback" : "address", (isNearby ? address : network) ?? anywhere)
  }

  /** Counts an admitted request on its address until its body is there: nobody knows before who sends it. */
  admit(
    head: RequestRules.Head,
    admission: RequestRules.Admission | RequestRules.Refusal
  ): RequestRules.Admission | RequestRules.Refusal {
    if (admission instanceof RequestRules.Refusal) return admission
    const requester = this.of(head, undefined)
    if (!requester.isBounded("arriving")) return admission
    const party = requester.take("arriving")
    if (party !== undefined) return new Arriving(admission, party)
    admission.release()
    return requester.refusal("arriving")
  }

  #make(head: RequestRules.Head, kind: keyof Quota.QuotaOptions, name: string): Requester {
    return new Requester(head, this.#byKind[kind], kind, name, this.#options)
  }

  #tell() {
    this.#isTold = true
    Effect.runForkWith(this.#options.context)(Effect.logWarning(unnamed))
  }
}

/** An admitted request that counts on the quota of its address until its body is there, or it ends. */
class Arriving implements RequestRules.Admission {
  readonly #admission: RequestRules.Admission
  #party: Party | undefined

  constructor(admission: RequestRules.Admission, party: Party) {
    this.#admission = admission
    this.#party = party
  }

  push(chunk: Uint8Array): RequestRules.Refusal | undefined {
    return this.#admission.push(chunk)
  }

  text(): string | RequestRules.Refusal {
    this.#arrived()
    return this.#admission.text()
  }

  get budget() {
    return this.#admission.budget
  }

  toStream(): RequestRules.Refusal | undefined {
    return this.#admission.toStream()
  }

  hold(bytes: number, end: () => void) {
    this.#admission.hold(bytes, end)
  }

  release() {
    this.#arrived()
    this.#admission.release()
  }

  #arrived() {
    this.#party?.give("arriving")
    this.#party = undefined
  }
}

const anywhere = "an unknown address"

const unnamed = "requests come through a proxy that `proxies` does not name: its clients share one quota, or have none"

const isForwarded = ({ header }: RequestRules.Head): boolean =>
  header("x-forwarded-for") !== undefined || header("forwarded") !== undefined

type Answer = Effect.Effect<Reply | RequestRules.Refusal>

/** @internal */
export class Requester {
  readonly #head: RequestRules.Head
  readonly #parties: Parties
  readonly #kind: keyof Quota.QuotaOptions
  readonly #name: string
  readonly #options: Options

  constructor(
    head: RequestRules.Head,
    parties: Parties,
    kind: keyof Quota.QuotaOptions,
    name: string,
    options: Options
  ) {
    this.#head = head
    this.#parties = parties
    this.#kind = kind
    this.#name = name
    this.#options = options
  }

  /** The party beyond quotas: an address is one only where it is known which proxies tell it. */
  get party(): string | undefined {
    return this.#kind === "address" && this.#options.proxies !== undefined ? `address ${this.#name}` : undefined
  }

  isBounded(kind: Kind): boolean {
    return this.#parties.quota[kind] < Infinity
  }

  /** Takes something for as long as it lasts; nothing where the quota does not allow it. */
  take(kind: Kind, many: number = 1): Party | undefined {
    return this.#parties.take(this.#name, kind, many)
  }

  /** Answers with what is one of a kind as long as it runs, or refuses it. */
  during(kind: Kind, id: RequestId.RequestId | undefined, answer: Answer): Answer {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.take(kind)),
      (party) => party === undefined ? this.refuse(kind, id) : answer,
      (party) => Effect.sync(() => party?.give(kind))
    )
  }

  /** The answer to what is beyond the quota. The log hears of it once in a minute. */
  refuse(kind: Kind, id: RequestId.RequestId | undefined): Answer {
    const refusal = this.#refusal(kind, this.#reason(kind))
    const { headers, text } = refusal
    const reply = id === undefined
      ? refusal
      : replies.refused(429, ErrorResponse.make(McpError.Overloaded, text), id, headers)
    return Effect.as(this.#report(refusal), reply)
  }

  /** As `refuse`, for a host that reports what has a reason. */
  refusal(kind: Kind): RequestRules.Refusal {
    return this.#refusal(kind, this.#isTold() ? undefined : this.#reason(kind))
  }

  #refusal(kind: Kind, reason: string | undefined): RequestRules.Refusal {
    const most = this.#parties.quota[kind]
    const text = `Too many ${said[kind]} of one client: it may have ${most} at once. Try again later.`
    return new RequestRules.Refusal(429, text, { "retry-after": retryAfter[kind] }, reason)
  }

  #reason(kind: Kind): string {
    const name = this.#kind === "principal" ? Excerpt.quoted(this.#name) : this.#name
    const proxy = this.#options.proxies === undefined && isForwarded(this.#head)
      ? "; the request came through a proxy that `proxies` does not name"
      : ""
    return `\`quotas.${this.#kind}.${said[kind]}\` allows ${name} no more than ${
      this.#parties.quota[kind]
    } at once${proxy}`
  }

  #report(refusal: RequestRules.Refusal): Effect.Effect<void> {
    const { report } = this.#options
    return report === undefined || this.#isTold() ? Effect.void : report(this.#head, refusal)
  }

  /** Whether the log has heard of the party in this minute. It has from now on. */
  #isTold(): boolean {
    const party = this.#parties.get(this.#name)
    if (party === undefined) return false
    const clock = Context.get(this.#options.context, Clock.Clock)
    const minute = Math.floor(clock.currentTimeMillisUnsafe() / 60_000)
    const isTold = party.toldAt === minute
    party.toldAt = minute
    return isTold
  }
}

/** Seconds: a session may end long after a call has. */
const retryAfter: Readonly<Record<Kind, string>> = { sessions: "60", streams: "10", calls: "1", arriving: "1" }

/** The names of the options. */
const said: Readonly<Record<Kind, keyof Quota.Quota>> = {
  sessions: "sessions",
  streams: "streams",
  calls: "calls",
  arriving: "calls"
}
