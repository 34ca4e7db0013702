/** The options of `@nats-io/transport-node`, and the meaning of its errors. */
import {
  type Authenticator,
  type ConnectionOptions,
  credsAuthenticator,
  errors,
  nkeyAuthenticator,
  type TlsOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator
} from "@nats-io/transport-node"
import * as Redacted from "effect/Redacted"
import type { Reason } from "./NatsError.ts"
import type { Credentials, NatsOptions, Tls } from "./NatsOptions.ts"

/** Nats.js must not ping: it takes a server for gone that has much to say before it answers. The client pings itself. */
const never = 2_147_483_647

/** Milliseconds between two attempts to connect, and as many more by chance. */
const pause = 250

/** @internal */
export const optionsOf = (options: NatsOptions, timeout: number): ConnectionOptions => ({
  servers: typeof options.servers === "string" ? options.servers : [...options.servers ?? []],
  ...(options.credentials === undefined ? {} : { authenticator: authenticatorOf(options.credentials) }),
  ...(options.tls === undefined ? {} : { tls: tlsOf(options.tls) }),
  ...(options.name === undefined ? {} : { name: options.name }),
  timeout,
  pingInterval: never,
  // It goes on until it is closed, also where the server refuses the credentials for a while.
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: pause,
  reconnectJitter: pause,
  reconnectJitterTLS: pause,
  noAsyncTraces: true
})

const encoder = new TextEncoder()

/** Whether a text is a subject: tokens with dots between them, of which only the last may be `>`. */
export const isSubject = (text: string): boolean =>
  subject.test(text) && !text.startsWith(">.") && !text.includes(".>.")

const subject = /^[^\s.]+(?:\.[^\s.]+)*$/

/** The addresses of servers, without the credentials that an address may contain. */
export const placeOf = (servers: NonNullable<NatsOptions["servers"]>): string =>
  (typeof servers === "string" ? [servers] : servers).map((server) => server.replace(/^([a-z]+:\/\/)?.*@/i, "$1"))
    .join()

/** The authenticator that answers the challenge of a server. Throws if the credentials cannot be read. */
const authenticatorOf = (credentials: Credentials): Authenticator => {
  if ("token" in credentials) return tokenAuthenticator(Redacted.value(credentials.token))
  if ("user" in credentials) {
    return usernamePasswordAuthenticator(credentials.user, Redacted.value(credentials.password))
  }
  const authenticator = "nkey" in credentials
    ? nkeyAuthenticator(encoder.encode(Redacted.value(credentials.nkey)))
    : credsAuthenticator(encoder.encode(Redacted.value(credentials.creds)))
  authenticator("challenge")
  return authenticator
}

const tlsOf = ({ ca, cert, handshakeFirst, key }: Tls): TlsOptions => ({
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key: Redacted.value(key) }),
  ...(handshakeFirst === undefined ? {} : { handshakeFirst })
})

/** Why the connection could not be opened. @internal */
export const refusalOf = (error: unknown, milliseconds: number): Reason => {
  if (isUnauthorized(error)) return { _tag: "Unauthorized", detail: textOf(error) }
  if (error instanceof errors.InvalidArgumentError || error instanceof TypeError) {
    return { _tag: "Invalid", detail: textOf(error) }
  }
  const detail = error instanceof errors.TimeoutError ? `no answer in ${milliseconds} ms` : textOf(error)
  return { _tag: "Unreachable", detail }
}

/** Why a request was not answered, or a message not sent. @internal */
export const reasonOf = (error: unknown, milliseconds: number): Reason => {
  if (error instanceof errors.TimeoutError) return { _tag: "TimedOut", milliseconds }
  if (error instanceof errors.NoRespondersError) return { _tag: "Nobody" }
  if (error instanceof errors.PermissionViolationError) return { _tag: "Forbidden", detail: textOf(error) }
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError) {
    return { _tag: "Closed" }
  }
  if (error instanceof errors.RequestError) {
    return error.cause === undefined ? { _tag: "Disconnected" } : reasonOf(error.cause, milliseconds)
  }
  return { _tag: "Invalid", detail: textOf(error) }
}

/** Whether the server refuses who we are. */
const isUnauthorized = (error: unknown): boolean =>
  error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError

/** The words of an error. @internal */
export const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.message === "" ? error.name : error.message
}

/** Whether the server forbids to publish to a subject. @internal */
export const forbids = (error: unknown, subject: string): boolean =>
  error instanceof errors.PermissionViolationError && error.operation === "publish" && error.subject === subject
