/** Builds objects from facts. */
import * as Pattern from "@parley/json-schema/Pattern"
import { JsonObject } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Facts, SomeMember } from "../Facts.ts"
import { type Answer, anything, both, first, found, made, none, unknown } from "../Goal.ts"
import { below, fits, type SchemaNode } from "../SchemaNode.ts"
import type { Solving } from "../Solving.ts"

/** Members that are added where an object needs more. */
const mostAdded = 256

/** An object that the facts allow. */
export const object = (solver: Solving, facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  const [some, ...others] = facts.someMembers
  if (some !== undefined) {
    return first(candidates(solver, facts, some), (candidate) => {
      if (typeof candidate !== "string") return candidate
      const next = facts.copy()
      next.someMembers = others
      return next.member(candidate, some.value) ? object(solver, next, holds) : none
    })
  }
  if (!withDependents(facts)) return none
  const keys = [...facts.required]
  const known = knownBy(solver, facts)
  if (keys.length > facts.mostParts || !keys.every((key) => isKnown(known, key))) return none
  const members: Array<readonly [string, Schema.Json]> = []
  let doubt: Answer | undefined
  for (const key of keys) {
    const answer = memberOf(solver, facts, key)
    if (answer._tag === "None") return none
    if (answer._tag === "Unknown") doubt = answer
    else members.push([key, answer.value])
  }
  if (doubt !== undefined) return doubt
  const full = members.length < facts.fewest ? filled(solver, facts, members) : members
  if ("_tag" in full) return full
  const value = Object.fromEntries(full)
  if (facts.excluded.some((other) => JsonObject.canonical(other) === JsonObject.canonical(value))) {
    return another(solver, facts, members, holds)
  }
  const answer = holds(value)
  return answer._tag === "None" ? unknown("an object that was built does not fit its schema") : answer
}

/** Whether a member has to be there for which the schemas list different values: what tells the members of unions apart. */
export const isContradictory = (facts: Facts): boolean =>
  facts.objects.length > 1 && facts.required.size > 0 && [...facts.required].some((key) => {
    const lists = schemasOf(facts.objects, key).flatMap((node) => {
      const values = node.document.valuesOf(node)
      return values === undefined ? [] : [values]
    })
    const [first, ...others] = lists
    return first !== undefined && others.length > 0 &&
      !first.some((value) => others.every((list) => isAmong(value, list)))
  })

const isAmong = (value: Schema.Json, values: ReadonlyArray<Schema.Json>): boolean =>
  typeof value === "object" && value !== null
    ? values.some((other) => JsonObject.canonical(other) === JsonObject.canonical(value))
    : values.includes(value)

/** Adds the members that other members ask for, as far as it goes. */
const withDependents = (facts: Facts): boolean => {
  for (let size = -1; size !== facts.required.size;) {
    size = facts.required.size
    for (const [key, keys] of facts.dependents) {
      if (facts.required.has(key) && !facts.require(keys)) return false
    }
  }
  return true
}

/** The value of a member that is there. */
const memberOf = (solver: Solving, facts: Facts, key: string): Answer => {
  for (const node of facts.names) {
    const isName = fits(node, key)
    if (isName !== true) return isName === false ? none : unknown("a name cannot be checked")
  }
  return solver.solve(both({ fits: schemasOf(facts.objects, key), misfits: [] }, facts.members.get(key) ?? anything))
}

/** The schemas that some objects have for a member. */
export const schemasOf = (objects: ReadonlyArray<SchemaNode>, key: string): ReadonlyArray<SchemaNode> =>
  objects.flatMap((node) => {
    const nodes: Array<SchemaNode> = []
    const { schema } = node
    if (!JsonObject.isObject(schema)) return nodes
    if (own(schema, "properties", key)) nodes.push(below(node, "properties", key))
    for (const pattern of patternsOf(schema)) {
      if (matches(pattern, key) === true) nodes.push(below(node, "patternProperties", pattern))
      // Nobody knows: the rest of the schemas is asked for, and the whole is held against all of them.
      else if (matches(pattern, key) === undefined) return nodes
    }
    const rest = restOf(schema)
    if (nodes.length === 0 && rest !== undefined) nodes.push(below(node, rest))
    return nodes
  })

/**
 * The keyword of members that no other keyword speaks of. Where no other schema applies to the whole, what was not evaluated
 * is what is additional.
 */
export const restOf = (schema: Schema.JsonObject): string | undefined => {
  if (Object.hasOwn(schema, "additionalProperties")) return "additionalProperties"
  const isAlone = !applicators.some((keyword) => Object.hasOwn(schema, keyword))
  return isAlone && Object.hasOwn(schema, "unevaluatedProperties") ? "unevaluatedProperties" : undefined
}

const applicators = [
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "dependentSchemas",
  "dependencies"
]

const own = (schema: Schema.JsonObject, keyword: string, key: string): boolean => {
  const members = JsonObject.own(schema, keyword)
  return JsonObject.isObject(members) && Object.hasOwn(members, key)
}

/** The patterns of names in an object's schema. */
export const patternsOf = (schema: Schema.JsonObject): ReadonlyArray<string> => {
  const patterns = JsonObject.own(schema, "patternProperties")
  return JsonObject.isObject(patterns) ? Object.keys(patterns) : []
}

const testers = new Map<string, (text: string) => boolean | undefined>()

/** Whether a pattern matches a name; `undefined` where nobody knows. */
export const matches = (pattern: string, text: string): boolean | undefined => {
  let test = testers.get(pattern)
  if (test === undefined) {
    const made = Pattern.make(pattern)
    test = Result.isSuccess(made) ? made.success.test : () => undefined
    testers.set(pattern, test)
  }
  return test(text)
}

const namesOf = ({ dependents, members, objects, required }: Facts): ReadonlySet<string> =>
  new Set([
    ...required,
    ...members.keys(),
    ...dependents.map(([key]) => key),
    ...objects.flatMap(({ schema }) => {
      const properties = JsonObject.member(schema, "properties")
      return JsonObject.isObject(properties) ? Object.keys(properties) : []
    })
  ])

/** The members that a sender knows: those by name, and those whose names match a pattern. */
interface Known {
  readonly names: ReadonlySet<string>
  readonly patterns: ReadonlyArray<string>
}

/** The members that the sender knows of an object, where it lists members and does not say that there are others. */
const knownBy = ({ sender }: Solving, { fits, objects, required }: Facts): Known | undefined => {
  if (sender === undefined) return undefined
  const theirs = objects.flatMap(({ document, schema }) =>
    document === sender && JsonObject.isObject(schema) ? [schema] : []
  )
  const names = theirs.flatMap((schema) => Object.keys(JsonObject.own(schema, "properties") ?? {}))
  const isOpen = fits.some(({ document, schema }) =>
    document === sender &&
    ["additionalProperties", "unevaluatedProperties"].some((keyword) =>
      (JsonObject.member(schema, keyword) ?? false) !== false
    )
  )
  if (names.length === 0 || isOpen) return undefined
  const theirRequired = fits.flatMap(({ document, schema }) => {
    const keys = document === sender ? JsonObject.member(schema, "required") : undefined
    return JsonObject.isArray(keys) ? keys.filter((key) => typeof key === "string") : []
  }).filter((key) => required.has(key))
  return { names: new Set([...names, ...theirRequired]), patterns: theirs.flatMap(patternsOf) }
}

const isKnown = (known: Known | undefined, name: string): boolean =>
  known === undefined || known.names.has(name) || known.patterns.some((pattern) => matches(pattern, name) !== false)

/** The names that some member may have: those that schemas know, and one of each other kind. */
function* candidates(solver: Solving, facts: Facts, some: SomeMember): Generator<string | Answer> {
  const named = namesOf(facts)
  const known = knownBy(solver, facts)
  for (const name of named) {
    if (!isKnown(known, name)) continue
    if (facts.absent.has(name) || some.except.has(name)) continue
    const isMeant = all([
      some.pattern === undefined || matches(some.pattern, name),
      ...some.exceptPatterns.map((pattern) => negated(matches(pattern, name))),
      ...some.name.fits.map((node) => fits(node, name)),
      ...some.name.misfits.map((node) => negated(fits(node, name)))
    ])
    if (isMeant === true) yield name
    else if (isMeant === undefined) yield unknown("a name cannot be checked")
  }
  yield* newNames(solver, facts, [...named, ...facts.absent, ...some.except], some)
}

const negated = (is: boolean | undefined): boolean | undefined => is === undefined ? undefined : !is

/** Whether all hold; `undefined` where that depends on what nobody knows. */
const all = (parts: ReadonlyArray<boolean | undefined>): boolean | undefined =>
  parts.includes(false) ? false : parts.includes(undefined) ? undefined : true

/** Names that no schema knows: one for each way to match the patterns. */
function* newNames(
  solver: Solving,
  facts: Facts,
  named: ReadonlyArray<string>,
  { exceptPatterns, name, pattern }: Pick<SomeMember, "exceptPatterns" | "name" | "pattern">
): Generator<string | Answer> {
  const sent = knownBy(solver, facts)
  if (sent !== undefined && sent.patterns.length === 0) return
  const patterns = facts.objects.flatMap(({ schema }) => JsonObject.isObject(schema) ? patternsOf(schema) : [])
  const free = [...new Set(patterns)].filter((other) => other !== pattern && !exceptPatterns.includes(other))
  if (free.length > 5) yield unknown("names have too many patterns")
  for (let bits = 0; bits < 2 ** Math.min(free.length, 5); bits++) {
    const isMatched = (_: string, at: number) => (bits & (2 ** at)) !== 0
    const matched = [...pattern === undefined ? [] : [pattern], ...free.filter(isMatched)]
    const unmatched = [...exceptPatterns, ...free.filter((other, at) => !isMatched(other, at))]
    const answer = solver.solve({
      fits: [made({ type: "string" }), ...facts.names, ...name.fits, ...matched.map((pattern) => made({ pattern }))],
      misfits: [...name.misfits, ...unmatched.map((pattern) => made({ pattern })), made({ enum: [...new Set(named)] })]
    })
    if (answer._tag === "Found" && typeof answer.value === "string") {
      if (isKnown(sent, answer.value)) yield answer.value
    } else if (answer._tag === "Unknown") yield answer
  }
}

type Members = ReadonlyArray<readonly [string, Schema.Json]>

/** The same members and more of them, until there are enough. */
const filled = (solver: Solving, facts: Facts, members: Members): Members | Answer => {
  if (facts.fewest > mostAdded) return unknown(`an object would have more than ${mostAdded} members`)
  const all = new Map(members)
  const known = knownBy(solver, facts)
  let doubt: Answer | undefined
  const add = (key: string): boolean => {
    const answer = memberOf(solver, facts, key)
    if (answer._tag === "Found") all.set(key, answer.value)
    else if (answer._tag === "Unknown") doubt = answer
    return answer._tag === "Found"
  }
  for (const key of namesOf(facts)) {
    if (all.size >= facts.fewest) return [...all]
    if (!isKnown(known, key)) continue
    if (!all.has(key) && !facts.absent.has(key) && !hasDependents(facts, key)) add(key)
    else if (hasDependents(facts, key)) doubt = unknown("members depend on one another")
  }
  const tried = new Set([...namesOf(facts), ...facts.absent])
  for (let left = mostAdded; left > 0 && all.size < facts.fewest; left--) {
    let isAdded = false
    for (
      const name of newNames(solver, facts, [...tried], { exceptPatterns: [], name: anything, pattern: undefined })
    ) {
      if (typeof name !== "string") {
        doubt = name
        continue
      }
      tried.add(name)
      isAdded = add(name) || isAdded
      if (all.size >= facts.fewest) return [...all]
    }
    if (!isAdded) break
  }
  return all.size >= facts.fewest ? [...all] : doubt ?? none
}

const hasDependents = (facts: Facts, key: string): boolean => facts.dependents.some(([other]) => other === key)

/** An object that is excluded is varied by one more member. */
const another = (solver: Solving, facts: Facts, members: Members, holds: (value: Schema.Json) => Answer): Answer => {
  const next = facts.copy()
  next.fewest = members.length + 1
  const full = members.length < facts.mostParts ? filled(solver, next, members) : none
  const answer = "_tag" in full ? full : holds(Object.fromEntries(full))
  return answer._tag === "Found" ? found(answer.value) : unknown("an object that was built is excluded")
}
