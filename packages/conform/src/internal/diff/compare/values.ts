/**
 * Compares what is sent at one place with what is accepted there.
 *
 * Objects are compared member by member and arrays by their items, as far as nothing else is said of them, so that a change
 * has the place where it is. Whether it breaks anybody is asked of the whole at each level: what the parts say counts only
 * where the whole says so, too.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { followed, isAnnotation } from "../containment/equality.ts"
import { listOf } from "../containment/expand/Expansion.ts"
import { type Answer, made } from "../containment/Goal.ts"
import { below, type SchemaNode } from "../containment/SchemaNode.ts"
import { type Comparison, type Found, nameOf, type Place, refusal } from "./Comparison.ts"

/** The changes between two schemas of one place. */
export const values = (
  comparison: Comparison,
  before: SchemaNode,
  after: SchemaNode,
  place: Place
): ReadonlyArray<Found> => new Walk(comparison).compare(before, after, place)

class Walk {
  readonly #comparison: Comparison
  /** Pairs that have been looked at: a schema may lead to itself. */
  readonly #seen = new Set<string>()

  constructor(comparison: Comparison) {
    this.#comparison = comparison
  }

  compare(one: SchemaNode, other: SchemaNode, place: Place): ReadonlyArray<Found> {
    const before = followed(one)
    const after = followed(other)
    const key = `${before.id} ${after.id}`
    if (this.#seen.has(key) || this.#comparison.areEqual(before, after)) return []
    this.#seen.add(key)
    const isSent = place.direction === "sends"
    const answer = isSent
      ? this.#comparison.counterexample(before, after)
      : this.#comparison.counterexample(after, before)
    const parts = this.#parts(before, after, place)
    if (answer._tag === "None") {
      const harmless = (parts ?? []).filter(({ verdict }) => verdict === "compatible")
      return parts === undefined || parts.length === 0 ? this.#opposite(before, after, place) : harmless
    }
    const isTold = ({ verdict }: Found) =>
      verdict === "breaking" || (verdict === "unknown" && answer._tag === "Unknown")
    if (parts?.some(isTold) === true) return parts
    const whole = this.#whole(before, after, place, answer)
    return [whole, ...parts ?? this.#opposite(before, after, place)]
  }

  /** The break of a place as a whole. */
  #whole(before: SchemaNode, after: SchemaNode, place: Place, answer: Answer): Found {
    const isSent = place.direction === "sends"
    const change = ofWhole(before, after, place, isSent)
    if (answer._tag !== "Found") {
      return { ...change, verdict: "unknown", reason: answer._tag === "Unknown" ? answer.why : undefined }
    }
    return {
      ...change,
      verdict: "breaking",
      witness: answer.value,
      reason: refusal(isSent ? after : before, answer.value)
    }
  }

  /** The values that are new where they break nobody. */
  #opposite(before: SchemaNode, after: SchemaNode, place: Place): ReadonlyArray<Found> {
    const isSent = place.direction === "sends"
    const answer = isSent
      ? this.#comparison.counterexample(after, before)
      : this.#comparison.counterexample(before, after)
    if (answer._tag !== "Found") return []
    const change = ofWhole(before, after, place, !isSent)
    return [{ ...change, verdict: "compatible", witness: answer.value }]
  }

  /** The changes of the parts, where two schemas say nothing but what their parts are. */
  #parts(before: SchemaNode, after: SchemaNode, place: Place): ReadonlyArray<Found> | undefined {
    const { schema: a } = before
    const { schema: b } = after
    if (!JsonObject.isObject(a) || !JsonObject.isObject(b)) return undefined
    if (isPlain(a, objectKeywords) && isPlain(b, objectKeywords) && areAlike(a, b, "type")) {
      const [bases, others] = [listOf(before, a, "allOf"), listOf(after, b, "allOf")]
      if (bases.length !== others.length) return undefined
      return [
        ...this.#members(before, after, a, b, place),
        ...bases.flatMap((base, at) => this.compare(base, others[at] ?? base, place))
      ]
    }
    const union = ["oneOf", "anyOf"].find((keyword) => isPlain(a, new Set([keyword])) && isPlain(b, new Set([keyword])))
    if (union !== undefined) {
      return this.#variants(listOf(before, a, union), listOf(after, b, union), before, after, place)
    }
    const isList = isPlain(a, listKeywords) && isPlain(b, listKeywords) &&
      areAlike(a, b, "type", "minItems", "maxItems")
    if (!isList || !JsonObject.isObject(a["items"]) || !JsonObject.isObject(b["items"])) return undefined
    return this.compare(below(before, "items"), below(after, "items"), { ...place, path: `${place.path}[]` })
  }

  /** The members of two unions: those that belong together are compared, and each of the others is new or gone. */
  #variants(
    old: ReadonlyArray<SchemaNode>,
    now: ReadonlyArray<SchemaNode>,
    before: SchemaNode,
    after: SchemaNode,
    place: Place
  ): ReadonlyArray<Found> {
    const left = new Set(now)
    const take = (isMeant: (node: SchemaNode) => boolean): SchemaNode | undefined => {
      const node = [...left].find(isMeant)
      if (node !== undefined) left.delete(node)
      return node
    }
    const unequal = old.filter((one) => take((other) => this.#comparison.areEqual(one, other)) === undefined)
    const pairs = unequal.map((one) => {
      const tag = tagOf(one)
      return [one, tag === undefined ? undefined : take((other) => tagOf(other) === tag)] as const
    })
    const gone = pairs.flatMap(([one, other]) => other === undefined ? [one] : [])
    const isSent = place.direction === "sends"
    const change = ofWhole(before, after, place, isSent)
    const lost = (nodes: Iterable<SchemaNode>, receiver: SchemaNode): ReadonlyArray<Found> =>
      Array.from(nodes).flatMap((node) => {
        const answer = this.#comparison.counterexample(node, receiver)
        if (answer._tag === "None") return []
        return [decided(change, answer, answer._tag === "Found" ? refusal(receiver, answer.value) ?? "" : "")]
      })
    return [
      ...pairs.flatMap(([one, other]) => other === undefined ? [] : this.compare(one, other, place)),
      ...isSent ? lost(gone, after) : lost(left, before)
    ]
  }

  #members(
    before: SchemaNode,
    after: SchemaNode,
    a: Schema.JsonObject,
    b: Schema.JsonObject,
    place: Place
  ): ReadonlyArray<Found> {
    const [old, now] = [propertiesOf(a), propertiesOf(b)]
    const [needed, needs] = [requiredOf(a), requiredOf(b)]
    const pair = { before, after, place }
    return [...new Set([...old, ...now])].flatMap((name) => {
      const path = { ...place, path: `${place.path}.${nameOf(name)}` }
      const member = { ...pair, name, path }
      if (!now.has(name)) return this.#removed(member, needed.has(name))
      if (!old.has(name)) return this.#added(member, needs.has(name))
      const presence = needed.has(name) === needs.has(name)
        ? []
        : needs.has(name)
        ? this.#required(member)
        : this.#optional(member)
      const [one, other] = [below(before, "properties", name), below(after, "properties", name)]
      return [...presence, ...this.compare(one, other, path)]
    })
  }

  #removed({ after, before, name, path }: Member, wasRequired: boolean): ReadonlyArray<Found> {
    const change = {
      rule: `diff/${subjectOf(path)}-removed`,
      message: `${path.path} is gone`,
      place: path,
      before,
      after
    } as const
    if (path.direction === "sends") return [this.#unknownTo(after, before, name, change)]
    return [wasRequired ? this.#missing(name, change) : { ...change, verdict: "compatible" }]
  }

  #added({ after, before, name, path }: Member, isRequired: boolean): ReadonlyArray<Found> {
    const subject = subjectOf(path)
    if (path.direction === "sends" && isRequired) {
      const message = `${path.path} is new, and has to be there`
      return [this.#missing(name, { rule: `diff/${subject}-required`, message, place: path, before, after })]
    }
    const change = {
      rule: `diff/${subject}-added`,
      message: `${path.path} is new`,
      place: path,
      before,
      after
    } as const
    return [
      path.direction === "gets" ? this.#unknownTo(before, after, name, change) : { ...change, verdict: "compatible" }
    ]
  }

  #required({ after, before, name, path }: Member): ReadonlyArray<Found> {
    const message = `${path.path} could be left out, and has to be there`
    const change = { rule: `diff/${subjectOf(path)}-required`, message, place: path, before, after } as const
    return [path.direction === "sends" ? this.#missing(name, change) : { ...change, verdict: "compatible" }]
  }

  #optional({ after, before, name, path }: Member): ReadonlyArray<Found> {
    const message = `${path.path} had to be there, and may be left out`
    const change = { rule: `diff/${subjectOf(path)}-optional`, message, place: path, before, after } as const
    return [path.direction === "gets" ? this.#missing(name, change) : { ...change, verdict: "compatible" }]
  }

  /** A member that the sender knows and the receiver does not. */
  #unknownTo(receiver: SchemaNode, sender: SchemaNode, name: string, change: Part): Found {
    const rest = JsonObject.member(receiver.schema, "additionalProperties") ?? true
    if (rest === true) return { ...change, verdict: "compatible" }
    if (rest === false) {
      const answer = this.#comparison.example(sender, made({ required: [name] }))
      return decided(change, answer, `${nameOf(name)}: no member of this name is allowed`)
    }
    const value = this.#comparison.counterexample(
      below(sender, "properties", name),
      below(receiver, "additionalProperties")
    )
    if (value._tag !== "Found") return decided(change, value, "")
    const answer = this.#comparison.example(
      sender,
      made({ required: [name], properties: { [name]: { const: value.value } } })
    )
    return decided(change, answer, refusal(receiver, value.value) ?? "")
  }

  /** A member that the receiver needs and the sender may leave out. */
  #missing(name: string, change: Part): Found {
    const sender = change.place.direction === "sends" ? change.before : change.after
    const answer = this.#comparison.example(sender, made({ not: { required: [name] } }))
    return decided(change, answer, `${nameOf(name)}: it is missing`)
  }
}

type Part = Omit<Found, "verdict"> & { readonly before: SchemaNode; readonly after: SchemaNode }

/** A change that breaks where the sender has such a value. */
const decided = (change: Part, answer: Answer, reason: string): Found => {
  switch (answer._tag) {
    case "Found":
      return { ...change, verdict: "breaking", witness: answer.value, reason }
    case "None":
      return { ...change, verdict: "compatible" }
    case "Unknown":
      return { ...change, verdict: "unknown", reason: answer.why }
  }
}

/** The mark that tells a member of a union from the others: a type, a name of a schema, or members with one value. */
const tagOf = (node: SchemaNode): string | undefined => {
  const { pointer, schema } = followed(node)
  if (!JsonObject.isObject(schema)) return undefined
  const properties = JsonObject.own(schema, "properties")
  const tags = Object.entries(JsonObject.isObject(properties) ? properties : {}).flatMap(([name, inner]) => {
    const only = JsonObject.member(inner, "const")
    return only === undefined ? [] : [[name, only] as const]
  })
  if (tags.length > 0) return JSON.stringify(tags.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  if (pointer.startsWith("/schemas/")) return pointer
  return JsonObject.isObject(properties) ? undefined : JSON.stringify(JsonObject.own(schema, "type"))
}

/** Data of errors is what clients get, as results are. */
const subjectOf = ({ subject }: Place): "param" | "result" => subject === "param" ? "param" : "result"

interface Member {
  readonly before: SchemaNode
  readonly after: SchemaNode
  readonly name: string
  readonly path: Place
}

/** A place has fewer values than before, or more. */
const ofWhole = (before: SchemaNode, after: SchemaNode, place: Place, isNarrower: boolean): Part => {
  const areListed = [before, after].every((node) => node.document.valuesOf(node) !== undefined)
  return {
    rule: areListed
      ? `diff/value-${isNarrower ? "removed" : "added"}`
      : `diff/${place.subject}-${isNarrower ? "narrowed" : "widened"}`,
    message: `${place.path} ${areListed ? "has" : "may have"} ${isNarrower ? "fewer" : "more"} values`,
    place,
    before,
    after
  }
}

const objectKeywords: ReadonlySet<string> = new Set(["type", "properties", "required", "additionalProperties", "allOf"])

const listKeywords: ReadonlySet<string> = new Set(["type", "items", "minItems", "maxItems"])

const isPlain = (schema: Schema.JsonObject, keywords: ReadonlySet<string>): boolean =>
  Object.keys(schema).every((keyword) => keywords.has(keyword) || isAnnotation(keyword))

const areAlike = (a: Schema.JsonObject, b: Schema.JsonObject, ...keywords: ReadonlyArray<string>): boolean =>
  keywords.every((keyword) => JSON.stringify(a[keyword]) === JSON.stringify(b[keyword]))

const propertiesOf = (schema: Schema.JsonObject): ReadonlySet<string> => {
  const properties = JsonObject.own(schema, "properties")
  return new Set(JsonObject.isObject(properties) ? Object.keys(properties) : [])
}

const requiredOf = (schema: Schema.JsonObject): ReadonlySet<string> => {
  const required = JsonObject.own(schema, "required")
  return new Set(JsonObject.isArray(required) ? required.filter((name) => typeof name === "string") : [])
}
