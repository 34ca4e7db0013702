/**
 * One check of a value against a schema: where it is, what it has spent, and what parts of the value it has evaluated.
 *
 * A schema becomes a list of rules when a value meets it for the first time. Nothing is fetched. A rule that cannot be
 * checked, such as a reference that leads nowhere, leaves a doubt: the value neither fits nor does not, unless another
 * rule decides. Whatever schema and value are, a check ends after a bounded number of steps and levels, undecided.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Names, Place, Resource } from "./names.ts"
import { type Steps, Undecided } from "./Steps.ts"

/**
 * A place of the value that does not fit, with what was expected, or that could not be checked, with the reason.
 *
 * @category models
 * @since 0.1.0
 */
export interface Issue {
  /** Where it is in the value. */
  readonly path: ReadonlyArray<string | number>
  /** The words say what was expected, or why nobody knows. */
  readonly rule: string
  /** Whether nobody knows if the value fits: the schema cannot be checked there, or the check had no more steps. */
  readonly isUndecided?: true
}

/** Holds a value against one or more keywords of a schema. @internal */
export type Rule = (run: Run, value: Schema.Json, evaluated: Evaluated | undefined) => Issue | undefined

/** A schema with its rules, once it has them. @internal */
export interface Node extends Place {
  rules: ReadonlyArray<Rule> | undefined
  /** Whether it says something of what no other part has evaluated. */
  hasUnevaluated: boolean
}

/** The members and items that a schema has evaluated, for `unevaluated…`. @internal */
export class Evaluated {
  readonly members = new Set<string>()
  /** All items before this one. */
  items = 0
  readonly others = new Set<number>()

  add(evaluated: Evaluated, steps: Steps) {
    steps.spend(1 + evaluated.members.size + evaluated.others.size)
    for (const key of evaluated.members) this.members.add(key)
    for (const index of evaluated.others) this.others.add(index)
    this.items = Math.max(this.items, evaluated.items)
  }

  /** Nobody knows which, so it may be all. */
  addAll(value: Schema.Json, run: Run) {
    if (JsonObject.isArray(value)) this.items = value.length
    else if (JsonObject.isObject(value)) { for (const key of run.keysOf(value)) this.members.add(key) }
  }
}

/** How deep schemas, and values that are compared, may lead into one another. */
const mostDepth = 1_024

/** The schemas of one document. @internal */
export interface Schemas {
  readonly names: Names
  /** For the rules of all nodes together, however many checks make them: they are kept as long as the schema. */
  readonly steps: Steps
  readonly nodeOf: (place: Place) => Node
  readonly compile: (node: Node) => ReadonlyArray<Rule>
}

/** @internal */
export class Run {
  readonly schemas: Schemas
  readonly steps: Steps
  readonly path: Array<string | number> = []
  /** The resources that schemas have led through to this place. */
  readonly scope: Array<Resource> = []
  #depth = 0
  /** How many schemas ask only whether the value fits. */
  #asking = 0
  /** The first rule that could not be checked, where no rule was broken. */
  doubt: Issue | undefined = undefined

  constructor(schemas: Schemas, steps: Steps) {
    this.schemas = schemas
    this.steps = steps
  }

  issue(rule: string): Issue {
    return this.#asking > 0 ? misfit : { path: [...this.path], rule }
  }

  /** Leaves open whether the value fits, and tells why. */
  doubted(rule: string): undefined {
    this.doubt ??= { path: [...this.path], rule, isUndecided: true }
  }

  visit(node: Node, value: Schema.Json, evaluated?: Evaluated): Issue | undefined {
    const { scope, steps } = this
    if (this.#depth >= mostDepth) {
      throw new Undecided(`it takes more than ${mostDepth} schemas in one another to check`)
    }
    const rules = node.rules ??= this.schemas.compile(node)
    steps.spend(1 + rules.length)
    // Schemas beside one another do not see what the other has evaluated.
    const mine = node.hasUnevaluated ? new Evaluated() : evaluated
    const isEntered = scope.at(-1) !== node.resource
    if (isEntered) scope.push(node.resource)
    this.#depth++
    let issue: Issue | undefined
    for (const rule of rules) {
      issue = rule(this, value, mine)
      if (issue !== undefined) break
    }
    this.#depth--
    if (isEntered) scope.pop()
    if (issue === undefined && mine !== undefined && mine !== evaluated) evaluated?.add(mine, steps)
    return issue
  }

  /** The same for a member or an item, which has parts of its own. */
  visitAt(node: Node, key: string | number, value: Schema.Json): Issue | undefined {
    this.path.push(key)
    const issue = this.visit(node, value)
    this.path.pop()
    return issue
  }

  /**
   * Whether the value fits, or a doubt where nobody knows, which the caller passes to `doubted` if it decides. Parts of
   * the value are evaluated unless it does not fit.
   */
  fits(node: Node, value: Schema.Json, evaluated?: Evaluated): boolean | Issue {
    const mine = evaluated === undefined ? undefined : new Evaluated()
    const before = this.doubt
    this.doubt = undefined
    this.#asking++
    const issue = this.visit(node, value, mine)
    this.#asking--
    const doubt = this.doubt
    this.doubt = before
    if (issue !== undefined) return false
    if (mine !== undefined) evaluated?.add(mine, this.steps)
    return doubt ?? true
  }

  /** The names of an object's members, which the runtime lists one by one. */
  keysOf(value: Schema.JsonObject): ReadonlyArray<string> {
    const keys = Object.keys(value)
    this.steps.spend(keys.length * listingSteps)
    return keys
  }
}

/** One text for all values that are equal. @internal */
export const canonical = (value: Schema.Json, steps: Steps): string => {
  weigh(value, steps, 0)
  return JsonObject.canonical(value)
}

const weigh = (value: Schema.Json, steps: Steps, depth: number): void => {
  if (depth > mostDepth) throw new Undecided(`it has more than ${mostDepth} values in one another to compare`)
  if (typeof value === "string") return steps.spendFor(value)
  steps.spend(comparingSteps)
  if (JsonObject.isArray(value)) {
    for (const item of value) weigh(item, steps, depth + 1)
  } else if (JsonObject.isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      steps.spendFor(key)
      weigh(member, steps, depth + 1)
    }
  }
}

const listingSteps = 2

/** A value is weighed and written, and the names of members are put in order. */
const comparingSteps = 8

/** What every value that does not fit is, where nobody asks why. */
const misfit: Issue = { path: [], rule: "it does not fit" }
