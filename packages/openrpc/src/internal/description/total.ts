import * as Result from "effect/Result"
import { OpenRpcError } from "../OpenRpcError.ts"

/**
 * Turns a throw into an error: recursion throws on a document that is nested deeper than the stack, and Effect's
 * importer on a schema that it does not know.
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
