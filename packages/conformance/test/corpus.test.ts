import { assert, describe, it } from "@effect/vitest"
import * as Corpus from "@parley/conformance/Corpus"
import * as Batch from "@parley/protocol/Batch"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import { Result, Schema } from "effect"

describe("Corpus", () => {
  it("has a name of its own for every case, and a section", () => {
    const names = Corpus.corpus.map(({ name }) => name)
    assert.deepStrictEqual(names.filter((name, index) => names.indexOf(name) !== index), [])
    assert.isAbove(names.length, 150)
    for (const { section } of Corpus.corpus) assert.match(section, /^https:\/\//)
  })

  it.each(Corpus.corpus.map((one) => [one.name, one] as const))("%s", (_, one) => {
    assert.strictEqual(Corpus.compare(one, answer(one.input)), undefined)
  })

  it("tells a wrong answer from a right one", () => {
    const one = { name: "", section: "", input: "", reply: `{"jsonrpc":"2.0","id":9007199254740993,"result":[1]}` }
    assert.isUndefined(Corpus.compare(one, ` {"result":[1] , "id":9007199254740993,"jsonrpc":"2.0"}`))
    for (
      const wrong of [
        undefined,
        `[]`,
        `[${one.reply}]`,
        `{"jsonrpc":"2.0","id":9007199254740992,"result":[1]}`,
        `{"jsonrpc":"2.0","id":9007199254740993,"result":[]}`,
        `{"jsonrpc":"2.0","id":9007199254740993,"result":{"0":1}}`,
        `{"jsonrpc":"2.0","id":9007199254740993,"result":[1],"more":1}`
      ]
    ) assert.isString(Corpus.compare(one, wrong))
  })
})

/** A server of a few lines, so that a case is checked by something else than what it is for. */
const answer = (text: string): string | undefined => {
  const batch = Batch.decode(text)
  if (!Batch.isMembers(batch)) return replyOf(batch)
  const [first, ...others] = batch.map(replyOf).filter((reply) => reply !== undefined)
  return first === undefined ? undefined : Batch.join([first, ...others])
}

const replyOf = (decoded: Batch.Decoded): string | undefined => {
  if (Result.isFailure(decoded)) {
    if (decoded.failure._tag === "InvalidResponse") return undefined
    if (decoded.failure._tag === "ParseError") return Message.failureText("null", ErrorObject.parseError())
    return Message.failureText(RequestId.toText(decoded.failure.id), ErrorObject.invalidRequest())
  }
  const message = decoded.success
  if (message._tag !== "Request") return undefined
  const id = RequestId.toText(message.id)
  return Result.match(specimen(message), {
    onFailure: (error) => Message.failureText(id, error),
    onSuccess: (result) => Message.successText(id, result)
  })
}

const isPair = Schema.is(Schema.Tuple([Schema.Finite, Schema.Finite]))
const isNamed = Schema.is(Schema.Struct({ minuend: Schema.Finite, subtrahend: Schema.Finite }))
const isNumbers = Schema.is(Schema.Array(Schema.Finite))

const specimen = ({ method, params }: Message.Request): Result.Result<Schema.Json, ErrorObject.ErrorObject> => {
  switch (method) {
    case "echo":
      return Result.succeed(params ?? null)
    case "subtract":
      if (isPair(params)) return Result.succeed(params[0] - params[1])
      return isNamed(params)
        ? Result.succeed(params.minuend - params.subtrahend)
        : Result.fail(ErrorObject.invalidParams([]))
    case "sum":
      if (!isNumbers(params)) return Result.fail(ErrorObject.invalidParams([]))
      return Result.succeed(params.reduce((sum, number) => sum + number, 0))
    case "get_data":
      return Result.succeed(["hello", 5])
    case "update":
    case "notify_hello":
    case "notify_sum":
      return Result.succeed(null)
    case "fail":
      return Result.fail(ErrorObject.make(1234, "Application error", { detail: "boom" }))
    case "crash":
      return Result.fail(ErrorObject.internalError)
    default:
      return Result.fail(ErrorObject.methodNotFound(method))
  }
}
