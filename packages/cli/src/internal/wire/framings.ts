/**
 * The framings and the dialects by the names they have on the command line.
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Framing from "@parley/protocol/Framing"
import type * as Endpoint from "../Endpoint.ts"
import type * as Place from "./Place.ts"

/** The values of `--framing`. */
export type Name = "line" | "content-length" | "concatenated"

/** The framing of this name. */
export const byName = (name: Name): Framing.Framing =>
  Framing.byName(name === "content-length" ? "contentLength" : name)

/** Whether a framing is asked for where the wire tells texts apart itself; `line` changes nothing there. */
export const isIdle = (name: Name | undefined, { _tag }: Endpoint.Endpoint | Place.Place): boolean =>
  name !== undefined && name !== "line" && apart.has(_tag)

const apart: ReadonlySet<string> = new Set<(Endpoint.Endpoint | Place.Place)["_tag"]>([
  "WebSocket",
  "Http",
  "Nats",
  "NatsConversation"
])

/** The values of `--dialect`. */
export type DialectName = "jsonRpc" | "jsonRpc1" | "lenient" | "lsp" | "ethereum"

/** The dialect of this name. */
export const dialectByName = (name: DialectName): Dialect.Dialect => dialects[name]

/** The dialect of this name over a framing that was asked for, which need not be that of its family. */
export const dialectOver = (name: DialectName, framing: Name): Dialect.Dialect =>
  Dialect.make({ ...dialectByName(name), framing: byName(framing).name })

const dialects: Readonly<Record<DialectName, Dialect.Dialect>> = {
  jsonRpc: Dialect.jsonRpc,
  jsonRpc1: Dialect.jsonRpc1,
  lenient: Dialect.lenient,
  lsp: Dialect.lsp,
  ethereum: Dialect.ethereum
}

/** The name of the framing of a dialect. */
export const ofDialect = (name: DialectName): Name => {
  const { framing } = dialectByName(name)
  // None of them has a wire that separates messages itself.
  return framing === "contentLength" ? "content-length" : framing === "concatenated" ? framing : "line"
}
