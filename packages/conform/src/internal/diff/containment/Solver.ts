/**
 * Looks for a value that fits some schemas and does not fit others, or proves that there is none: what one contract accepts
 * and another does not is such a value.
 *
 * Each kind of values is looked at by itself. The keywords of all schemas become facts of that kind and choices between
 * alternatives; alternatives are tried in depth, and where none is left a value is built from the facts. Its parts are
 * values that are looked for in the same way.
 *
 * Three promises hold it together:
 * - A value is held against all schemas of its goal before it is given. A keyword that is not understood only makes the
 *   search less exact: a value that does not hold leaves the question open.
 * - There is no value only where every alternative has been refused. What was left out, or cut short, leaves it open.
 * - A goal that leads to itself has no value by that way: the least value of a goal has no other of the same goal in it.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { array } from "./build/array.ts"
import { number } from "./build/number.ts"
import { isContradictory, object } from "./build/object.ts"
import { text } from "./build/text.ts"
import { Equality } from "./equality.ts"
import { Expansion } from "./expand/Expansion.ts"
import { type Choice, Facts, type Kind, kinds } from "./Facts.ts"
import { type Answer, first, found, type Goal, none, unknown } from "./Goal.ts"
import { fits, type SchemaDocument, type SchemaNode } from "./SchemaNode.ts"
import type { Solving } from "./Solving.ts"

/** How much work one question may take, in schemas that are looked at: some seconds. */
const mostWork = 200_000

/** How deep values may be in one another. */
const deepest = 64

export class Solver implements Solving {
  readonly sender: SchemaDocument | undefined
  readonly equality = new Equality()
  readonly #expansion = new Expansion(this)
  readonly #known = new Map<string, Answer>()
  /** The goals that are being looked at, with their depths. */
  readonly #open = new Map<string, number>()
  /** The outermost open goal that an answer depends on. */
  #reach = Infinity
  #left = mostWork

  constructor(sender?: SchemaDocument) {
    this.sender = sender
  }

  /** Answers a question of its own, with all the work that one may take. */
  ask(goal: Goal): Answer {
    this.#left = mostWork
    this.#reach = Infinity
    this.#open.clear()
    return this.solve(goal)
  }

  solve(goal: Goal): Answer {
    const { fits, misfits } = distinct(goal)
    if (fits.some((one) => misfits.some((other) => this.equality.areEqual(one, other)))) return none
    const key = `${fits.map(({ id }) => id).join(" ")}|${misfits.map(({ id }) => id).join(" ")}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const depth = this.#open.get(key)
    if (depth !== undefined) {
      this.#reach = Math.min(this.#reach, depth)
      return none
    }
    const at = this.#open.size
    if (at >= deepest) {
      // A goal that begins further in may have an answer.
      this.#reach = 0
      return unknown("the schemas lead too deep into one another")
    }
    const outer = this.#reach
    this.#reach = Infinity
    this.#open.set(key, at)
    const answer = first(kinds, (kind) => this.#solveKind(kind, { fits, misfits }))
    this.#open.delete(key)
    const isIndependent = this.#reach >= at
    if (answer._tag === "Found" || (isIndependent && this.#left > 0)) this.#known.set(key, answer)
    this.#reach = Math.min(outer, isIndependent || answer._tag === "Found" ? Infinity : this.#reach)
    return answer
  }

  areDisjoint(one: SchemaNode, other: SchemaNode): boolean {
    return this.solve({ fits: [one, other], misfits: [] })._tag === "None"
  }

  #solveKind(kind: Kind, goal: Goal): Answer {
    const facts = new Facts(kind)
    const isPossible = goal.fits.every((node) => this.#expansion.fit(facts, node)) &&
      goal.misfits.every((node) => this.#expansion.misfit(facts, node))
    return isPossible ? this.#search(facts, goal) : none
  }

  work(): void {
    this.#left--
  }

  #search(facts: Facts, goal: Goal): Answer {
    this.work()
    if (this.#left <= 0) return unknown("the comparison takes too much work")
    if (facts.values !== undefined) return chosen(facts.values, goal)
    if (isContradictory(facts)) return none
    const choices = facts.choices.filter(({ misfit }) =>
      misfit === undefined || !this.#expansion.isMissed(facts, misfit)
    )
    // The schemas that the value fits come before those that it does not.
    const choice = fewest(choices.filter(({ misfit }) => misfit === undefined)) ??
      (facts.unions.length === 0 ? fewest(choices) : undefined)
    const [union, ...unions] = facts.unions
    if (choice === undefined && union !== undefined) {
      const next = facts.copy()
      next.unions = unions
      return this.#expansion.misfitNow(next, union) ? this.#search(next, goal) : none
    }
    if (choice === undefined) return this.#build(facts, goal)
    return first(choice.alternatives, (alternative) => {
      const next = facts.copy()
      next.choices = choices.filter((other) => other !== choice)
      return alternative(next) ? this.#search(next, goal) : none
    })
  }

  #build(facts: Facts, goal: Goal): Answer {
    const holds = (value: Schema.Json) => chosen([value], goal)
    switch (facts.kind) {
      case "null":
        return among([null], facts, goal)
      case "boolean":
        return among([true, false], facts, goal)
      case "number":
        return number(facts, holds)
      case "string":
        return text(facts, holds)
      case "array":
        return array(this, facts, holds)
      case "object":
        return object(this, facts, holds)
    }
  }
}

const fewest = (choices: ReadonlyArray<Choice>): Choice | undefined =>
  choices.reduce<Choice | undefined>(
    (least, choice) => least === undefined || choice.alternatives.length < least.alternatives.length ? choice : least,
    undefined
  )

const distinct = ({ fits, misfits }: Goal): Goal => ({ fits: sorted(fits), misfits: sorted(misfits) })

const sorted = (nodes: ReadonlyArray<SchemaNode>): ReadonlyArray<SchemaNode> =>
  nodes.length < 2 ? nodes : [...new Set(nodes)].toSorted((a, b) => a.id - b.id)

const among = (values: ReadonlyArray<Schema.Json>, { excluded }: Facts, goal: Goal): Answer => {
  const texts = new Set(excluded.map(JsonObject.canonical))
  return chosen(values.filter((value) => !texts.has(JsonObject.canonical(value))), goal)
}

/** One of some values: each is held against the whole goal. */
const chosen = (values: ReadonlyArray<Schema.Json>, goal: Goal): Answer =>
  first(values, (value) => {
    let isDecided = true
    for (const [nodes, expected] of [[goal.fits, true], [goal.misfits, false]] as const) {
      for (const node of nodes) {
        const answer = fits(node, value)
        if (answer === undefined) isDecided = false
        else if (answer !== expected) return none
      }
    }
    return isDecided ? found(value) : unknown("a schema cannot be checked")
  })
