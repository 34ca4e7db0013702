/** Creates a thing, reads it, reads it beside another one, deletes it, and reads it again. */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { NotApplicable, Unverified } from "../../../Suite.ts"
import type { Operation, Run } from "../../protocol/Protocol.ts"
import * as Values from "../../values/Values.ts"
import type { Chain } from "./Chain.ts"
import * as Keys from "./Keys.ts"
import * as Step from "./Step.ts"
import { keyOf } from "./words.ts"

/** The outcome of a chain. */
export interface Walk {
  /** Why nothing was created. */
  readonly stopped?: string
  readonly created?: Created
  /** The reading of the thing while it is there. */
  readonly read?: Step.Step
  /** Another thing that was created then, and the reading of the first beside it. */
  readonly other?: Step.Step
  readonly beside?: Step.Step
  readonly deleted?: Step.Step
  /** The reading of the thing after it was deleted. */
  readonly again?: Step.Step
}

/** The call that has created a thing. */
export interface Created extends Step.Step {
  /** A text that no other thing has, where the thing has it. */
  readonly mark: string | undefined
  readonly keys: Keys.Keys
}

/** Values that are tried to create a thing. */
const mostTries = 5

/** Goes along a chain. */
export const make = Effect.fnUntraced(function*(
  run: Run,
  chain: Chain
): Effect.fn.Return<Walk, NotApplicable | Unverified> {
  const created = yield* createdBy(run, chain.create, 0)
  if (created === "absent") return {}
  if (created === undefined) return { stopped: `${chain.create.name} has created nothing` }
  const read = yield* readBy(run, chain, created)
  const other = read === undefined ? undefined : yield* createdBy(run, chain.create, 1)
  const isBeside = read !== undefined && other !== undefined && other !== "absent"
  const beside = isBeside ? yield* Step.make(run, read.operation, read.input) : undefined
  const deleted = yield* deletedBy(run, chain, created)
  const isGone = read !== undefined && deleted?.called._tag === "Accepted"
  const again = isGone ? yield* Step.make(run, read.operation, read.input) : undefined
  if (isBeside) yield* deletedBy(run, chain, other)
  return {
    created,
    ...(read !== undefined && { read }),
    ...(isBeside && beside !== undefined && { other, beside }),
    ...(deleted !== undefined && { deleted }),
    ...(again !== undefined && { again })
  }
})

const deletedBy = (run: Run, { deletes }: Chain, created: Created) => {
  const [first] = deletes.flatMap((operation) => argumentsOf(operation, created))
  return first === undefined ? Effect.undefined : Step.make(run, first.operation, first.input)
}

/** Tells whether what was read has the mark of the thing that was created. */
export const hasMark = ({ called, result = null }: Step.Step, { mark }: Created): boolean =>
  called._tag === "Accepted" && mark !== undefined && JSON.stringify(result).includes(mark)

/** Tells whether what was read shows the thing that was created. */
export const isShown = (read: Step.Step, created: Created): boolean => {
  if (read.called._tag !== "Accepted") return false
  if (hasMark(read, created)) return true
  const { keys } = created
  const shown = Keys.keysOf(read.result ?? null)
  return [...keys].some(([word, key]) => shown.get(word) === key)
}

/** The members that a thing was created with, or got a name by, and that are read with another value. */
export const changed = ({ result = null }: Step.Step, created: Created): ReadonlyArray<string> => {
  if (!JsonObject.isObject(result)) return []
  const named = JsonObject.isObject(created.result)
    ? Object.entries(created.result).filter(([name]) => keyOf(name) !== undefined)
    : []
  return Object.entries({ ...created.input, ...Object.fromEntries(named) }).flatMap(([name, value]) => {
    const read = JsonObject.own(result, name)
    return typeof read === typeof value && typeof value !== "object" && read !== value ? [name] : []
  })
}

/** Tells whether nothing was read: an error, or a result in which there is nothing. */
export const isNothing = ({ called, result = null }: Step.Step): boolean =>
  called._tag !== "Accepted" || isEmpty(result)

const isEmpty = (value: Schema.Json): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.values(value).every(isEmpty))

/** Tells whether the same was read twice. */
export const isSame = (one: Step.Step, other: Step.Step): boolean =>
  other.called._tag === "Accepted" &&
  JsonObject.canonical(one.result ?? null) === JsonObject.canonical(other.result ?? null)

const createdBy = Effect.fnUntraced(function*(
  run: Run,
  operation: Operation,
  later: number
): Effect.fn.Return<Created | "absent" | undefined, NotApplicable | Unverified> {
  const check = SchemaCheck.make(operation.input)
  const mark = `parley-${run.seed}-${((yield* Clock.currentTimeMillis) + later).toString(36)}`
  const { edges } = Values.make(operation.input, { examples: operation.examples, mostEdges: 60, mostMisfits: 0 })
  const marked = edges.flatMap((value) => JsonObject.isObject(value) ? [withMark(value, mark, check)] : [])
  // The more keys a value has, the likelier the thing is found again.
  const best = marked.toSorted((one, other) => other.count - one.count).slice(0, mostTries)
  for (const { count, value } of best) {
    const made = yield* Step.make(run, operation, value)
    if (made?.called._tag === "Failed" && made.called.code === ErrorCode.MethodNotFound) return "absent"
    if (made?.called._tag !== "Accepted") continue
    const keys = new Map([...Keys.keysOf(value), ...Keys.keysOf(made.result ?? null)])
    return { ...made, keys, mark: count > 0 ? mark : undefined }
  }
  return undefined
})

/** A value in whose keys a mark stands that no other thing has, where the schema allows that. */
const withMark = (value: Schema.JsonObject, mark: string, check: SchemaCheck.Check) => {
  let count = 0
  let marked: Schema.JsonObject = value
  for (const path of Keys.placesOf(value)) {
    const next = replaced(marked, path, mark)
    if (next === marked || !JsonObject.isObject(next) || check(next) !== undefined) continue
    marked = next
    count++
  }
  return { value: marked, count }
}

const replaced = (value: Schema.Json, [first, ...rest]: Keys.Path, by: string): Schema.Json => {
  if (first === undefined) return by
  if (JsonObject.isArray(value)) return value.map((item, at) => at === first ? replaced(item, rest, by) : item)
  return JsonObject.isObject(value)
    ? { ...value, [first]: replaced(JsonObject.own(value, String(first)) ?? null, rest, by) }
    : value
}

/** Operations of the same noun have to show the thing. Others count only where they do. */
const readBy = Effect.fnUntraced(function*(run: Run, { reads }: Chain, created: Created) {
  let first: Step.Step | undefined
  for (const { isSame, operation } of reads) {
    for (const { input } of argumentsOf(operation, created)) {
      const read = yield* Step.make(run, operation, input)
      if (read === undefined) continue
      if (isShown(read, created)) return read
      if (isSame) first ??= read
    }
  }
  return first
})

const argumentsOf = (operation: Operation, { input: sent, keys }: Created) => {
  const input = Keys.argumentsFor(operation, keys, sent)
  return input === undefined || SchemaCheck.make(operation.input)(input) !== undefined ? [] : [{ operation, input }]
}
