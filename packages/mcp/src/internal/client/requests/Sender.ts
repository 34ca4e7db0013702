/**
 * The requests of a client: what the revision puts around them, how long they may
 * take, and how they are made again in a new session.
 */
import { Relayed } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type McpCallError, SessionExpired, UnsupportedCapability } from "../../../client/McpClientError.ts"
import type { MethodOptions, Progress } from "../../../client/RequestOptions.ts"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { ToolInfo } from "../../../payload/Listing.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import type { ClientConfig } from "../negotiation/ClientConfig.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import * as failures from "../negotiation/failures.ts"
import * as Negotiation from "../negotiation/Negotiation.ts"
import type { Agreed } from "../negotiation/Negotiation.ts"
import type { TimedCallOptions, TimedTransport } from "./CallDeadlines.ts"

/** What a request of ours may choose beside what a caller may. @internal */
export interface SendOptions extends MethodOptions {
  readonly tool?: ToolInfo | undefined
  readonly onId?: ((id: string | number) => void) | undefined
  /** Waits for ever, and asks for no progress. */
  readonly isOpenEnded?: boolean | undefined
  /** Asks for progress by this token, which others hear of: it goes on behind the response. */
  readonly progressToken?: string | undefined
}

/** @internal */
export interface Sender {
  /** Sends a request of any method. */
  readonly send: Send
  /** Sends a request, if the revision has the method and the server declares what it needs. */
  readonly ask: Send
  /** Sends a notification of any method. */
  readonly notify: (method: string, params?: Schema.JsonObject) => Effect.Effect<void, McpCallError>
}

/** @internal */
export type Send = (
  method: string,
  params?: Schema.JsonObject,
  options?: SendOptions
) => Effect.Effect<Schema.Json, McpCallError>

/** @internal */
export const make = (
  transport: TimedTransport,
  config: ClientConfig,
  session: ClientSession
): Sender => {
  // Made once for each agreement and level: every request of the modern era carries it.
  let known: Agreed | undefined
  let level: ClientConfig["logLevel"]
  let envelope: Schema.JsonObject | undefined

  const envelopeNow = (agreed: Agreed): Schema.JsonObject | undefined => {
    if (known === agreed && level === session.logLevel) return envelope
    known = agreed
    level = session.logLevel
    envelope = agreed.codec.features.metaEnvelope ? Negotiation.envelope(agreed.codec, config, level) : undefined
    return envelope
  }

  const enveloped = (params: Schema.JsonObject | undefined): Schema.JsonObject | undefined => {
    const around = envelopeNow(session.agreed())
    return around === undefined ? params : Envelope.writeEnvelope(params, around)
  }

  const attempt = (method: string, params: Schema.JsonObject | undefined, options: SendOptions | undefined) => {
    const token = options?.progressToken
    const given = options?.meta
    const meta = token === undefined ? given : Relayed.carry({ ...given, progressToken: token }, given)
    const named = meta === undefined ? params : Relayed.carry({ ...params, _meta: merged(params, meta) }, params)
    return transport.request(method, enveloped(named), options === undefined ? plain : timesOf(options))
  }

  const merged = (params: Schema.JsonObject | undefined, meta: Schema.JsonObject): Schema.JsonObject => {
    const own = Envelope.metaOf(params)
    return Relayed.carry({ ...own, ...meta }, own, meta)
  }

  const plain: TimedCallOptions = { timeout: config.timeout, maxTimeout: config.maxTimeout, onProgress: ignore }

  const timesOf = (options: SendOptions): TimedCallOptions => {
    const { isOpenEnded, keepText, maxTimeout = config.maxTimeout, onId, name, timeout = config.timeout, tool } =
      options
    return isOpenEnded === true
      ? { timeout: Duration.infinity, onId }
      : { timeout, maxTimeout, onProgress: hearing(options), onId, tool, name, keepText }
  }

  const current = <A>(method: string, attempt: Attempt<A>): Effect.Effect<A, McpCallError> => {
    const pending = session.pending()
    if (pending !== undefined) {
      return Effect.andThen(
        Effect.mapError(pending, unrenewed(method)),
        Effect.suspend(() => current(method, attempt))
      )
    }
    const count = session.count()
    return Effect.catch(attempt(), (error) => {
      if (error._tag === "SessionExpired") {
        return Effect.andThen(Effect.mapError(session.renew(count), unrenewed(method)), last(method, attempt))
      }
      if (error._tag === "RemoteError" && error.code === McpError.UnsupportedRevision) {
        const common = failures.newest(failures.supportedIn(error) ?? [], "modern")
        const agreed = session.agreed()
        if (common !== undefined && agreed.codec.features.metaEnvelope) {
          const codec = RevisionCodec.of(common)
          session.update({ ...agreed, codec })
          return Effect.andThen(transport.settle(codec), last(method, attempt))
        }
      }
      return Effect.fail(failures.fromLine(method, error))
    })
  }

  /** The second attempt, which is not repeated. */
  const last = <A>(method: string, attempt: Attempt<A>): Effect.Effect<A, McpCallError> =>
    Effect.suspend(() => Effect.mapError(attempt(), (error) => failures.fromLine(method, error)))

  const run: Send = (method, params, options) => current(method, () => attempt(method, params, options))

  const send: Send = (method, params, options) => Effect.suspend(() => run(method, params, options))

  const ask: Send = (method, params, options) =>
    Effect.suspend(() => {
      const refusal = refusalOf(session.agreed(), method)
      return refusal === undefined ? run(method, params, options) : Effect.fail(refusal)
    })

  const notify: Sender["notify"] = (method, params) =>
    Effect.suspend(() => current(method, () => transport.notify(method, enveloped(params))))

  return { send, ask, notify }
}

/** Sends a message in the session and the revision that are agreed on now. */
type Attempt<A> = () => Effect.Effect<A, Parameters<typeof failures.fromLine>[1]>

/** A token is sent with every request, so that progress gives it time. */
const ignore = () => {}

/** There is no session, and no other revision to go on with. */
const unrenewed = (method: string) => (error: McpCallError | { readonly _tag: "NoCommonRevision" }): McpCallError =>
  error._tag === "NoCommonRevision" ? new SessionExpired({ method }) : error

const hearing = ({ onProgress, progressToken }: SendOptions) =>
  progressToken !== undefined ? undefined : onProgress === undefined ? ignore : reading(onProgress)

/** Reads the params of progress. @internal */
export const reading = (onProgress: (progress: Progress) => void) => (params: Schema.Json) => {
  // The caller has found our token in an object.
  const { message, progress, total } = params as Record<string, Schema.Json | undefined>
  if (typeof progress !== "number") return
  onProgress({
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message })
  })
}

interface Need {
  readonly capability: string
  readonly isMet: (capabilities: ServerCapabilities) => boolean
}

const tools: Need = { capability: "tools", isMet: ({ tools }) => tools !== undefined }
const prompts: Need = { capability: "prompts", isMet: ({ prompts }) => prompts !== undefined }
const resources: Need = { capability: "resources", isMet: ({ resources }) => resources !== undefined }
const subscribe: Need = {
  capability: "resources.subscribe",
  isMet: ({ resources }) => resources?.subscribe === true
}
const completions: Need = { capability: "completions", isMet: ({ completions }) => completions !== undefined }
const logging: Need = { capability: "logging", isMet: ({ logging }) => logging !== undefined }

const needs: ReadonlyMap<string, Need> = new Map([
  ["tools/list", tools],
  ["tools/call", tools],
  ["prompts/list", prompts],
  ["prompts/get", prompts],
  ["resources/list", resources],
  ["resources/templates/list", resources],
  ["resources/read", resources],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", subscribe],
  ["completion/complete", completions],
  ["logging/setLevel", logging]
])

/** Why a method cannot be called, if so. Where nobody asked the server, only the revision's methods are known. */
const refusalOf = ({ capabilities, codec }: Agreed, method: string): UnsupportedCapability | undefined => {
  if (!codec.serverServes(method)) return new UnsupportedCapability({ method })
  const need = needs.get(method)
  if (need === undefined || capabilities === undefined || need.isMet(capabilities)) return undefined
  // Revisions without the capability have the method all the same.
  if (need === completions && !codec.features.completions) return undefined
  return new UnsupportedCapability({ method, capability: need.capability })
}
