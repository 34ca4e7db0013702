/**
 * TypeScript of documents: a module that exports the contract.
 *
 * The module compiles in strict mode, imports `effect/Schema` and
 * `@parley/contract`, and is the same at each run. The document of the contract
 * and the `info` that it exports makes the same module again, except for comments
 * on examples that were left out.
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import { total } from "./internal/description/total.ts"
import * as Generate from "./internal/module/module.ts"
import type * as OpenRpcDocument from "./OpenRpcDocument.ts"
import type { OpenRpcError } from "./OpenRpcError.ts"

/**
 * The options of `toModule`.
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
 * - Objects become Structs, which ignore members beside their fields.
 * - Keywords that Effect cannot check are kept as an annotation, for documents.
 * - Patterns are copied: a program that runs the module trusts the document, because a pattern may take long.
 * - An example that does not fit its method is left out, and a comment says so.
 * - Links, servers and tags are left out. If several errors have one code, the first is kept.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toModule = (
  document: OpenRpcDocument.Document,
  options: Options = {}
): Result.Result<string, OpenRpcError> => total(() => Generate.toModule(document, options.name))
