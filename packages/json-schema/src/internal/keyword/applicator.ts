/** The keywords that apply other schemas to the same value. */
import { Excerpt } from "@parley/protocol/shared"
import { recursive } from "../names.ts"
import type { Issue, Node, Rule } from "../Run.ts"
import type { Keyword, Source } from "./Keyword.ts"

const reference: Keyword = (source) => {
  const text = source.string("$ref")
  if (text === undefined) return undefined
  const target = targetOf(source, text)
  return target === undefined ? unchecked(unresolved("$ref", text)) : always(target)
}

/** The rule of a part that cannot be checked. It may evaluate all that the value has. @internal */
export const unchecked = (why: string): Rule => (run, value, evaluated) => {
  evaluated?.addAll(value, run)
  return run.doubted(why)
}

const unresolved = (keyword: string, text: string) =>
  `the ${keyword} ${Excerpt.quoted(text, 100)} of its schema leads to no schema in it, and nothing is fetched`

const always = (node: Node): Rule => (run, value, evaluated) => run.visit(node, value, evaluated)

const targetOf = ({ resource, schemas }: Source, text: string): Node | undefined => {
  const place = schemas.names.resolve(text, resource)
  return place === undefined ? undefined : schemas.nodeOf(place)
}

/** A reference that may mean the same anchor of a resource which led here: the outermost one counts. */
const dynamic = (keyword: string, anchorOf: (text: string) => string): Keyword => (source) => {
  const text = source.string(keyword)
  if (text === undefined) return undefined
  const target = targetOf(source, text)
  if (target === undefined) return unchecked(unresolved(keyword, text))
  const anchor = anchorOf(text)
  if (target.resource.dynamic.get(anchor) !== target.schema) return always(target)
  return (run, value, evaluated) => {
    run.steps.spend(run.scope.length)
    const resource = run.scope.find(({ dynamic }) => dynamic.has(anchor)) ?? target.resource
    return run.visit(run.schemas.nodeOf({ schema: resource.dynamic.get(anchor) ?? true, resource }), value, evaluated)
  }
}

const all: Keyword = (source) => {
  const nodes = source.schemasOf("allOf")
  return nodes === undefined ? undefined : (run, value, evaluated) => {
    for (const node of nodes) {
      const issue = run.visit(node, value, evaluated)
      if (issue !== undefined) return issue
    }
    return undefined
  }
}

const any: Keyword = (source) => {
  const nodes = source.schemasOf("anyOf")
  return nodes === undefined ? undefined : (run, value, evaluated) => {
    let isFound = false
    let doubt: Issue | undefined
    for (const node of nodes) {
      // All that fit count, where somebody asks what they evaluate.
      if (isFound && evaluated === undefined) break
      const answer = run.fits(node, value, evaluated)
      if (answer === true) isFound = true
      else if (answer !== false) doubt ??= answer
    }
    if (isFound) return undefined
    return doubt === undefined ? run.issue("it fits none of the choices") : run.doubted(doubt.rule)
  }
}

const one: Keyword = (source) => {
  const nodes = source.schemasOf("oneOf")
  return nodes === undefined ? undefined : (run, value, evaluated) => {
    let count = 0
    let doubt: Issue | undefined
    for (const node of nodes) {
      const answer = run.fits(node, value, evaluated)
      if (answer === true) count++
      else if (answer !== false) doubt ??= answer
    }
    if (doubt !== undefined && count <= 1) return run.doubted(doubt.rule)
    return count === 1 ? undefined : run.issue(`it should fit one of the choices, and fits ${count}`)
  }
}

const not: Keyword = (source) => {
  const node = source.schema("not")
  return node === undefined
    ? undefined
    : (run, value) => {
      const answer = run.fits(node, value)
      if (answer === false) return undefined
      return answer === true ? run.issue("it is what it should not be") : run.doubted(answer.rule)
    }
}

const condition: Keyword = (source) => {
  const node = source.schema("if")
  if (node === undefined) return undefined
  const yes = source.schema("then")
  const no = source.schema("else")
  return (run, value, evaluated) => {
    const answer = run.fits(node, value, evaluated)
    if (typeof answer === "object") {
      // Either branch may hold, and may evaluate everything.
      if (yes === undefined && no === undefined) return undefined
      evaluated?.addAll(value, run)
      return run.doubted(answer.rule)
    }
    const branch = answer ? yes : no
    return branch === undefined ? undefined : run.visit(branch, value, evaluated)
  }
}

/** @internal */
export const applicators: ReadonlyArray<Keyword> = [
  reference,
  dynamic("$dynamicRef", (text) => text.slice(text.indexOf("#") + 1)),
  dynamic("$recursiveRef", () => recursive),
  all,
  any,
  one,
  not,
  condition
]
