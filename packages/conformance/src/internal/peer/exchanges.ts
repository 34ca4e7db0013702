/**
 * Generated texts for a server with the specimen methods, and the judgement of what it answers to them.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { below, elements, idText, oneOf, params, string } from "../../shared/Generators.ts"
import * as Mutation from "../../shared/Mutation.ts"
import { responses } from "../corpus/responses.ts"
import { compare, request } from "../corpus/WireCase.ts"
import type { Verdict } from "../laws/Law.ts"
import * as Model from "./model.ts"
import type { Side } from "./side.ts"

type Texts = Arbitrary.Arbitrary<string>

const small = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: -1_000, maximum: 1_000 })))

const json = (value: Arbitrary.Arbitrary<unknown>): Texts => Arbitrary.map(value, (some) => JSON.stringify(some))

type Call = readonly [method: string, params?: string]

const withParams = (method: string, texts: Texts): Arbitrary.Arbitrary<Call> =>
  Arbitrary.map(texts, (text): Call => [method, text])

/** Calls of every specimen method that answers at once, with params that fit and others, and of methods unknown. */
const call: Arbitrary.Arbitrary<Call> = oneOf<Call>(
  withParams("echo", json(params)),
  elements<Call>(
    ["echo"],
    ["get_data"],
    ["fail"],
    ["crash"],
    ["update"],
    ["subtract"],
    ["subtract", "[1]"],
    ["subtract", "[1,2,3]"],
    ["subtract", "{}"],
    ["sum", "{}"],
    ["sum", "[\"1\"]"]
  ),
  withParams("subtract", json(Arbitrary.all([small, small]))),
  withParams("subtract", json(Arbitrary.all({ subtrahend: small, minuend: small }))),
  withParams("sum", json(Arbitrary.array(small, { maxLength: 5 }))),
  withParams("notify_hello", json(params)),
  Arbitrary.map(string, (name): Call => [`no ${name}`])
)

/** Requests whose ids are of every kind. */
export const requests: Texts = Arbitrary.map(
  Arbitrary.all([call, idText]),
  ([[method, text], id]) => request(method, id, text)
)

/** Calls without a waiting caller. */
export const notifications: Texts = Arbitrary.map(call, ([method, text]) => request(method, undefined, text))

/** Responses without a request, and values that only look like a response. */
export const strays: Texts = Arbitrary.map(below(responses.length), (index) => responses[index]?.input ?? "")

/** Batches of requests, notifications, responses and invalid members. */
export const batches: Texts = Arbitrary.map(
  Arbitrary.array(oneOf(requests, requests, notifications, strays, elements("1", "[]", "{\"foo\":\"boo\"}")), {
    maxLength: 6
  }),
  (members) => `[${members.join(",")}]`
)

/**
 * Texts a few edits away from a message, and noise. None has a line break, so that lines carry them; half a surrogate
 * pair has no bytes, and a byte order mark may be taken for that of the stream. Those that are no JSON and yet show a
 * notification or a response are left out: the specification does not say whether such a text is answered.
 */
export const bad: Texts = Arbitrary.filter(
  Arbitrary.map(Mutation.text, (text) => text.replaceAll(/[\r\n]/g, " ")),
  (text) => text.trim() !== "" && text.isWellFormed() && !text.startsWith("\ufeff") && !isHalfKnown(text)
)

const isHalfKnown = (text: string): boolean => {
  const batch = Batch.decode(text)
  if (Batch.isMembers(batch) || Result.isSuccess(batch) || batch.failure._tag !== "ParseError") return false
  return batch.failure.kind !== undefined || batch.failure.firstKind !== undefined
}

/** Several texts at once. */
export const several = (texts: Texts): Arbitrary.Arbitrary<ReadonlyArray<string>> =>
  Arbitrary.array(texts, { minLength: 1, maxLength: 8 })

/** A list in another order. */
export const shuffled = <A>(values: ReadonlyArray<A>, keys: ReadonlyArray<number>): ReadonlyArray<A> =>
  values.map((value, index) => [keys[index] ?? 0, value] as const).toSorted(([a], [b]) => a - b).map(([, value]) =>
    value
  )

/** A key that `shuffled` sorts by. */
export const shuffleKey: Arbitrary.Arbitrary<number> = below(1_000)

/** Says what is wrong with one answer. A text that is not a response is wrong as well. */
export const differs = (expected: string | undefined, answer: string | undefined): Verdict => {
  if (answer !== undefined && !isResponse(answer)) return `${answer} is no response`
  return compare({ name: "", section: "", input: "", reply: expected }, answer)
}

const isResponse = (text: string): boolean => {
  const batch = Batch.decode(text)
  return (Batch.isMembers(batch) ? batch : [batch]).every((member) =>
    Result.isSuccess(member) && (member.success._tag === "Success" || member.success._tag === "Failure")
  )
}

/** The problem of answers that may come in any order. */
export const differ = (expected: ReadonlyArray<string>, answers: ReadonlyArray<string>): Verdict => {
  const wrong = [...answers]
  const missing = expected.filter((reply) => {
    const found = wrong.findIndex((answer) => differs(reply, answer) === undefined)
    if (found >= 0) wrong.splice(found, 1)
    return found < 0
  })
  if (missing.length === 0 && wrong.length === 0) return undefined
  return `missing: ${missing.join("\n         ") || "nothing"}\nbut came: ${wrong.join("\n          ") || "nothing"}`
}

/** Gives a server texts, and everything that it answers. */
export type Ask = (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, unknown>

/** Behind the texts goes a request, whose answer tells that what was to come should have come. */
export const askOver = (side: Side): Ask => (texts) =>
  Effect.gen(function*() {
    const last = `"conformance: the last of its kind"`
    yield* side.send(...texts, request("get_data", last))
    const expected = texts.filter((text) => Model.reply(text) !== undefined).length
    const answers: Array<string> = []
    for (let end = false; !end || answers.length < expected;) {
      const answer = yield* side.next
      if (answer === undefined) break
      if (differs(Model.reply(request("get_data", last)), answer) === undefined) end = true
      else answers.push(answer)
    }
    return answers
  })

/** The problem of a server's answers to these texts. */
export const answered = (ask: Ask, texts: ReadonlyArray<string>): Effect.Effect<Verdict, unknown> =>
  Effect.map(ask(texts), (answers) => differ(texts.flatMap((text) => Model.reply(text) ?? []), answers))

/** The text that names a call of a cancellation. */
export const cancelText = (
  { member, method }: { readonly method: string; readonly member: string },
  id: Schema.Json
): string => Message.notificationText(method, { [member]: id })
