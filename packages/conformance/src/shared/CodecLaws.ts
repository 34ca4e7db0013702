/**
 * The laws of a codec of JSON-RPC 2.0 messages, for any implementation of one.
 *
 * The messages are those of `@parley/protocol/Message`, whose published Schema is the reference; everything else
 * that the laws compare with is `JSON.parse` or written out here.
 *
 * ```ts run
 * import { Codec, CodecLaws } from "@parley/conformance/shared"
 * import { Effect } from "effect"
 *
 * const laws = CodecLaws.all(Codec.parley, { runs: 2 })
 *
 * // A test runner has a test for each.
 * for (const law of laws) await Effect.runPromise(law.check)
 * console.log(laws[0]?.name) // => codec: every text has an outcome, and nothing throws
 * ```
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import * as Arbitrary from "effect/Arbitrary"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJson, mayRefuse, overflows, refusalOf, valueOf } from "../internal/codec/oracle.ts"
import {
  expectDepth,
  expectId,
  expectRefusal,
  firstOf,
  isMany,
  isOutcome,
  sameOutcome,
  show,
  withText
} from "../internal/codec/verdicts.ts"
import { forAll, type Law } from "../internal/laws/Law.ts"
import type { Codec, Refusal } from "./Codec.ts"
import * as Generators from "./Generators.ts"
import * as Mutation from "./Mutation.ts"
import * as Wire from "./Wire.ts"

const wireOf = (codec: Codec) => codec.wire ?? Wire.Wire

/**
 * Every text decodes to a message or to a value that says what is wrong.
 *
 * @category laws
 * @since 0.1.0
 */
export const total = (codec: Codec, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll("codec: every text has an outcome, and nothing throws", Mutation.text, (text) => {
    const outcome = codec.decode(text)
    const outcomes = codec.decodeBatch(text)
    return isOutcome(outcome) && (isMany(outcomes) ? outcomes.every(isOutcome) : isOutcome(outcomes))
      ? undefined
      : `${text} has the outcome ${show(outcome)} and as a batch ${show(outcomes)}`
  }, options),
  forAll("codec: a text that is not JSON is a parse error, and no other is", Mutation.text, (text) => {
    const outcome = codec.decode(text)
    const refused = Result.isFailure(outcome) && outcome.failure._tag === "ParseError"
    return refused === isJson(text) ? `${text} has the outcome ${show(outcome)}` : undefined
  }, options),
  forAll("codec: a refusal tells requests from responses and has the id", Mutation.members, (members) => {
    const value = valueOf(members)
    const outcome = codec.decode(Mutation.textOf(members))
    return Result.isSuccess(outcome) ? undefined : expectRefusal(refusalOf(value), outcome)
  }, options),
  forAll("codec: what is no object is an invalid request", Generators.json, (value) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return undefined
    return expectRefusal({ _tag: "InvalidRequest", id: null }, codec.decode(JSON.stringify(value)))
  }, options),
  forAll("codec: the members of a batch decode as they do alone", Mutation.batch, (texts) => {
    const members = codec.decodeBatch(`[${texts.join(" ,")}]`)
    if (!isMany(members) || members.length !== texts.length) return `${texts.length} members became ${show(members)}`
    return firstOf(texts, (text, index) => sameOutcome(members[index], codec.decode(text)))
  }, options)
]

/**
 * Decode after encode is the identity, and the decoder accepts exactly what the Schema accepts.
 *
 * @category laws
 * @since 0.1.0
 */
export const faithful = (codec: Codec, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll("codec: decode undoes encode", Generators.message, (message) =>
    withText(codec, message, (text) => {
      // Not every dialect tells all messages apart: what its Schema reads again is what counts.
      const expected = Schema.decodeUnknownResult(wireOf(codec))(Schema.encodeSync(wireOf(codec))(message))
      const decoded = codec.decode(text)
      const isRight = Result.isFailure(expected) ? Result.isFailure(decoded) : Equal.equals(decoded, expected)
      return isRight
        ? undefined
        : `${text} was decoded to ${show(decoded)}`
    }), options),
  forAll("codec: the decoder reads exactly what the Schema reads", Mutation.members, (members) => {
    // A payload number beyond the range of a double is Infinity after JSON.parse, which no Schema of JSON knows.
    if (members.some(([key, text]) => key !== "id" && overflows(text))) return undefined
    const schema = Schema.decodeUnknownResult(wireOf(codec))(valueOf(members))
    const codecs = codec.decode(Mutation.textOf(members))
    if (Result.isFailure(schema)) return Result.isFailure(codecs) ? undefined : `only the codec reads ${show(codecs)}`
    return Equal.equals(codecs, schema) ? undefined : `the Schema reads ${show(schema)}, the codec ${show(codecs)}`
  }, options),
  forAll(
    "codec: the encoder writes exactly what the Schema writes",
    Generators.message,
    (message) =>
      withText(codec, message, (text) => {
        const schema = JSON.stringify(Schema.encodeSync(wireOf(codec))(message))
        return Equal.equals(JSON.parse(text), JSON.parse(schema)) ? undefined : `${text} should be ${schema}`
      }),
    options
  ),
  forAll(
    "codec: an encoded message is one line",
    Generators.message,
    (message) => withText(codec, message, (text) => /[\r\n]/.test(text) ? `${text} has more` : undefined),
    options
  )
]

/**
 * The id of a request comes back in the spelling that it was sent in. Where the runtime has no `JSON.rawJSON`, a number
 * that would come back otherwise may be refused with id null, and a string may come back in another spelling.
 *
 * @category laws
 * @since 0.1.0
 */
export const exactIds = (codec: Codec, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll("codec: an id comes back in a request, a result and an error", Generators.idText, (id) => {
    const outcome = codec.decode(requestText(id))
    if (Result.isFailure(outcome)) return mayRefuse(id) ? expectRefusal(unreadable, outcome) : `${id} is refused`
    const request = outcome.success
    if (request._tag !== "Request") return `${id} made a ${request._tag}`
    return firstOf<Message.Message>([
      request,
      { _tag: "Success", id: request.id, result: null },
      { _tag: "Failure", id: request.id, error: { code: 1, message: "" } }
    ], (message) => withText(codec, message, (text) => expectId(id, text)))
  }, options),
  forAll(
    "codec: an id comes back from an invalid request",
    Generators.idText,
    (id) =>
      firstOf(["\"method\":1", "\"foo\":1"], (rest) => {
        const outcome = codec.decode(`{"jsonrpc":"2.0",${rest},"id":${id}}`)
        if (Result.isSuccess(outcome) || outcome.failure._tag === "ParseError") return `${rest} gives ${show(outcome)}`
        if (mayRefuse(id)) return undefined
        const failure: Message.Message = { _tag: "Failure", id: outcome.failure.id, error: { code: 1, message: "" } }
        return withText(codec, failure, (text) => expectId(id, text))
      }),
    options
  ),
  forAll("codec: ids come back from a batch, each from its own place", ids, (texts) => {
    const members = codec.decodeBatch(`[${texts.map((id) => requestText(id, "\"id\":1,")).join(",")}]`)
    if (!isMany(members)) return `a batch became ${show(members)}`
    return firstOf(texts, (id, index) => {
      const outcome = members[index]
      if (outcome === undefined || Result.isFailure(outcome)) return mayRefuse(id) ? undefined : `${id} is refused`
      return withText(codec, outcome.success, (text) => expectId(id, text))
    })
  }, options),
  forAll("codec: an id is found by its decoded key, and the last of several counts", Generators.idText, (id) => {
    const outcome = codec.decode(`{"id":9007199254740995,"jsonrpc":"2.0","method":"m","\\u0069d":${id}}`)
    if (Result.isFailure(outcome)) return mayRefuse(id) ? undefined : `${id} is refused`
    return withText(codec, outcome.success, (text) => expectId(id, text))
  }, options),
  forAll("codec: an id is found whatever stands around it", awkwardIds, ({ after, before, id }) => {
    const outcome = codec.decode(`{${before}"id":${id}${after}}`)
    if (Result.isFailure(outcome)) return mayRefuse(id) ? undefined : `${id} is refused`
    return withText(codec, outcome.success, (text) => expectId(id, text))
  }, options),
  forAll("codec: a response has the value of its id, whatever its spelling", Generators.respelledText, (id) => {
    const value: unknown = JSON.parse(id)
    const outcome = codec.decode(`{"jsonrpc":"2.0","id":${id},"result":1}`)
    return Equal.equals(outcome, Result.succeed({ _tag: "Success", id: value, result: 1 }))
      ? undefined
      : `the response ${id} became ${show(outcome)}`
  }, options),
  forAll("codec: a boolean, an array and an object are no id", Generators.json, (value) => {
    if (typeof value !== "boolean" && (typeof value !== "object" || value === null)) return undefined
    return expectRefusal(unreadable, codec.decode(requestText(JSON.stringify(value))))
  }, options)
]

/**
 * Depth and batch limits hold, and what cannot be encoded is an error.
 *
 * @category laws
 * @since 0.1.0
 */
export const bounded = (codec: Codec, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll("codec: a text nests as deep as the limit, and no deeper", nesting, ({ depth, fill, levels, limit }) => {
    const value = levels.slice(0, depth).reduceRight((inner, level) => level.replace("…", () => inner), fill)
    const text = `{"jsonrpc":"2.0","method":${JSON.stringify("[{\\\"".repeat(limit))},"params":[${value}]}`
    const bounds = { depth: limit, batch: 10 }
    return expectDepth(text, codec.decode(text, bounds), limit) ??
      expectDepth(`[${text}]`, codec.decodeBatch(`[${text}]`, bounds), limit)
  }, options),
  forAll(
    "codec: a bomb of brackets is a parse error",
    bomb,
    (text) =>
      firstOf(
        [codec.decode(text), codec.decodeBatch(text)],
        (outcome) => expectRefusal({ _tag: "ParseError" }, outcome)
      ),
    {
      ...options,
      runs: 12
    }
  ),
  forAll("codec: a batch has as many members as the limit, and no more", sizes, ([size, limit]) => {
    const outcome = codec.decodeBatch(`[${Array.from({ length: size }, () => notification).join(",")}]`, {
      depth: 10,
      batch: limit
    })
    if (size === 0 || size > limit) return expectRefusal({ _tag: "InvalidRequest", id: null }, outcome)
    return isMany(outcome) && outcome.length === size ? undefined : `${size} of ${limit} became ${show(outcome)}`
  }, options),
  forAll("codec: what cannot be encoded is an error", unencodable, (message) =>
    Result.match(codec.encode(message), {
      onFailure: () => undefined,
      onSuccess: (text) => `${text} was written`
    }), options)
]

/**
 * All laws of a codec.
 *
 * @category laws
 * @since 0.1.0
 */
export const all = (codec: Codec, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  ...total(codec, options),
  ...faithful(codec, options),
  ...exactIds(codec, options),
  ...bounded(codec, options)
]

const notification = `{"jsonrpc":"2.0","method":"m"}`
const unreadable: Refusal = { _tag: "InvalidRequest", id: null }
const requestText = (id: string, before = ""): string => `{"jsonrpc":"2.0",${before}"id": ${id} ,"method":"m"}`

const ids = Arbitrary.array(Generators.idText, { minLength: 1, maxLength: 5 })

/** Members around an id that look like one, and the shapes that a decoder may know a short way through. */
const awkwardIds = Arbitrary.all({
  id: Generators.idText,
  before: Generators.elements(
    `"jsonrpc":"2.0","method":"m",`,
    `"jsonrpc":"2.0", "method" : "id" ,`,
    `"jsonrpc":"2.0","method":"m","params":{"id":1.0},`,
    `"jsonrpc":"2.0","method":"m","params":["\\\\",",\\"id\\":7,"],`,
    `"jsonrpc":"2.0","id":3.0,"method":"m",`,
    `"jsonrpc":"2.0","method":"m","\\u0069d":5,`,
    ``
  ),
  after: Generators.elements(
    `,"jsonrpc":"2.0","method":"m"`,
    `  ,"jsonrpc":"2.0","method":"m","x":",\\"id\\":1"`,
    ` ,"method":"m","jsonrpc":"2.0","x":{"id":2}`,
    `,"jsonrpc":"2.0","method":"id","x":[{"y,\\"id":1}]`
  )
})

const nesting = Arbitrary.all({
  depth: Generators.below(24),
  limit: Arbitrary.map(Generators.below(20), (number) => number + 3),
  fill: Generators.elements<string>("1", "\"]}]}\"", "\"\\\\\"", "\"[\\\"[[[[\""),
  levels: Arbitrary.array(
    Generators.elements("[…]", "{\"a\":…}", "[\"]\",…,[]]", "{\"}\":{},\"b\": …}", " [ [ ] , … ] "),
    {
      minLength: 24,
      maxLength: 24
    }
  )
})

const bomb = Arbitrary.map(
  Arbitrary.all([Generators.elements("[", "{\"a\":", "[{\"a\":", "[\"]\","), Generators.elements("", notification)]),
  ([level, start]) => start === "" ? level.repeat(100_000) : `[${start},${level.repeat(100_000)}`
)

const sizes = Arbitrary.all([Generators.below(12), Arbitrary.map(Generators.below(8), (number) => number + 1)])

/** Messages that only a caller without types, or with a value in a loop, can make. */
const unencodable: Arbitrary.Arbitrary<Message.Message> = Arbitrary.map(
  Generators.elements<() => unknown>(
    () => ({ _tag: "Request", id: 1, method: "m", params: [cycle()] }),
    () => ({ _tag: "Request", id: 1, method: "m", params: [1n] }),
    () => ({ _tag: "Request", id: 1, method: "m", params: () => 1 }),
    () => ({ _tag: "Request", id: Number.NaN, method: "m" }),
    () => ({ _tag: "Request", id: 1, method: "m", extra: { method: "n" } }),
    () => ({ _tag: "Notification", method: "m", params: { cycle: cycle() } }),
    () => ({ _tag: "Notification", method: "m", params: Symbol("s") }),
    () => ({ _tag: "Success", id: 1, result: cycle() }),
    () => ({ _tag: "Success", id: Number.POSITIVE_INFINITY, result: 1 }),
    () => ({ _tag: "Success", id: 1, result: 1, extra: { error: { code: 1, message: "" } } }),
    () => ({ _tag: "Failure", id: 1, error: { code: 1.5, message: "" } }),
    () => ({ _tag: "Failure", id: 1, error: { code: Number.NaN, message: "" } }),
    () => ({ _tag: "Failure", id: 1, error: { code: 1, message: "", data: [1n] } })
  ),
  // The types of messages exclude all of these, which is why they are of interest.
  (make) => make() as Message.Message
)

const cycle = (): unknown => {
  const loop: Array<unknown> = []
  loop.push({ loop })
  return loop
}
