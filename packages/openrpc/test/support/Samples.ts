/** Values of Schemas that were generated. */
import { Method } from "@parley/contract"
import type { Params } from "@parley/contract/shared"
import { Arbitrary, Effect, Result, Schema } from "effect"

/** One value that can travel, or none where the generator finds none in time. */
export const sample = (schema: Params.Codec, seed: string): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.suspend(() => Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 1, seed, size: 10 })).pipe(
    Effect.catchCause(() => Effect.succeed([])),
    Effect.map((values) => values.filter((value) => travels(Schema.toCodecJson(schema), value)))
  )

/** Not all do: Effect's `isUnique` cannot compare objects with a member `toString`, which it shows as text. */
const travels = (codec: Params.Codec, value: unknown): boolean =>
  Result.isSuccess(Result.try(() => Schema.decodeUnknownSync(codec)(Schema.encodeUnknownSync(codec)(value))))

/** The Schema of params, whatever they are. */
export const schemaOf = (params: Params.Params): Params.Codec => {
  if (params === undefined) return Schema.Void
  if (Array.isArray(params)) return Schema.Tuple(params as ReadonlyArray<Params.Codec>) as unknown as Params.Codec
  return Schema.isSchema(params)
    ? params as Params.Codec
    : Schema.Struct(params as Params.Fields) as unknown as Params.Codec
}

type AnyMethod = Method.Method<Params.Params, Params.Codec | undefined, Method.Errors>

/** The method with an example, if there is one. */
export const withExample = (method: AnyMethod, seed: string): Effect.Effect<AnyMethod> =>
  Effect.gen(function*() {
    const params = yield* sample(schemaOf(method.params), seed)
    const result = method.result === undefined ? [undefined] : yield* sample(method.result, seed)
    return params.length === 0 || result.length === 0
      ? method
      : { ...method, examples: [{ name: `example ${seed}`, summary: "*/", params: params[0], result: result[0] }] }
  })
