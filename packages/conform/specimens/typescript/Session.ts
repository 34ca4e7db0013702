/** The agreement of a client and a server of MCP. */
import { isObject, type Json } from "./options.ts"

/** The revision with a handshake. */
export const legacy = "2025-11-25"
/** The revision with batches. */
export const batched = "2025-03-26"
/** The revision whose requests stand each for itself. */
export const modern = "2026-07-28"
/** How the names begin with which a modern request tells its version. */
export const prefix = "io.modelcontextprotocol/"

/** Sends a message, or a batch of them, to the client of a request. */
export type Send = (message: Json | Array<Json>) => void

/** An event of a stream. */
export interface Event {
  readonly stream: number
  readonly id: string
  readonly text: string
}

/** How many events of a session are kept for clients that ask for them again. */
const mostEvents = 200

/** A conversation of the legacy revision, or one modern request. */
export class Session {
  isInitialized = false
  revision: string = legacy
  readonly running = new Map<unknown, AbortController>()
  readonly events: Array<Event> = []
  streams = 0

  keep(event: Event): void {
    this.events.push(event)
    if (this.events.length > mostEvents) this.events.shift()
  }
}

/** The version that a modern request tells. */
export const versionOf = (params: unknown): string | undefined => {
  const meta = isObject(params) ? params["_meta"] : undefined
  const version = isObject(meta) ? meta[`${prefix}protocolVersion`] : undefined
  return version === undefined ? undefined : String(version)
}
