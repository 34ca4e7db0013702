/**
 * TypeScript of documents: a module that exports the contract.
 *
 * The module compiles in strict mode, imports `effect/Schema` and
 * `@parley/contract`, and is the same at each run. The document of the contract
 * and the `info` that it exports makes the same module again, but for comments on
 * examples that were left out.
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import * as Generate from "./internal/generateModule.ts"
import { total } from "./internal/total.ts"
import type * as OpenRpcDocument from "./OpenRpcDocument.ts"
import type { OpenRpcError } from "./OpenRpcError.ts"

/**
 * What may be chosen.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The name of the contract; by default as the document says, or its title. */
  readonly name?: string | undefined
}

/**
 * The text of a module.
 *
 * - Methods without a result are notifications.
 * - Objects are Structs: what they are given beside their fields is not looked at.
 * - What JSON Schema says and Effect cannot check is kept as an annotation, for documents.
 * - Patterns are taken as they are: whoever runs the module trusts the document with the time that they take.
 * - An example that does not fit its method is left out, and a comment says so.
 * - Links, servers and tags are left out, and of errors with one code all but the first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toModule = (
  document: OpenRpcDocument.Document,
  options: Options = {}
): Result.Result<string, OpenRpcError> => total(() => Generate.toModule(document, options.name))
