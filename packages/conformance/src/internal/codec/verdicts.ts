/**
 * The comparisons that the laws of a codec are made of.
 */
import type * as Message from "@parley/protocol/Message"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Codec, Decoded, Refusal } from "../../shared/Codec.ts"
import type { Verdict } from "../laws/Law.ts"
import { depthOf, mayRespell } from "./oracle.ts"

export const isMany = (outcome: Decoded | ReadonlyArray<Decoded>): outcome is ReadonlyArray<Decoded> =>
  Array.isArray(outcome)

const tags: ReadonlyArray<string> = ["Request", "Notification", "Success", "Failure"]
const refusals: ReadonlyArray<string> = ["ParseError", "InvalidRequest", "InvalidResponse"]

export const isOutcome = (outcome: Decoded): boolean =>
  Result.isSuccess(outcome) ? tags.includes(outcome.success._tag) : refusals.includes(outcome.failure._tag)

export const show = (value: unknown): string => JSON.stringify(value)

export const firstOf = <A>(values: ReadonlyArray<A>, property: (value: A, index: number) => Verdict): Verdict => {
  for (const [index, value] of values.entries()) {
    const verdict = property(value, index)
    if (verdict !== undefined) return verdict
  }
  return undefined
}

export const withText = (codec: Codec, message: Message.Message, property: (text: string) => Verdict): Verdict =>
  Result.match(codec.encode(message), {
    onFailure: (error) => canWrite(codec, message) ? `${show(message)} was not encoded: ${String(error)}` : undefined,
    onSuccess: property
  })

/** Whether the dialect of a codec has a form for a message. */
const canWrite = ({ wire }: Codec, message: Message.Message): boolean =>
  wire === undefined || Result.isSuccess(Result.try(() => Schema.encodeSync(wire)(message)))

export const expectRefusal = (expected: Refusal, outcome: Decoded | ReadonlyArray<Decoded>): Verdict => {
  if (isMany(outcome) || Result.isSuccess(outcome)) return `${show(outcome)} should be refused`
  const { failure } = outcome
  if (failure._tag !== expected._tag) return `a ${failure._tag} should be a ${expected._tag}`
  if (failure._tag === "ParseError" || expected._tag === "ParseError") return undefined
  return Equal.equals(failure.id, expected.id) ? undefined : `id ${show(failure.id)} should be ${show(expected.id)}`
}

export const sameOutcome = (one: Decoded | undefined, other: Decoded): Verdict => {
  if (one === undefined) return "a member is missing"
  if (Result.isFailure(other)) return expectRefusal(other.failure, one)
  return Equal.equals(one, other) ? undefined : `${show(one)} should be ${show(other)}`
}

/** An id must come back in its spelling: its text stands behind the key. */
export const expectId = (id: string, text: string): Verdict =>
  text.includes(`"id":${id},`) || text.includes(`"id":${id}}`) || (mayRespell() && isEqualId(id, text))
    ? undefined
    : `id ${id} came back in ${text}`

const isEqualId = (id: string, text: string): boolean => JSON.parse(text).id === JSON.parse(id)

export const expectDepth = (text: string, outcome: Decoded | ReadonlyArray<Decoded>, limit: number): Verdict => {
  const depth = depthOf(JSON.parse(text))
  if (depth > limit) return expectRefusal({ _tag: "ParseError" }, outcome)
  const message = isMany(outcome) ? outcome[0] : outcome
  return message !== undefined && Result.isSuccess(message) ? undefined : `${depth} levels within ${limit} are refused`
}
