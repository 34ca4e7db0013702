/**
 * Regular expressions of a document, run in time that grows with the text and no faster.
 *
 * JavaScript's engine backtracks, and nothing can stop it: a pattern of ten
 * characters can hold up the program for hours. Here all ways to match are
 * followed at once, so a text costs its length times the length of the pattern.
 * A pattern that needs memory of its way (back-references, looking around) is not run.
 */

/** Matches one code point, or a place between two; goes on at other states. */
type State =
  | { readonly _tag: "One"; readonly test: (character: string) => boolean; next: number }
  | { readonly _tag: "Place"; readonly test: (text: ReadonlyArray<string>, at: number) => boolean; next: number }
  | { readonly _tag: "Fork"; readonly to: Array<number> }
  | { readonly _tag: "End" }

/** What a part of a pattern needs: where to go on gives where it begins. */
type Part = (program: Array<State>, next: number) => number

/** States of a pattern, and steps for one text: a few milliseconds. */
const mostStates = 2_000
const mostSteps = 2_000_000

/** Whether a text matches; `undefined` where the pattern cannot be run, or would take long. */
export const test = (source: string, text: string): boolean | undefined => {
  const program = compile(source)
  return program === undefined ? undefined : run(program, Array.from(text))
}

interface Program {
  readonly states: ReadonlyArray<State>
  readonly start: number
}

const compiled = new Map<string, Program | undefined>()

const compile = (source: string): Program | undefined => {
  if (!compiled.has(source)) {
    if (compiled.size >= 1_000) compiled.clear()
    compiled.set(source, make(source))
  }
  return compiled.get(source)
}

const make = (source: string): Program | undefined => {
  try {
    // A text that the engine refuses is no pattern.
    // linear: it is only read, and never run
    new RegExp(source, "u")
    const states: Array<State> = [{ _tag: "End" }]
    const start = parse(source)(states, 0)
    return states.length > mostStates ? undefined : { states, start }
  } catch {
    return undefined
  }
}

const run = ({ start, states }: Program, text: ReadonlyArray<string>): boolean | undefined => {
  if (states.length * (text.length + 1) > mostSteps) return undefined
  let current = new Set<number>()
  let isDone = false
  const enter = (state: number, at: number, into: Set<number>): void => {
    const waiting = [state]
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (into.has(index)) continue
      into.add(index)
      const found = states[index]
      if (found?._tag === "End") isDone = true
      else if (found?._tag === "Fork") waiting.push(...found.to)
      else if (found?._tag === "Place" && found.test(text, at)) waiting.push(found.next)
    }
  }
  for (let at = 0; at <= text.length; at++) {
    // A pattern may begin anywhere.
    enter(start, at, current)
    if (isDone) return true
    const character = text[at]
    if (character === undefined) break
    const next = new Set<number>()
    for (const index of current) {
      const state = states[index]
      if (state?._tag === "One" && state.test(character)) enter(state.next, at + 1, next)
    }
    if (isDone) return true
    current = next
  }
  return false
}

const tokens =
  // linear: the engine has read the whole pattern, so every escape, class and name in it ends
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?::|<(?![=!])[^>]*>)?)?|\{\d+(?:,\d*)?\}|[^]/gu

const parse = (source: string): Part => {
  const all = source.match(tokens) ?? []
  let at = 0
  const alternatives = (): Part => {
    const parts: Array<Part> = [sequence()]
    while (all[at] === "|") {
      at++
      parts.push(sequence())
    }
    return parts.length === 1 ? parts[0] ?? nothing : either(parts)
  }
  const sequence = (): Part => {
    const parts: Array<Part> = []
    for (let token = all[at]; token !== undefined && token !== "|" && token !== ")"; token = all[at]) {
      at++
      parts.push(repeated(atom(token)))
    }
    return (program, next) => parts.reduceRight((after, part) => part(program, after), next)
  }
  const atom = (token: string): Part => {
    if (!token.startsWith("(")) return single(token)
    if (token === "(?") throw new SyntaxError("looking around is not run")
    const inner = alternatives()
    at++
    return inner
  }
  const repeated = (part: Part): Part => {
    const range = rangeOf(all[at])
    if (range === undefined) return part
    at++
    // A lazy quantifier takes the same texts.
    if (all[at] === "?") at++
    return times(part, range)
  }
  return alternatives()
}

const nothing: Part = (_, next) => next

const add = (program: Array<State>, state: State): number => {
  if (program.length > mostStates) throw new RangeError("too many states")
  return program.push(state) - 1
}

const either = (parts: ReadonlyArray<Part>): Part => (program, next) =>
  add(program, { _tag: "Fork", to: parts.map((part) => part(program, next)) })

const rangeOf = (token: string | undefined): readonly [least: number, most: number] | undefined => {
  if (token === "*") return [0, Number.POSITIVE_INFINITY]
  if (token === "+") return [1, Number.POSITIVE_INFINITY]
  if (token === "?") return [0, 1]
  const [, least, most] = /^\{(\d+)(?:,(\d*))?\}$/.exec(token ?? "") ?? []
  if (least === undefined) return undefined
  return [Number(least), most === undefined ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most)]
}

const times = (part: Part, [least, most]: readonly [number, number]): Part => (program, next) => {
  if (least > mostStates || (Number.isFinite(most) && most > mostStates)) throw new RangeError("too many states")
  let after = next
  if (most === Number.POSITIVE_INFINITY) {
    const fork = { _tag: "Fork", to: [next] } satisfies State
    const index = add(program, fork)
    fork.to.push(part(program, index))
    after = index
  } else {
    for (let count = least; count < most; count++) {
      after = add(program, { _tag: "Fork", to: [next, part(program, after)] })
    }
  }
  for (let count = 0; count < least; count++) after = part(program, after)
  return after
}

const single = (token: string): Part => {
  const place = places[token]
  if (place !== undefined) return (program, next) => add(program, { _tag: "Place", test: place, next })
  if (/^\\[1-9k]/.test(token)) throw new SyntaxError("back-references are not run")
  // linear: it is run on one code point, so the engine has nothing to go back to
  const regExp = new RegExp(`^(?:${token})$`, "u")
  const isDot = token === "."
  const test = (character: string) => isDot ? !/^[\n\r\u2028\u2029]$/.test(character) : regExp.test(character)
  return (program, next) => add(program, { _tag: "One", test, next })
}

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character)

const isBoundary = (text: ReadonlyArray<string>, at: number): boolean => isWord(text[at - 1]) !== isWord(text[at])

const places: Readonly<Record<string, (text: ReadonlyArray<string>, at: number) => boolean>> = {
  "^": (_, at) => at === 0,
  $: (text, at) => at === text.length,
  "\\b": isBoundary,
  "\\B": (text, at) => !isBoundary(text, at)
}
