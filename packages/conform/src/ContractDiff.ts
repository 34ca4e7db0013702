/**
 * Compares two contracts: what breaks those who use the one when they meet the other, with a value that shows it.
 *
 * A contract is read from an OpenRPC document, the lists of an MCP server or a lock file. What clients send may become more,
 * and what they get may become less: all else breaks. A break has a witness, which is a value that the one contract allows
 * and the other does not. Where none was found, it is proven that there is none, or the change is unknown.
 *
 * ```ts run
 * import { ContractDiff } from "@parley/conform"
 * import { Result } from "effect"
 *
 * const document = (schema: object) => ({
 *   openrpc: "1.3.2",
 *   info: { title: "Bank", version: "1.0.0" },
 *   methods: [{ name: "pay", params: [{ name: "amount", required: true, schema }], result: { name: "r", schema: {} } }]
 * })
 * const read = (schema: object) => Result.getOrThrow(ContractDiff.fromJson(document(schema)))
 *
 * const diff = ContractDiff.compare(read({ type: "number" }), read({ type: "integer" }))
 *
 * console.log(diff.changes.map(({ place, rule, witness }) => [rule, place, witness]))
 * // => [ [ 'diff/param-narrowed', 'params.amount', 0.5 ] ]
 * ```
 *
 * @since 0.1.0
 */
import type * as Contract from "@parley/contract/Contract"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import { JsonObject } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Change, ContractDiff, rules as ruleTitles } from "./internal/diff/compare/Change.ts"
import { Comparison } from "./internal/diff/compare/Comparison.ts"
import { operations } from "./internal/diff/compare/operations.ts"
import * as traffic from "./internal/diff/compare/traffic.ts"
import * as readers from "./internal/diff/readers.ts"
import * as sheets from "./internal/diff/sheet.ts"
import type { Surface } from "./internal/diff/Surface.ts"
import * as formats from "./internal/report/formats.ts"
import * as Lock from "./Lock.ts"
import type { Format, RenderOptions } from "./Report.ts"

export { Change, ChangeVerdict, ContractDiff, MetCalls, ValueDirection } from "./internal/diff/compare/Change.ts"

export type { Surface } from "./internal/diff/Surface.ts"

/**
 * How contracts are compared.
 *
 * @category models
 * @since 0.1.0
 */
export interface CompareOptions {
  /** How the first contract is named in reports. */
  readonly before?: string | undefined
  /** How the second one is named. */
  readonly after?: string | undefined
  /**
   * Whether a side may also send members that its schemas do not speak of but allow. Then a new member breaks: somebody
   * might have sent another value of that name. `false` by default.
   */
  readonly isStrict?: boolean | undefined
  /** Lines of a recording: each change is told which of the recorded calls it meets. */
  readonly recording?: Iterable<string> | undefined
}

/**
 * The rules by which changes are named, with what each says.
 *
 * @category constants
 * @since 0.1.0
 */
export const rules: Readonly<Record<string, string>> = ruleTitles

/**
 * Reads a contract from JSON: an OpenRPC document, lists of an MCP server such as the result of `tools/list`, or a lock
 * file. Fails with the reason.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromJson = (json: unknown): Result.Result<Surface, string> => {
  if (isDeeper(json, mostLevels)) return Result.fail(`it has more than ${mostLevels} levels`)
  if (JsonObject.isObject(json) && Object.hasOwn(json, "openrpc")) return readers.fromOpenRpc(json)
  if (Lock.isLock(json)) return Lock.fromJson(json)
  return readers.isLists(json)
    ? readers.fromLists(json)
    : Result.fail("it is no OpenRPC document, no list of tools, prompts or resources, and no lock file")
}

/** Values within values. Schemas have some ten, and each level costs frames of the stack. */
const mostLevels = 256

const isDeeper = (json: unknown, levels: number): boolean =>
  typeof json === "object" && json !== null &&
  (levels === 0 || Object.values(json).some((value) => isDeeper(value, levels - 1)))

/**
 * Reads a contract, or both contracts of a protocol.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromContract = (contract: Contract.Any | OpenRpc.AnyPair): Result.Result<Surface, string> =>
  readers.fromOpenRpc("members" in contract ? OpenRpc.fromContract(contract) : OpenRpc.fromPair(contract))

/**
 * Compares two contracts.
 *
 * @category constructors
 * @since 0.1.0
 */
export const compare = (
  before: Surface,
  after: Surface,
  { after: now = "after", before: old = "before", isStrict = false, recording }: CompareOptions = {}
): ContractDiff => {
  const changes = operations(new Comparison(before, after, isStrict))
  return {
    before: old,
    after: now,
    isStrict,
    changes: recording === undefined ? changes : traffic.withCalls(changes, before, after, recording)
  }
}

/**
 * The verdict of a whole diff: whether something breaks, nothing does, or it is not known.
 *
 * @category accessors
 * @since 0.1.0
 */
export const verdictOf = ({ changes }: ContractDiff): Change["verdict"] =>
  changes.some(({ verdict }) => verdict === "breaking")
    ? "breaking"
    : changes.some(({ verdict }) => verdict === "unknown")
    ? "unknown"
    : "compatible"

/**
 * How many changes there are of each verdict, in one line.
 *
 * @category accessors
 * @since 0.1.0
 */
export const summaryOf = (diff: ContractDiff): string => sheets.summaryOf(diff)

/**
 * A schema of a contract by the pointer that a change has, as one of its own.
 *
 * @category accessors
 * @since 0.1.0
 */
export const schemaAt = (surface: Surface, pointer: string): Schema.Json | undefined => {
  const node = surface.nodes.find(pointer)
  return node === undefined ? undefined : surface.nodes.standalone(node)
}

/**
 * Writes a diff.
 *
 * @category encoding
 * @since 0.1.0
 */
export const render = (diff: ContractDiff, format: Format, { artifact, ...options }: RenderOptions = {}): string =>
  formats.render({ ...sheets.sheetOf(diff), artifact }, format, () => encode(diff), options)

/**
 * Writes what users of a contract have to know: text for a changelog, in Markdown.
 *
 * @category encoding
 * @since 0.1.0
 */
export const changelog = (diff: ContractDiff): string => sheets.changelog(diff)

const encode = Schema.encodeSync(ContractDiff)
