/**
 * The answer of a server with the specimen methods to a text, from the decoder of `@parley/protocol` and a table: without
 * fibers, connections, or the handlers of the specimen. It knows the methods that answer at once.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { ErrorObject, ErrorReply, RequestId } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The text of the reply, or `undefined` where nothing may be answered. */
export const reply = (text: string): string | undefined => {
  const batch = Batch.finite(Batch.decode(text), text)
  if (!Batch.isMembers(batch)) return replyOf(batch)
  const [first, ...others] = batch.map(replyOf).filter((member) => member !== undefined)
  return first === undefined ? undefined : Batch.join([first, ...others])
}

const replyOf = (decoded: Batch.Decoded): string | undefined => {
  if (Result.isFailure(decoded)) return ErrorReply.toMalformed(decoded.failure, Dialect.jsonRpc)
  const message = decoded.success
  if (message._tag !== "Request") return undefined
  const id = RequestId.toText(message.id)
  return Result.match(outcome(message), {
    onFailure: (error) => Message.failureText(id, error),
    onSuccess: (result) => Message.successText(id, result)
  })
}

const isPair = Schema.is(Schema.Tuple([Schema.Finite, Schema.Finite]))
const isNamed = Schema.is(Schema.Struct({ minuend: Schema.Finite, subtrahend: Schema.Finite }))
const isNumbers = Schema.is(Schema.Array(Schema.Finite))

/** The server chooses how to say what the params lack. */
const invalidParams = Result.fail(ErrorObject.make(-32602, "Invalid params"))

const outcome = ({ method, params }: Message.Request): Result.Result<Schema.Json, ErrorObject.ErrorObject> => {
  switch (method) {
    case "echo":
      return Result.succeed(params ?? null)
    case "subtract":
      if (isPair(params)) return Result.succeed(params[0] - params[1])
      return isNamed(params) ? Result.succeed(params.minuend - params.subtrahend) : invalidParams
    case "sum":
      return isNumbers(params) ? Result.succeed(params.reduce((total, number) => total + number, 0)) : invalidParams
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
