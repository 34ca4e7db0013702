/**
 * The place of the other side, as one text: `tcp://host:port`, `tls://host:port`,
 * `unix:/path`, `stdio:command with arguments`, or a URL of `ws:`, `wss:`, `http:`, `https:` or `nats:`.
 */
import * as Result from "effect/Result"
import { join, split } from "./arguments/words.ts"

/**
 * A host and a port.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tcp {
  readonly _tag: "Tcp"
  readonly host: string
  readonly port: number
}

/**
 * A host and a port, whose connections are encrypted.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tls {
  readonly _tag: "Tls"
  readonly host: string
  readonly port: number
}

/**
 * The path of a Unix socket.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unix {
  readonly _tag: "Unix"
  readonly path: string
}

/**
 * A program to start, whose stdin and stdout are the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface Command {
  readonly _tag: "Command"
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/**
 * A `ws:` or `wss:` URL.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocket {
  readonly _tag: "WebSocket"
  readonly url: string
}

/**
 * An `http:` or `https:` URL, to which texts are posted.
 *
 * @category models
 * @since 0.1.0
 */
export interface Http {
  readonly _tag: "Http"
  readonly url: string
}

/**
 * A subject of NATS, on which each text is a message. The path of the URL is the subject.
 *
 * @category models
 * @since 0.1.0
 */
export interface Nats {
  readonly _tag: "Nats"
  readonly url: string
  readonly subject: string
}

/**
 * A subject of NATS, on which a conversation begins: its URL ends with `?conversation`.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsConversation {
  readonly _tag: "NatsConversation"
  readonly url: string
  readonly subject: string
}

/** An endpoint that carries texts both ways. @category models @since 0.1.0 */
export type Duplex = Tcp | Tls | Unix | Command | WebSocket | NatsConversation

/** An endpoint that answers each text by itself. @category models @since 0.1.0 */
export type Posts = Http | Nats

/** The other side of a connection, or the place to listen at. @category models @since 0.1.0 */
export type Endpoint = Duplex | Posts

/** Tells whether an endpoint answers each text by itself. @category guards @since 0.1.0 */
export const isPosts = (endpoint: Endpoint): endpoint is Posts => endpoint._tag === "Http" || endpoint._tag === "Nats"

/**
 * The text of the endpoint that these words name, or why there is none. One word is the text itself; several are a command
 * and its arguments, with or without `stdio:` before them.
 *
 * @category conversions
 * @since 0.1.0
 */
export const textOfWords = ([first, ...others]: ReadonlyArray<string>): Result.Result<string, string> => {
  if (first === undefined) return Result.fail("the ENDPOINT is missing")
  if (others.length === 0) return Result.succeed(first)
  const isCommand = first.startsWith("stdio:")
  if (!isCommand && Result.isSuccess(fromText(first))) {
    return Result.fail(`${JSON.stringify(withoutSecrets(first))} takes no further words`)
  }
  const words = isCommand ? split(first.slice("stdio:".length)) : Result.succeed([first])
  return Result.map(words, (words) => `stdio:${join([...words, ...others])}`)
}

/**
 * The endpoint that a text names, or why it names none.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromText = (text: string): Result.Result<Endpoint, string> => {
  if (text.startsWith("tcp://")) return tcpFromText(text.slice("tcp://".length))
  if (text.startsWith("tls://")) {
    return Result.map(tcpFromText(text.slice("tls://".length)), ({ host, port }): Tls => ({ _tag: "Tls", host, port }))
  }
  if (text.startsWith("unix:")) return unixFromText(text.slice("unix:".length))
  if (text.startsWith("stdio:")) return commandFromText(text.slice("stdio:".length))
  if (/^wss?:/i.test(text)) return Result.map(urlFromText(text), (url): WebSocket => ({ _tag: "WebSocket", url }))
  if (/^https?:/i.test(text)) return Result.map(urlFromText(text), (url): Http => ({ _tag: "Http", url }))
  if (/^nats:/i.test(text)) return natsFromText(text)
  return Result.fail(
    "it does not begin with tcp://, tls://, unix:, stdio:, ws://, wss://, http://, https:// or nats://"
  )
}

/**
 * The endpoints that a text without a scheme may stand for: an address, a URL without its scheme, a path, or a command.
 *
 * @category decoding
 * @since 0.1.0
 */
export const guesses = (text: string): ReadonlyArray<string> => {
  if (Result.isSuccess(tcpFromText(text))) return [`tcp://${text}`, `http://${text}`]
  if (/^:?\d{1,5}$/.test(text)) return guesses(`localhost:${text.replace(":", "")}`)
  if (/^[\w.-]+:\d{1,5}\/[^\s?]*$/.test(text)) return [`http://${text}`]
  const [, host = ""] = /^(\w[\w.-]*)\/[^\s?]*$/.exec(text) ?? []
  if (host.includes(".")) return [`https://${text}`]
  if (/^\/\S+\.sock(?:et)?$/.test(text)) return [`unix:${text}`]
  const [, extension = ""] = /^\S+\.([cm]?[jt]s|py)$/.exec(text) ?? []
  if (extension !== "") return [`stdio:${extension === "py" ? "python" : "node"} ${text}`]
  return /^\S+ +\S/.test(text) ? [`stdio:${text}`] : []
}

/**
 * The text of an endpoint without what may be secret: the user, password and query of a URL.
 *
 * @category encoding
 * @since 0.1.0
 */
export const withoutSecrets = (text: string): string => {
  if (!isUrl.test(text)) return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  // A scheme that the standard of URLs does not know has no host without slashes.
  if (url === undefined || !url.href.includes("://")) {
    return text.replace(/^(\w+:(?:\/\/)?).*@/, "$1").replace(/\?[^]*/, "")
  }
  const { host, pathname, protocol } = url
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`
}

/** The schemes of `fromText` that it takes without slashes, and any with them. */
const isUrl = /^(?:\w+:\/\/|(?:wss?|https?|nats):)/i

/**
 * `HOST:PORT`. An IPv6 address stands in brackets; port 0 is for listeners.
 *
 * @category decoding
 * @since 0.1.0
 */
export const tcpFromText = (text: string): Result.Result<Tcp, string> => {
  const [, v6, name, digits] = /^(?:\[([^\]]+)\]|([^:/\s]+)):(\d{1,5})\/?$/.exec(text) ?? []
  const host = v6 ?? name
  if (host === undefined || digits === undefined) return Result.fail("it is not of the form HOST:PORT")
  const port = Number(digits)
  return port > 65_535 ? Result.fail(`port ${port} is above 65535`) : Result.succeed({ _tag: "Tcp", host, port })
}

/** Any path that is not empty; an authority of slashes (`unix:///path`) is left out. */
const unixFromText = (text: string): Result.Result<Unix, string> => {
  const path = text.replace(/^\/\/(?=\/)/, "")
  return path === "" ? Result.fail("the path of the socket is missing") : Result.succeed({ _tag: "Unix", path })
}

const commandFromText = (text: string): Result.Result<Command, string> =>
  Result.flatMap(split(text), ([command, ...args]) =>
    command === undefined || command === ""
      ? Result.fail("the command is missing")
      : Result.succeed({ _tag: "Command", command, args }))

/** `nats://HOST:PORT/SUBJECT`, with `?conversation` for one. */
const natsFromText = (text: string): Result.Result<Nats | NatsConversation, string> => {
  if (!URL.canParse(text)) return Result.fail("it is not a URL")
  const { hash, host, password, pathname, search, username } = new URL(text)
  const subject = pathname.slice(1)
  if (host === "") return Result.fail("the host of its server is missing")
  if (Result.isFailure(Result.try(() => decodeURIComponent(username + password)))) {
    return Result.fail("its user or password has a % that is not written as %25")
  }
  if (subject === "") return Result.fail("its subject is missing: it is nats://HOST:PORT/SUBJECT")
  if (!isSubject.test(subject)) return Result.fail(`${JSON.stringify(subject)} is not a subject without wildcards`)
  if (hash !== "" || (search !== "" && search !== "?conversation")) {
    return Result.fail("only ?conversation may follow its subject")
  }
  return Result.succeed({ _tag: search === "" ? "Nats" : "NatsConversation", url: text, subject })
}

/** Words with dots between them. */
const isSubject = /^[^\s/*>.%]+(?:\.[^\s/*>.%]+)*$/

const urlFromText = (text: string): Result.Result<string, string> => {
  if (!URL.canParse(text)) return Result.fail("it is not a URL")
  return text.includes("#") ? Result.fail("its URL has a fragment") : Result.succeed(text)
}
