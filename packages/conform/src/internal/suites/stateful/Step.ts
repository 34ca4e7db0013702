/** One call on the way along a chain. */
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { Passed } from "../../../Suite.ts"
import * as Json from "../../probe/Json.ts"
import type { Called, Operation, Run } from "../../protocol/Protocol.ts"

/** A call and its answer. */
export interface Step {
  readonly operation: Operation
  readonly input: Schema.JsonObject
  readonly called: Called
  /** The whole result: `called` has only what the declared one describes. */
  readonly result: Schema.Json | undefined
  readonly exchange: ReadonlyArray<Passed>
}

/** Makes a call; `undefined` where it was not answered. */
export const make = Effect.fnUntraced(function*(run: Run, operation: Operation, input: Schema.JsonObject) {
  const line = yield* run.shared
  const at = line.passed().length
  const called = yield* Effect.option(operation.call(line, input))
  if (called._tag === "None") {
    yield* run.renew
    return undefined
  }
  const exchange = line.passed().slice(at)
  return { operation, input, called: called.value, result: resultIn(exchange), exchange } satisfies Step
})

/** A tool gives texts, too, which may be JSON themselves. */
const resultIn = (exchange: ReadonlyArray<Passed>): Schema.Json | undefined => {
  const text = exchange.findLast(({ direction, text }) => direction === "received" && Json.isResponse(text))?.text
  const result = text === undefined ? undefined : Json.objectOf(text)?.["result"]
  const content = JsonObject.member(result, "content")
  if (!JsonObject.isArray(content)) return result
  const structured = JsonObject.member(result, "structuredContent")
  if (structured !== undefined) return structured
  const texts = content.flatMap((block) => {
    const text = JsonObject.member(block, "text")
    return typeof text === "string" ? [Option.getOrElse(Json.parse(text), () => text)] : []
  })
  const [first] = texts
  return texts.length === 1 && first !== undefined ? first : texts
}
