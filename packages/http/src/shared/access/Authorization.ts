/**
 * Lets clients in, or turns them away: runs the `authorize` of a server for a host of HTTP or WebSockets.
 *
 * `Handshake` owns what `authorize` may answer, and what handlers find of it. This
 * module owns the time that it has, what a client that was refused gets, and what
 * our log says of it.
 *
 * ```ts run
 * import { Authorization } from "@parley/http/shared"
 * import { Handshake } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const authorize = () => Effect.fail(Handshake.unauthenticated("Bearer", "it has expired"))
 * const head: Handshake.Head = { method: "GET", url: "/rpc", address: undefined, header: () => undefined }
 *
 * const { reason, status } = await Effect.runPromise(Effect.flip(Authorization.run(authorize, head, 1_000)))
 * console.log(status, reason) // => 401 `authorize` refused it: it has expired
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

type Head = Handshake.Head

/**
 * How a host answers a client that it turns away.
 *
 * @category models
 * @since 0.1.0
 */
export interface Denial {
  /** The status of the response. */
  readonly status: number
  /** A sentence for people. */
  readonly text: string
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
  /** The reason for our log. It is `undefined` where the log has it already. */
  readonly reason: string | undefined
}

/**
 * Runs an `authorize` for a host, within so many milliseconds. A defect is logged and becomes 500, a timeout 503.
 *
 * @category running
 * @since 0.1.0
 */
export const run = (
  authorize: Handshake.Authorize,
  head: Head,
  within: number
): Effect.Effect<Handshake.Handshake, Denial> =>
  Effect.suspend(() => authorize(head)).pipe(
    Effect.map((principal) => handshakeOf(head, principal)),
    Effect.mapError(({ challenge, headers, message, reason, status }): Denial => ({
      status,
      text: message,
      headers: challenge === undefined ? headers ?? {} : { ...headers, "www-authenticate": challenge },
      // It may quote the client, as an error of a parser does.
      reason: `\`authorize\` refused it${reason === undefined ? "" : `: ${Excerpt.line(reason)}`}`
    })),
    Effect.timeoutOrElse({
      duration: within,
      orElse: () => Effect.fail(denial(503, `\`authorize\` took longer than ${within} ms, the limit \`handshake\``))
    }),
    Effect.catchCauseIf(
      Cause.hasDies,
      (cause) =>
        Effect.andThen(Effect.logError("`authorize` died", Excerpt.cause(cause)), Effect.fail(denial(500, undefined)))
    )
  )

/**
 * The handshake of a client whose principal is known. What runs for the client does not find the headers of its
 * credentials.
 *
 * @category running
 * @since 0.1.0
 */
export const handshakeOf = (head: Head, principal: Context.Context<never>): Handshake.Handshake => {
  const credentials = Context.get(principal, Handshake.Credentials)
  return { head: credentials.length === 0 ? head : new HeadWithout(head, credentials), principal }
}

/** A head without some of its headers. It asks the other when it is asked: a host may have nothing ready. */
class HeadWithout implements Head {
  readonly #head: Head
  readonly header: Head["header"]
  readonly names: Head["names"]

  constructor(head: Head, without: ReadonlyArray<string>) {
    const { names } = head
    this.#head = head
    // Some hosts find a header by its name in any case.
    this.header = (name) => without.includes(name.toLowerCase()) ? undefined : head.header(name)
    this.names = names && (() => names().filter((name) => !without.includes(name)))
  }

  get method() {
    return this.#head.method
  }

  get url() {
    return this.#head.url
  }

  get address() {
    return this.#head.address
  }

  get certificate() {
    return this.#head.certificate
  }
}

const denial = (status: 500 | 503, reason: string | undefined): Denial => ({
  status,
  text: status === 500 ? "The server failed to answer." : "The server is busy; try again later.",
  headers: status === 500 ? {} : { "retry-after": "1" },
  reason
})
