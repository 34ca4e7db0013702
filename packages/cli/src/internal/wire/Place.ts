/**
 * A place to listen at, as one text: `tcp://HOST:PORT`, `unix:PATH`, `stdio:`,
 * `ws://HOST:PORT/path`, `http://HOST:PORT/path` or `nats://HOST:PORT/SUBJECT`.
 */
import { Address } from "@parley/http/shared"
import * as Result from "effect/Result"
import * as Endpoint from "../Endpoint.ts"

/** Our own stdin and stdout. */
export interface Stdio {
  readonly _tag: "Stdio"
}

/** A host, a port and a path; port 0 picks a free one. */
export interface Web {
  readonly host: string
  readonly port: number
  readonly path: string
}

export interface WebSocket extends Web {
  readonly _tag: "WebSocket"
}

export interface Http extends Web {
  readonly _tag: "Http"
}

/** The places that accept connections with both directions; a subject of NATS also answers single texts. */
export type Duplex = Endpoint.Tcp | Endpoint.Unix | WebSocket | Endpoint.Nats

export type Place = Duplex | Stdio | Http

/** The place that a text names, or why it names none. */
export const fromText = (text: string): Result.Result<Place, string> => {
  if (text === "stdio:") return Result.succeed({ _tag: "Stdio" })
  if (text.startsWith("ws://")) return Result.map(webFromText(text.slice("ws://".length)), webSocket)
  if (text.startsWith("http://")) return Result.map(webFromText(text.slice("http://".length)), http)
  if (text.startsWith("nats://")) return natsFromText(text)
  if (!text.startsWith("tcp://") && !text.startsWith("unix:")) {
    return Result.fail("it does not begin with tcp://, unix:, ws://, http:// or nats://, and is not stdio:")
  }
  return Result.flatMap(
    Endpoint.fromText(text),
    (endpoint) =>
      endpoint._tag === "Tcp" || endpoint._tag === "Unix"
        ? Result.succeed(endpoint)
        : Result.fail("it is not a place to listen at")
  )
}

/** The text that names a place, without the secrets of its URL. */
export const toText = (place: Place): string => {
  switch (place._tag) {
    case "Stdio":
      return "stdio:"
    case "Unix":
      return `unix:${place.path}`
    case "Tcp":
      return `tcp://${authorityOf(place)}`
    case "Http":
      return `http://${authorityOf(place)}${place.path}`
    case "WebSocket":
      return `ws://${authorityOf(place)}${place.path}`
    case "Nats":
      return Endpoint.withoutSecrets(place.url)
  }
}

const authorityOf = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`

/** Whether only programs of this machine can connect: who is elsewhere reaches a subject of NATS by the server's address. */
export const isLocal = (place: Place): boolean => {
  if (place._tag === "Nats") return Address.isLoopback(new URL(place.url).hostname)
  return !("host" in place) || Address.isLoopback(place.host)
}

/** `nats://HOST:PORT/SUBJECT`. Conversations begin on the same subject. */
export const natsFromText = (text: string): Result.Result<Endpoint.Nats, string> =>
  Result.flatMap(
    Endpoint.fromText(text),
    (endpoint) =>
      endpoint._tag === "Nats"
        ? Result.succeed(endpoint)
        : Result.fail("it is not of the form nats://HOST:PORT/SUBJECT")
  )

/** `HOST:PORT`, with the path that is served, if it is not the usual one. */
export const webFromText = (text: string, usual = "/"): Result.Result<Web, string> => {
  const [, authority = "", path = usual] = /^([^/]*)(\/.*)?$/.exec(text) ?? []
  if (/[\s?#]/.test(path)) return Result.fail("its path is not the path of a URL")
  return Result.map(Endpoint.tcpFromText(authority), ({ host, port }) => ({ host, port, path }))
}

export const webSocket = (web: Web): WebSocket => ({ _tag: "WebSocket", ...web })

export const http = (web: Web): Http => ({ _tag: "Http", ...web })
