/** A client of rounds: sends a request, answers what it is asked, and sends it again. */
import type { ClientCapabilities } from "@parley/mcp/payload/Capabilities"
import * as ClientRequests from "@parley/mcp/server/ClientRequests"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import * as SealedState from "@parley/oauth/SealedState"
import type { ErrorResponse } from "@parley/peer"
import { Effect, Redacted, Schema } from "effect"

export const secret = Redacted.make("a secret that two processes share")

export const able: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {}
}

export interface Sent {
  readonly params?: Schema.JsonObject
  readonly method?: string
  readonly principal?: string
  readonly capabilities?: ClientCapabilities
  /** The server that is asked; the default is a new one that has the same secret. */
  readonly state?: SealedState.SealedState
}

export type Handler<A, E, R> = (asking: ClientRequests.ClientRequests) => Effect.Effect<A, E, R>

export const params: Schema.JsonObject = { name: "t", arguments: { a: 1 } }

/** One request, served by a server of its own. */
export const send = <A, E, R>(
  handler: Handler<A, E, R>,
  sent: Sent = {}
): Effect.Effect<A | Schema.JsonObject, E | ErrorResponse.ErrorResponse, R> =>
  Effect.gen(function*() {
    const state = sent.state ?? (yield* SealedState.make({ keys: [secret] }))
    return yield* ClientRequests.rounds({
      state,
      server: "s",
      codec: RevisionCodec.latest,
      capabilities: sent.capabilities ?? able,
      principal: sent.principal,
      method: sent.method ?? "tools/call",
      params: sent.params ?? params
    }, handler)
  })

const Questions = Schema.Struct({
  resultType: Schema.Literal("input_required"),
  inputRequests: Schema.Record(
    Schema.String,
    Schema.Struct({ method: Schema.String, params: Schema.optionalKey(Schema.JsonObject) })
  ),
  requestState: Schema.String
})

/** What a result asks; a defect where it asks nothing. */
export const asked = (result: unknown): typeof Questions.Type => Schema.decodeUnknownSync(Questions)(result)

export const isAsked = Schema.is(Questions)

/** The same request once more, with answers. */
export const retry = (
  result: unknown,
  inputResponses: Schema.JsonObject | undefined,
  original: Schema.JsonObject = params
): Schema.JsonObject => ({
  ...original,
  ...(inputResponses === undefined ? {} : { inputResponses }),
  requestState: asked(result).requestState
})

export const accept = (content: Schema.JsonObject): Schema.JsonObject => ({ action: "accept", content })

/** Answers each question by its key until there is a result. Each request is served by a server of its own. */
export const converse = <A, E, R>(
  handler: Handler<A, E, R>,
  answers: { readonly [key: string]: Schema.Json },
  sent: Sent = {}
): Effect.Effect<
  { readonly result: A | Schema.JsonObject; readonly rounds: ReadonlyArray<ReadonlyArray<string>> },
  E | ErrorResponse.ErrorResponse,
  R
> =>
  Effect.gen(function*() {
    const rounds: Array<ReadonlyArray<string>> = []
    let result = yield* send(handler, sent)
    while (isAsked(result)) {
      const keys = Object.keys(result.inputRequests)
      rounds.push(keys)
      const given = Object.fromEntries(keys.flatMap((key) => key in answers ? [[key, answers[key] ?? null]] : []))
      result = yield* send(handler, { ...sent, params: retry(result, given, sent.params) })
    }
    return { result, rounds }
  })

const Name = { name: Schema.String }
/** Asks for a name. */
export const nameOf = (asking: ClientRequests.ClientRequests, key: string) =>
  asking.elicit(key, { message: `${key}?`, fields: Name })

/** Asks for a name, and greets it. */
export const greet = (asking: ClientRequests.ClientRequests) =>
  Effect.map(
    nameOf(asking, "user"),
    (answer) => answer._tag === "Accepted" ? `hello ${answer.content.name}` : answer._tag
  )
