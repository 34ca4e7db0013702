/**
 * Finds what a request of HTTP is, once, and has its era answer it.
 */
import type { Responder } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import * as Session from "@parley/peer/Session"
import type * as Message from "@parley/protocol/Message"
import * as Handshake from "@parley/transport/Handshake"
import { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import * as Envelope from "../../wire/Envelope.ts"
import * as McpDialect from "../../wire/McpDialect.ts"
import * as Revision from "../../wire/Revision.ts"
import type { Answer } from "./nodes/Answer.ts"
import type { Requesters } from "./quota/Requester.ts"
import * as incoming from "./server/incoming.ts"
import * as modern from "./server/modernEra.ts"
import { type HttpRequest, type Post, Posted } from "./server/Posted.ts"
import * as replies from "./server/replies.ts"
import * as legacy from "./session/legacyEra.ts"
import type { SessionTable } from "./session/SessionTable.ts"

/** What all requests of an endpoint share. @internal */
export interface Shared extends modern.Modern {
  readonly requesters: Requesters
  /** The legacy sessions; `undefined` where there are none. */
  readonly sessions: SessionTable | undefined
}

/** @internal */
export class Dispatch {
  readonly #shared: Shared
  readonly #legacy: legacy.Legacy | undefined
  readonly #hasModern: boolean
  readonly #hasLegacy: boolean
  /** The budget of all bodies and calls where their host has none, or is on another node. */
  #own: Budget.Budget | undefined
  /** The newest revision accepts every message of any; a session refuses what its own revision lacks. */
  readonly decode: ReturnType<typeof Session.decoder>

  constructor(shared: Shared) {
    const { limits, server: { protocolVersions: revisions }, sessions } = shared
    this.#shared = shared
    this.#legacy = sessions && { ...shared, sessions }
    this.#hasModern = Revision.ofEra("modern", revisions).length > 0
    this.#hasLegacy = Revision.ofEra("legacy", revisions).length > 0
    this.decode = Session.decoder({ dialect: reading, limits })
  }

  readonly budgetOf = (responder: Responder): Budget.Budget =>
    responder.budget ?? (this.#own ??= Budget.make(this.#shared.limits.budget))

  /** Whether a request has no session, whatever its headers say. */
  standsAlone(head: RequestRules.Head, text: string): boolean {
    return this.#hasModern && incoming.standsAlone(head, text, this.decode)
  }

  readonly answer: Answer = (handshake, text, responder) => {
    const { head } = handshake
    if (head.method === "POST") return this.#post(handshake, text, responder)
    const sessions = this.#legacy
    if (sessions === undefined || (this.#hasModern && incoming.isModern(head))) return Effect.succeed(replies.onlyPost)
    const request = this.#requestOf(handshake, responder)
    return head.method === "GET" ? legacy.get(sessions, request) : legacy.remove(sessions, request)
  }

  #requestOf(handshake: Handshake.Handshake, responder: Responder): HttpRequest {
    const { head } = handshake
    const principal = Handshake.nameOf(handshake)
    return { handshake, head, principal, requester: this.#shared.requesters.of(head, principal), responder }
  }

  #post(handshake: Handshake.Handshake, text: string, responder: Responder): ReturnType<Answer> {
    let posted: Posted | undefined
    const answered = Effect.suspend((): ReturnType<Answer> => {
      posted = Posted.read(text, this.budgetOf(responder), this.decode)
      if (posted === undefined) return Effect.succeed(RequestRules.tooMany)
      const call = incoming.callOf(posted.decoded.batch)
      return this.#route({
        ...this.#requestOf(handshake, responder),
        posted,
        call,
        envelope: this.#hasModern && call !== undefined ? Envelope.readEnvelope(call.params) : undefined
      })
    })
    return Effect.onExitPrimitive(answered, () => {
      posted?.leave()
      return undefined
    })
  }

  #route(post: Post): ReturnType<Answer> {
    const { call, posted, requester } = post
    const { batch } = posted.decoded
    const { server } = this.#shared
    const bad = incoming.unreadable(batch)
    if (bad !== undefined) return Effect.succeed(replies.unreadable(bad))
    const isModern = this.#isModern(post)
    // A session counts its notifications itself.
    const heard = call?._tag === "Request" || !(isModern || this.#legacy === undefined)
      ? none
      : incoming.notificationsOf(batch).filter(({ method }) => server.hears(method, isModern ? "modern" : "legacy"))
    // A client that listens has a stream, which is counted as that.
    const calls = isModern && call !== undefined && modern.isListening(call)
      ? 0
      : incoming.requestsOf(batch).length + heard.length
    if (calls > 0 && requester.isBounded("calls")) {
      const party = requester.take("calls", calls)
      if (party === undefined) return requester.refuse("calls", call?._tag === "Request" ? call.id : undefined)
      posted.count(party, calls)
    }
    if (!isModern) {
      return this.#legacy === undefined
        ? legacy.postAlone(this.#shared, post, heard.length > 0)
        : legacy.post(this.#legacy, post)
    }
    if (Array.isArray(batch)) return Effect.succeed(replies.noBatches)
    if (call?._tag === "Request") return modern.answer(this.#shared, post, call)
    const [notification] = heard
    return notification === undefined
      ? Effect.succeed(replies.accepted)
      : modern.hear(this.#shared, post, notification)
  }

  #isModern({ call, envelope, head }: Post): boolean {
    if (!this.#hasModern || !this.#hasLegacy) return this.#hasModern
    return envelope !== undefined || (incoming.isModern(head) && call?.method !== "initialize")
  }
}

const none: ReadonlyArray<Message.Notification> = []

const reading = { ...McpDialect.make(() => undefined), batches: "accept" as const }
