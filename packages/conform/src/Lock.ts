/**
 * Lock files: what a contract offers and asks for, as one text. Two contracts that mean the same have the same text,
 * whatever order and descriptions they have.
 *
 * ```ts run
 * import { ContractDiff, Lock } from "@parley/conform"
 * import { Result } from "effect"
 *
 * const tools = { tools: [{ name: "add", description: "Adds.", inputSchema: { type: "object" } }] }
 * const surface = Result.getOrThrow(ContractDiff.fromJson(tools))
 *
 * console.log(Object.keys(JSON.parse(Lock.toText(surface)).operations)) // => [ 'tool add' ]
 * ```
 *
 * @since 0.1.0
 */
import { JsonObject } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fromDocument, type Surface, SurfaceDocument } from "./internal/diff/Surface.ts"

/** The version of the format. */
const version = 1

const LockFile = Schema.Struct({ parleyLock: Schema.Literal(version), ...SurfaceDocument.fields })

const decode = Schema.decodeUnknownResult(LockFile)

/**
 * Tells whether JSON is a lock file, of any version.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLock = (json: unknown): boolean => JsonObject.isObject(json) && Object.hasOwn(json, "parleyLock")

/**
 * Reads a lock file, or tells why it cannot be read.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromJson = (json: unknown): Result.Result<Surface, string> =>
  Result.match(decode(json), {
    onFailure: (error) => Result.fail(error.message),
    onSuccess: ({ operations, schemas }) => Result.succeed(fromDocument({ operations, schemas }))
  })

/**
 * The text of a lock file: JSON whose members are sorted, with a line break at its end.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toText = ({ document: { operations, schemas } }: Surface): string => {
  // All members of a surface are JSON.
  const json = { parleyLock: version, operations, schemas } as unknown as Schema.Json
  return `${JSON.stringify(JSON.parse(JsonObject.canonical(json)), null, 2)}\n`
}
