/**
 * TypeScript of documents: a module that exports the contract.
 *
 * The module compiles in strict mode, imports `effect/Schema` and
 * `@parley/contract`, and is the same at each run. The document of the contract
 * and the `info` that it exports makes the same module again, except for comments
 * on what was left out.
 *
 * Where the module leaves out a part of the document, `generate` gives a notice
 * beside the text, and the module begins with it.
 *
 * ```ts run
 * import { Contract, Method } from "@parley/contract"
 * import { Codegen, OpenRpc } from "@parley/openrpc"
 * import { Result, Schema } from "effect"
 *
 * const document = OpenRpc.fromContract(Contract.make("Clock", { now: Method.make({ result: Schema.Finite }) }))
 * const text = Result.getOrThrow(Codegen.toModule(document))
 * console.log(text.slice(text.indexOf("export class"), text.indexOf("{}") + 2))
 * // => export class Clock extends Contract.make("Clock", {
 * // =>   now: Method.make({ result: Schema.Finite })
 * // => }) {}
 * ```
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { total } from "./internal/description/total.ts"
import * as Generate from "./internal/module/module.ts"
import type * as OpenRpcDocument from "./internal/OpenRpcDocument.ts"
import type { OpenRpcError } from "./internal/OpenRpcError.ts"

/**
 * The options of `generate` and `toModule`.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodegenOptions {
  /** The name of the contract; by default as the document says, or its title. */
  readonly name?: string | undefined
  /** Whether params go by position where a method does not say how they go. */
  readonly byPosition?: boolean | undefined
  /** Whether objects keep the members that no keyword describes. By default they leave them out. */
  readonly keepUnknown?: boolean | undefined
}

/**
 * A part of the document that the module leaves out, or a guess.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notice {
  /** Where in the document, as a JSON Pointer: `#/components/schemas/Account`. */
  readonly path: string
  /** The part that is left out, or the guess, in one sentence. */
  readonly issue: string
}

/**
 * A module, and notices about it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Generated {
  /** The TypeScript of the module. */
  readonly text: string
  /** The parts that it leaves out, and its guesses. */
  readonly notices: ReadonlyArray<Notice>
}

/**
 * The text of a module, with notices.
 *
 * - Methods without a result are notifications.
 * - Objects become Structs, which leave out members that no keyword describes, unless `keepUnknown` is set. A closed
 *   object becomes open, with a notice.
 * - A value that fits the document fits the contract, which keeps all that is described. Integers beyond 2^53 are an
 *   exception: they are refused. A keyword that Effect cannot check is kept as an annotation, for documents, and has a
 *   notice.
 * - Patterns of the document are copied. They are not run here, where they could take long: whether an example or a
 *   constant fits one is found in linear time.
 * - An example that does not fit its method is left out, with a notice, and so are examples and defaults that do not fit
 *   their JSON Schema, and the malformed parts that `OpenRpc.decode` has left out.
 * - Where a method does not say how its params go and all of them are required, they go by position, with a notice.
 * - An error is a class by its message, with the fields of its data. Other data than an object is its field `data`;
 *   data that is a value and no JSON Schema is left out, with a notice.
 * - If several errors have one code, the first is kept, with a notice. Links, servers, tags and members that
 *   begin with `x-` are left out, with a notice.
 *
 * @category constructors
 * @since 0.1.0
 */
export const generate = (
  document: OpenRpcDocument.Document,
  options: CodegenOptions = {}
): Result.Result<Generated, OpenRpcError> => total(() => Generate.toModule(document, options))

/**
 * The text of `generate`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toModule = (
  document: OpenRpcDocument.Document,
  options: CodegenOptions = {}
): Result.Result<string, OpenRpcError> => Result.map(generate(document, options), ({ text }) => text)
