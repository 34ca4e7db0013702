/**
 * Values of a JSON Schema, of any dialect that is checked: some that fit, and some that break one keyword at one place.
 *
 * What is written is held against the schema by `SchemaCheck`, and what does not hold, or is undecided, is left out: a
 * keyword that the writer does not understand costs values, never truth. The same seed gives the same values. A value has
 * a bounded size, whatever the schema is.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Subschemas from "@parley/json-schema/Subschemas"
import { JsonObject } from "@parley/protocol/shared"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Choices from "./Choices.ts"
import type { Fault, Spot } from "./fault/Fault.ts"
import { listed, numeric, refused, textual, typed } from "./fault/simple.ts"
import { arrays, objects } from "./fault/whole.ts"
import * as World from "./World.ts"
import type { Part } from "./write/Inner.ts"
import { typeOf, write } from "./write/value.ts"

/** A value that does not fit. */
export interface Misfit {
  readonly value: Schema.Json
  /** The place in the value, as a JSON pointer. */
  readonly pointer: string
  /** The keyword that is broken there. */
  readonly keyword: string
  /** The type of a value that fits there, in the words of JSON Schema. */
  readonly fitting: string
}

/** The values of a schema. */
export interface Values {
  /** Values that fit: the plainest first, then those at each boundary. Empty where none was found. */
  readonly edges: ReadonlyArray<Schema.Json>
  /** Values that fit, at random. */
  readonly positive: Arbitrary.Arbitrary<Schema.Json>
  /** Values that do not fit, one for each keyword and place that was found, near the boundary. */
  readonly misfits: ReadonlyArray<Misfit>
  /** Values that do not fit, at random. */
  readonly negative: Arbitrary.Arbitrary<Misfit>
}

/** What is looked for. */
export interface Options {
  /** Values that may fit, such as examples that stand elsewhere: they come first. */
  readonly examples?: ReadonlyArray<Schema.Json>
  /** How many edges there are, at most. 200 by default. */
  readonly mostEdges?: number
  /** How many misfits, at most. 300 by default. */
  readonly mostMisfits?: number
}

/** The values of a schema. None are found for one that is too large to be looked through. */
export const make = (
  schema: Schema.Json,
  { examples = [], mostEdges = 200, mostMisfits = 300 }: Options = {}
): Values => {
  const check = SchemaCheck.make(schema)
  const world = World.make(schema)
  const fits = (value: Schema.Json) => check(value) === undefined
  const isMisfit = (value: Schema.Json) => {
    const issue = check(value)
    return issue !== undefined && issue.isUndecided !== true
  }
  if (world === undefined) {
    const nothing = Arbitrary.filterMap(decisions, () => Result.failVoid)
    return { edges: distinct(examples.filter(fits)), positive: nothing, misfits: [], negative: nothing }
  }

  const written = (choices: Choices.Choices): Whole | undefined => {
    const parts: Array<Part> = []
    const value = write(world, world.references.root, choices, (part) => parts.push(part))
    return value !== undefined && fits(value) ? { value, parts } : undefined
  }
  const faultsOf = ({ parts, value }: Whole, choices: Choices.Choices): ReadonlyArray<Candidate> =>
    parts.flatMap(({ demands, path }) => {
      const here = valueAt(value, path)
      return here === undefined ? [] : faultsAt({ world, value: here, demands }, choices).map((fault) => ({
        keyword: fault.keyword,
        fitting: typeOf(here),
        pointer: pointerOf(fault.at === undefined ? path : [...path, fault.at]),
        write: () => replaced(value, path, fault.value)
      }))
    })

  const wholes = Choices.around(mostEdges, written).filter((whole) => whole !== undefined)
  const edges = distinct([...examples.filter(fits), ...wholes.map(({ value }) => value)]).slice(0, mostEdges)
  return {
    edges,
    positive: Arbitrary.filterMap(decisions, (numbers) => {
      for (let by = 0; by < mostTries; by++) {
        const whole = written(Choices.shifted(Choices.of(numbers), by))
        if (whole !== undefined) return Result.succeed(whole.value)
      }
      return Result.failVoid
    }),
    misfits: misfitsOf(basesOf(wholes), (whole) => faultsOf(whole, Choices.of([])), isMisfit, mostMisfits),
    negative: Arbitrary.filterMap(decisions, ([first = 0, ...numbers]) => {
      const whole = written(Choices.of(numbers))
      if (whole === undefined) return Result.failVoid
      const faults = faultsOf(whole, Choices.of(numbers))
      for (let by = 0; by < faults.length; by++) {
        const fault = faults[(first + by) % faults.length]
        const value = fault?.write()
        if (fault === undefined || value === undefined || !isMisfit(value)) continue
        const { fitting, keyword, pointer } = fault
        return Result.succeed({ value, pointer, keyword, fitting })
      }
      return Result.failVoid
    })
  }
}

/** A value that fits, and what its parts had to fit. */
interface Whole {
  readonly value: Schema.Json
  readonly parts: ReadonlyArray<Part>
}

/** A value that may be a misfit. */
interface Candidate extends Omit<Misfit, "value"> {
  readonly write: () => Schema.Json
}

const mostTries = 4

/** What values are made of: fewer and smaller numbers make plainer values. */
const decisions = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))),
  { maxLength: 256 }
)

/** Values whose faults are looked for: the plainest, the fullest, and some that took other choices. */
const mostBases = 12

const basesOf = (wholes: ReadonlyArray<Whole>): ReadonlyArray<Whole> => {
  const bySize = wholes.toSorted((a, b) => b.parts.length - a.parts.length)
  return [...new Set([...wholes.slice(0, 1), ...bySize.slice(0, 2), ...wholes])].slice(0, mostBases)
}

const distinct = (values: ReadonlyArray<Schema.Json>): ReadonlyArray<Schema.Json> => [
  ...new Map(values.map((value) => [JsonObject.canonical(value), value])).values()
]

/** Checks that a schema may cost to find its misfits. */
const mostChecks = 5_000

/** Few of each keyword and place: all of them would be many of the same kind. */
const mostOfOne = 6

const misfitsOf = (
  wholes: ReadonlyArray<Whole>,
  faultsOf: (whole: Whole) => ReadonlyArray<Candidate>,
  isMisfit: (value: Schema.Json) => boolean,
  most: number
): ReadonlyArray<Misfit> => {
  const found = new Map<string, Misfit>()
  const counts = new Map<string, number>()
  let left = mostChecks
  for (const whole of wholes) {
    for (const { fitting, keyword, pointer, write } of faultsOf(whole)) {
      if (found.size >= most || left <= 0) return [...found.values()]
      const kind = `${keyword} ${pointer}`
      const count = counts.get(kind) ?? 0
      if (count >= mostOfOne) continue
      left--
      const value = write()
      const text = JsonObject.canonical(value)
      if (found.has(text) || !isMisfit(value)) continue
      counts.set(kind, count + 1)
      found.set(text, { value, pointer, keyword, fitting })
    }
  }
  return [...found.values()]
}

const faultsAt = (spot: Spot, choices: Choices.Choices): ReadonlyArray<Fault> => [
  ...objects(spot),
  ...arrays(spot),
  ...listed(spot),
  ...numeric(spot),
  ...textual(spot),
  ...refused(
    spot,
    (schema, place) => write(spot.world, spot.world.references.below(schema, place), choices, () => undefined)
  ),
  ...typed(spot)
]

type Path = ReadonlyArray<string | number>

const pointerOf = (path: Path): string => path.map((key) => `/${Subschemas.tokenOf(String(key))}`).join("")

/** The value at a path. */
export const valueAt = (value: Schema.Json, path: Path): Schema.Json | undefined => {
  let here: Schema.Json | undefined = value
  for (const key of path) {
    here = JsonObject.isArray(here)
      ? here[Number(key)]
      : JsonObject.isObject(here)
      ? JsonObject.own(here, String(key))
      : undefined
  }
  return here
}

/** A copy in which another value stands at a path. */
const replaced = (value: Schema.Json, [first, ...rest]: Path, by: Schema.Json): Schema.Json => {
  if (first === undefined) return by
  if (JsonObject.isArray(value)) {
    return value.map((item, index) => index === Number(first) ? replaced(item, rest, by) : item)
  }
  if (!JsonObject.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === String(first) ? replaced(member, rest, by) : member])
  )
}
