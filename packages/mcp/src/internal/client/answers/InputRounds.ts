/**
 * A call that the server may answer by asking for input: the client answers, and
 * makes the call again, with a new id, the same params and the state as it came.
 */
import type * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Relayed } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ReadResult } from "../../../client/ClientExtension.ts"
import { InputRefused, type McpAskedError } from "../../../client/McpClientError.ts"
import { AskedKey } from "../../../client/McpHandlers.ts"
import { type InputRequest, type InputRequired, isInputRequired, mostInputRequests } from "../../../payload/Results.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import { isObject } from "../../Json.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import type { Sender, SendOptions } from "../requests/Sender.ts"
import type { Answer } from "./Answers.ts"

/** Makes a call, through as many rounds as it takes. @internal */
export type InputRounds = <A extends object>(
  method: string,
  params: Schema.JsonObject,
  options: SendOptions | undefined,
  decoder: (codec: RevisionCodec) => Decoder<A | InputRequired>,
  /** Hears a result that came without any input. */
  onPlain?: (value: A) => Effect.Effect<void>
) => Effect.Effect<A, McpAskedError>

/** @internal */
export const make = (
  sender: Sender,
  session: ClientSession,
  answer: Answer,
  mostRounds: number,
  readers: ResultReaders
): InputRounds => {
  const answers = (method: string, questions: { readonly [key: string]: InputRequest }) =>
    Effect.map(
      Effect.forEach(
        Object.entries(questions),
        ([key, asked]) =>
          Effect.map(
            Effect.provideService(answerOne(method, asked), AskedKey, key),
            (result) => [key, result] as const
          ),
        { concurrency: "unbounded" }
      ),
      (entries): Schema.JsonObject => Object.fromEntries(entries)
    )

  const answered = (method: string, { inputRequests = {}, requestState }: InputRequired) =>
    Effect.map(answers(method, inputRequests), (inputResponses): Schema.JsonObject => ({
      ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
      ...(requestState !== undefined && { requestState })
    }))

  const answerOne = (method: string, asked: InputRequest) =>
    Effect.mapError(answer(session.agreed().codec, asked.method, asked.params), refusedBy(method, asked.method))

  return <A extends object>(
    method: string,
    params: Schema.JsonObject,
    options: SendOptions | undefined,
    decoder: (codec: RevisionCodec) => Decoder<A | InputRequired>,
    onPlain?: (value: A) => Effect.Effect<void>
  ) => {
    type Round = Effect.Effect<A, McpAskedError>
    const extended = (json: Schema.Json, params: Schema.JsonObject): Effect.Effect<Schema.Json, McpAskedError> => {
      if (!isObject(json) || typeof json["resultType"] !== "string") return Effect.succeed(json)
      const read = session.agreed().codec.features.resultType
        ? readers.get(method)?.get(json["resultType"])
        : undefined
      if (read === undefined) return Effect.succeed(json)
      const answer = (questions: { readonly [key: string]: InputRequest }) => answers(method, questions)
      return read(json, { method, params, options, request: sender.send, answer })
    }
    const asked = (all: Schema.JsonObject): Effect.Effect<Schema.Json, McpAskedError> => {
      const result = sender.ask(method, all, options)
      return readers.size === 0 ? result : Effect.flatMap(result, (json) => extended(json, all))
    }
    const round = (all: Schema.JsonObject, left: number): Round =>
      Effect.flatMap(asked(all), (json): Round => {
        const result = session.read(method, decoder(session.agreed().codec), json)
        if (Result.isFailure(result)) return Effect.fail(result.failure)
        const value = result.success
        if (!isInputRequired(value)) {
          return all === params && onPlain !== undefined ? Effect.as(onPlain(value), value) : Effect.succeed(value)
        }
        const rule = left === 0 ? `it still asks after ${mostRounds} rounds` : excessOf(value)
        if (rule !== undefined) return Effect.fail(new InputRefused({ method, rule }))
        return Effect.flatMap(
          answered(method, value),
          (more) => round(Relayed.carry({ ...params, ...more }, params), left - 1)
        )
      })
    return round(params, mostRounds)
  }
}

/** By method and by the kind of a result. @internal */
export type ResultReaders = ReadonlyMap<string, ReadonlyMap<string, ReadResult>>

/** Characters of the state that is sent back with the answers. */
const longestState = 256 * 1024

/** The bound that a round exceeds; `undefined` where it exceeds none. */
const excessOf = ({ inputRequests = {}, requestState = "" }: InputRequired): string | undefined =>
  Object.keys(inputRequests).length > mostInputRequests
    ? `it asks more than ${mostInputRequests} questions at once`
    : requestState.length > longestState
    ? `its requestState has more than ${longestState} characters`
    : undefined

export const refusedBy = (method: string, asked: string) => (error: ErrorResponse.ErrorResponse) =>
  new InputRefused({ method, asked, rule: ruleOf(error) })

/** The cause of an error is for our side only. The caller of the client is on our side, so the error names it. */
const ruleOf = ({ cause, code, message }: ErrorResponse.ErrorResponse): string =>
  code === ErrorCode.MethodNotFound ? "no handler for it was given" : cause instanceof Error ? cause.message : message
