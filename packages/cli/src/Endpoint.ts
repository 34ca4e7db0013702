/**
 * Where the other side is, as one text: `tcp://host:port`, `unix:/path` or
 * `stdio:command with arguments`.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { split } from "./internal/words.ts"

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

/** @category models @since 0.1.0 */
export type Endpoint = Tcp | Unix | Command

/**
 * The endpoint that a text names, or why it names none.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromText = (text: string): Result.Result<Endpoint, string> => {
  if (text.startsWith("tcp://")) return tcpFromText(text.slice("tcp://".length))
  if (text.startsWith("unix:")) return unixFromText(text.slice("unix:".length))
  if (text.startsWith("stdio:")) return commandFromText(text.slice("stdio:".length))
  return Result.fail("it begins with none of tcp://, unix: and stdio:")
}

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
  return port > 65_535 ? Result.fail(`there is no port ${port}`) : Result.succeed({ _tag: "Tcp", host, port })
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
