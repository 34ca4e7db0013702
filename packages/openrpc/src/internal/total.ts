import * as Result from "effect/Result"
import { OpenRpcError } from "../OpenRpcError.ts"

/**
 * What recursion says of a document that is nested deeper than the stack, and what an importer says of a schema that it
 * does not know, as an error like any other.
 *
 * @internal
 */
export const total = <A>(run: () => Result.Result<A, OpenRpcError>): Result.Result<A, OpenRpcError> =>
  Result.flatMap(
    Result.try({
      try: run,
      catch: (cause) =>
        new OpenRpcError({
          path: "#",
          reason: cause instanceof RangeError
            ? { _tag: "Malformed", issue: "it is nested too deeply" }
            : { _tag: "UnsupportedSchema", issue: cause instanceof Error ? cause.message : String(cause) }
        })
    }),
    (result) => result
  )
