/**
 * Endpoints and places on subjects of NATS, with a connection to its server each.
 *
 * User and password, or a token alone, are those of the URL, else those of the environment, by the names that the `nats`
 * command has for them.
 */
import type { Answer } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import * as NatsClient from "@parley/nats/NatsClient"
import type { Credentials } from "@parley/nats/NatsClient"
import * as NatsRpc from "@parley/nats/NatsRpc"
import * as NatsTransport from "@parley/nats/NatsTransport"
import type { Exchange } from "@parley/peer/shared"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type { Listener } from "@parley/transport/Listener"
import { type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { readFile } from "node:fs/promises"
import type * as Endpoint from "../Endpoint.ts"

type There = Endpoint.Nats | Endpoint.NatsConversation

type Opened<A> = Effect.Effect<A, TransportError, Scope.Scope>

/** Publishes texts on the subject. */
export const exchange = (there: There, ca: string | undefined, limits: Partial<Limits>): Opened<Exchange.Exchange> =>
  connected(there, ca, NatsRpc.makeExchange({ subject: there.subject, limits }))

/** Begins a conversation. */
export const transport = (there: There, ca: string | undefined, limits: Partial<Limits>): Opened<Transport> =>
  connected(there, ca, NatsTransport.makeTransport({ subject: there.subject, limits }))

/** Listens for conversations. */
export const listener = (place: There): Opened<Listener> =>
  connected(place, undefined, NatsTransport.makeListener({ subject: place.subject }))

/** Answers the texts of the subject, and gives the address. */
export const serve = (place: There, answer: Answer, dialect: Dialect | undefined): Opened<string> =>
  connected(
    place,
    undefined,
    Effect.map(
      NatsRpc.serveWith(
        { subject: place.subject, dialect },
        (text, options) => Effect.map(answer(text, options), replyOf)
      ),
      ({ address }) => address
    )
  )

/** If a refusal has a text of JSON, that text is the reply. */
const replyOf = (answer: Option.Option<string> | RequestRules.Refusal): Option.Option<string> => {
  if (!(answer instanceof RequestRules.Refusal)) return answer
  return answer.headers["content-type"] === "application/json" ? Option.some(answer.text) : Option.none()
}

const connected = <A>(
  { url }: There,
  ca: string | undefined,
  use: Effect.Effect<A, TransportError, NatsClient.NatsClient | Scope.Scope>
): Opened<A> =>
  Effect.gen(function*() {
    const there = new URL(url)
    const credentials = yield* credentialsOf(there)
    const tls = ca === undefined ? undefined : { ca }
    const client = yield* Effect.mapError(
      NatsClient.make({ servers: there.host, name: "parley", credentials, tls }),
      openError
    )
    return yield* Effect.provideService(use, NatsClient.NatsClient, client)
  })

const openError = (cause: unknown) => transportError({ _tag: "Open", cause })

const credentialsOf = (
  { password, username }: URL
): Effect.Effect<Credentials | undefined, TransportError> => {
  const { NATS_CREDS, NATS_PASSWORD, NATS_TOKEN, NATS_USER } = process.env
  if (username !== "") return Effect.succeed(userOf(decodeURIComponent(username), decodeURIComponent(password)))
  if (NATS_CREDS !== undefined) {
    return Effect.tryPromise({
      try: async () => ({ creds: Redacted.make(await readFile(NATS_CREDS, "utf8")) }),
      catch: openError
    })
  }
  if (NATS_USER !== undefined) return Effect.succeed(userOf(NATS_USER, NATS_PASSWORD ?? ""))
  return Effect.succeed(NATS_TOKEN === undefined ? undefined : { token: Redacted.make(NATS_TOKEN) })
}

/** A user without a password is a token. */
const userOf = (user: string, password: string): Credentials =>
  password === "" ? { token: Redacted.make(user) } : { user, password: Redacted.make(password) }
