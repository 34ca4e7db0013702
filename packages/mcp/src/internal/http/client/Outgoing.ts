/**
 * What a POST is told beside its text: which message it is, its headers, and
 * whether somebody still waits for its response.
 *
 * It travels from the transport to the exchange as a service of the call. Only the
 * first POST takes it: what else is posted with the services of the call, such as
 * the answer to a request of the server, is none of it.
 */
import { HttpFetcher } from "@parley/http/shared/client"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { TransportCallOptions } from "../../../client/McpClientTransport.ts"
import * as HeaderValue from "../../../http/HeaderValue.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as toolHeaders from "../headers.ts"
import { versionHeader } from "../headers.ts"
import { type Headers, none } from "./HttpLine.ts"

export class Outgoing {
  readonly method: string
  readonly isRequest: boolean
  /** Headers that this message alone has. */
  readonly headers: Headers
  /** The call has ended, however that was. */
  isOver = false
  /** The status of its answer, when that has begun. */
  status = 0
  /** The server does not know the session that it was posted in. */
  hasExpired = false
  #isTaken = false
  #onOver: (() => void) | undefined

  constructor(method: string, isRequest: boolean, headers: Headers) {
    this.method = method
    this.isRequest = isRequest
    this.headers = headers
  }

  /** Whether it says itself which revision it is of. */
  get isModern(): boolean {
    return this.headers !== none
  }

  /** Gives it to the first who asks. */
  take(): Outgoing | undefined {
    if (this.#isTaken) return undefined
    this.#isTaken = true
    return this
  }

  readonly end: Effect.Effect<void> = Effect.sync(() => {
    this.isOver = true
    this.#onOver?.()
  })

  /** Waits until the call has ended. */
  readonly over: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.isOver) return resume(Effect.void)
    this.#onOver = () => resume(Effect.void)
  })
}

export const Current: Context.Reference<Outgoing | undefined> = Context.Reference<Outgoing | undefined>(
  "@parley/mcp/internal/http/client/Outgoing",
  { defaultValue: () => undefined }
)

/** A request says itself which revision it is of; one that does not is of the legacy era, and has none of these. */
export const headersOf = (
  method: string,
  params: Schema.JsonObject | undefined,
  { name = HeaderValue.nameOf(method, params), tool }: Pick<TransportCallOptions, "name" | "tool"> = {}
): Headers => {
  const version = Envelope.metaOf(params)?.[Envelope.protocolVersion]
  if (typeof version !== "string") return none
  const headers: Record<string, string> = { [versionHeader]: version, "mcp-method": method }
  if (name !== undefined) headers["mcp-name"] = HeaderValue.encode(name)
  return tool === undefined
    ? headers
    : {
      ...headers,
      ...HttpFetcher.lowerCased(HeaderValue.valuesOf(toolHeaders.headersOf(tool), params?.["arguments"]))
    }
}
