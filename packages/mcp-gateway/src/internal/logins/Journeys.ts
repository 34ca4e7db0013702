/**
 * The ways of browsers through logins. One URL serves all steps: a login begins with its ticket, and whatever page a browser
 * is sent to brings it back with the `state` of that page.
 *
 * ```
 *   ticket → identify: who sits there? → another → refused
 *                                      → who began the login → the authorization server → back: done
 * ```
 *
 * A cookie of each journey holds every step to the browser that has begun it, so that no link leads another one into it.
 */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Pending } from "./Login.ts"

/**
 * Sends the browser of a login to a page, and gives the query with which it comes back to the URL of the logins. The page has
 * a `state` in its query, which the browser brings back.
 *
 * @category models
 * @since 0.1.0
 */
export type Browse = (page: string) => Effect.Effect<URLSearchParams, Error>

/**
 * Learns who sits at a browser: the name of the principal, as the gateway's host gives it to the calls of this user.
 *
 * @category models
 * @since 0.1.0
 */
export type Identify = (browse: Browse) => Effect.Effect<string, Error>

interface Options {
  readonly url: string
  readonly identify: Identify
  readonly patience: Duration.Duration
  /** Runs the way of a browser, until the Scope closes. */
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

/** A login that waits for its person. */
interface Ticket {
  readonly principal: string
  readonly page: string
  readonly answer: Deferred.Deferred<URLSearchParams, Error>
  journey: Journey | undefined
}

/** One browser on its way. */
interface Journey {
  readonly id: string
  readonly cookie: string
  /** The reply to the request that it has made last. */
  reply: Deferred.Deferred<HttpEndpoint.Reply>
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

/** How many logins wait at once. */
const mostTickets = 10_000

/** @internal */
export class Journeys {
  readonly #options: Options
  readonly #tickets = new Map<string, Ticket>()
  /** The pages that browsers have been sent to, by their states. */
  readonly #away = new Map<string, { readonly journey: Journey; readonly back: Deferred.Deferred<URLSearchParams> }>()
  readonly endpoint: HttpEndpoint.HttpEndpoint

  constructor(options: Options) {
    this.#options = options
    this.endpoint = {
      ...HttpEndpoint.gate({ methods: ["GET"], access: { hosts: "any" } }),
      answer: (head) => this.#answer(head)
    }
  }

  /** Begins a login of a principal, whose person is to open a page of an authorization server at its end. */
  begin(principal: string, page: string): Effect.Effect<Pending> {
    return Effect.sync(() => {
      const id = secret()
      const answer = Deferred.makeUnsafe<URLSearchParams, Error>()
      this.#tickets.set(id, { principal, page, answer, journey: undefined })
      for (const oldest of this.#tickets.keys()) {
        if (this.#tickets.size <= mostTickets) break
        this.#end(oldest)
      }
      const url = new URL(this.#options.url)
      url.searchParams.set("ticket", id)
      return {
        elicitationId: globalThis.crypto.randomUUID(),
        url: url.href,
        answer: Deferred.await(answer).pipe(
          Effect.timeoutOrElse({
            duration: this.#options.patience,
            orElse: () => Effect.fail(new Error("nobody signed in in time"))
          }),
          Effect.ensuring(Effect.sync(() => this.#end(id)))
        )
      }
    })
  }

  #end(id: string) {
    const ticket = this.#tickets.get(id)
    this.#tickets.delete(id)
    if (ticket !== undefined) Deferred.doneUnsafe(ticket.answer, Exit.fail(new Error("too many logins wait")))
  }

  #answer(head: Handshake.Head): Effect.Effect<HttpEndpoint.Reply> {
    return Effect.suspend(() => {
      const query = Handshake.queryOf(head)
      const id = query.get("ticket")
      const ticket = id === null ? undefined : this.#tickets.get(id)
      if (ticket !== undefined) return Deferred.await(this.#start(ticket).reply)
      const state = query.get("state")
      const away = state === null ? undefined : this.#away.get(state)
      if (state === null || away === undefined) {
        return Effect.succeed(said(404, "This login is over, or there never was one."))
      }
      const shown = Handshake.cookiesOf(head).get(this.#cookieOf(away.journey))
      if (away.journey.cookie !== shown) return Effect.succeed(said(403, "This login has begun in another browser."))
      this.#away.delete(state)
      const reply = away.journey.reply = Deferred.makeUnsafe()
      return Effect.andThen(Deferred.succeed(away.back, query), Deferred.await(reply))
    })
  }

  /** Over https, no other host can set it, and no page without TLS. */
  #cookieOf({ id }: Journey): string {
    return `${this.#isSecure ? "__Host-" : ""}parley-login-${id}`
  }

  get #isSecure(): boolean {
    return this.#options.url.startsWith("https:")
  }

  /** A browser opens the link. One that did so before has left its way. */
  #start(ticket: Ticket): Journey {
    const journey: Journey = { id: secret(), cookie: secret(), reply: Deferred.makeUnsafe(), fiber: undefined }
    const { journey: before } = ticket
    if (before !== undefined) {
      Deferred.doneUnsafe(before.reply, Exit.succeed(said(409, "This login has been opened again.")))
      before.fiber?.interruptUnsafe()
    }
    ticket.journey = journey
    const { identify, patience } = this.#options
    let isFirst = true
    const reply = (reply: HttpEndpoint.Reply) => {
      const place = this.#isSecure ? "Path=/; Secure" : `Path=${new URL(this.#options.url).pathname}`
      const life = `Max-Age=${Math.ceil(Duration.toSeconds(patience))}`
      const cookie = `${this.#cookieOf(journey)}=${journey.cookie}; HttpOnly; SameSite=Lax; ${life}; ${place}`
      const headers = isFirst ? { ...reply.headers, "set-cookie": cookie } : reply.headers
      Deferred.doneUnsafe(journey.reply, Exit.succeed({ ...reply, headers }))
      isFirst = false
    }
    const browse = (page: string): Effect.Effect<URLSearchParams, Error> =>
      Effect.suspend(() => {
        const state = new URL(page).searchParams.get("state")
        if (state === null) return Effect.fail(new Error("the page has no state"))
        const back = Deferred.makeUnsafe<URLSearchParams>()
        this.#away.set(state, { journey, back })
        reply({ status: 302, headers: { ...plain, location: page }, body: "" })
        return Effect.ensuring(Deferred.await(back), Effect.sync(() => this.#away.delete(state)))
      })
    const way = Effect.gen(function*() {
      const who = yield* identify(browse)
      if (who !== ticket.principal) {
        yield* Effect.logWarning(`${Excerpt.line(who)} has opened the login of another principal, so it is refused`)
        return reply(said(403, "You are not the user who has begun this login."))
      }
      const answer = yield* browse(ticket.page)
      if (!(yield* Deferred.succeed(ticket.answer, answer))) return reply(tooLate)
      const error = answer.get("error")
      return reply(
        error === null
          ? said(200, "You may close this page, and go back to your program.")
          : said(400, `The login has failed: ${Excerpt.line(error)}`)
      )
    })
    const inTime = Effect.timeoutOrElse(way, { duration: patience, orElse: () => Effect.sync(() => reply(tooLate)) })
    const ended = Effect.catchCause(inTime, (cause) =>
      Effect.andThen(
        Effect.logWarning(`the login of ${Excerpt.line(ticket.principal)} has failed`, Excerpt.cause(cause)),
        Effect.sync(() => reply(said(502, "The login has failed.")))
      ))
    // Whatever ends it, no request waits for ever.
    journey.fiber = this.#options.fork(Effect.ensuring(ended, Effect.sync(() => reply(tooLate))))
    return journey
  }
}

const plain = {
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer"
}

const said = (status: number, text: string): HttpEndpoint.Reply => ({ status, headers: plain, body: `${text}\n` })

const tooLate = said(410, "This login is over: begin another one.")

/** A text that nobody can guess. */
const secret = (): string => Base64Url.encode(globalThis.crypto.getRandomValues(new Uint8Array(32)))
