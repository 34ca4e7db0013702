/**
 * Runs a regular expression in time that is linear in the text: all ways to match are followed at once, character by
 * character, and those that come to the same state are one (Thompson, 1968).
 *
 * To look ahead is to know at every place whether something matches from there on. One run over the text from its end to
 * its begin finds that out for all places; looking behind is one from begin to end.
 */
import type { Steps } from "../Steps.ts"
import type { Edge, Look, Part } from "./syntax.ts"

/** A state: it takes a character, goes on in two places at once, holds at a place only, or is the end. */
export type State =
  | { readonly type: "atom"; readonly takes: (code: number) => boolean }
  | { readonly type: "fork"; readonly to: number; readonly or: number }
  | { readonly type: "edge"; readonly edge: Edge }
  | { readonly type: "look"; readonly look: number; readonly isNegated: boolean }
  | { readonly type: "end" }

/** What runs. A state that does not fork leads to the next. @internal */
export interface Program {
  readonly states: ReadonlyArray<State>
  /** What is looked for at every place before this program runs. */
  readonly looks: ReadonlyArray<Program>
  readonly isBackward: boolean
  /** Whether it can only begin at the begin of the text. */
  readonly isAnchored: boolean
  /** By state, the last turn in which it was reached: turns go on from run to run, so that nothing is to be cleared. */
  readonly reached: Int32Array
  /** The last turn of all runs. */
  turn: number
}

/** States of an expression: `{1,1000}` stands for as many copies. */
const mostStates = 200_000

/** What making one costs. */
const stepsPerState = 8

/** The program of an expression, or `undefined` where it has too many states. @internal */
export const make = (part: Part, steps: Steps): Program | undefined => {
  let size = 0

  const programOf = (part: Part, isBackward: boolean): Program => {
    const states: Array<State> = []
    const looks: Array<Program> = []
    const known = new Map<Look, number>()

    const add = (state: State): number => {
      if (++size > mostStates) throw tooMany
      steps.spend(stepsPerState)
      return states.push(state) - 1
    }

    /** Forks at a place that is known already, to one that is known now. */
    const fork = (at: number, to: number, or: number) => {
      states[at] = { type: "fork", to, or }
    }

    const lookOf = (look: Look): number => {
      const at = known.get(look)
      if (at !== undefined) return at
      known.set(look, looks.length)
      // One that looks behind has its own begin first.
      return looks.push(programOf(look.part, !look.isBehind)) - 1
    }

    const write = (part: Part): void => {
      switch (part.type) {
        case "atom":
        case "edge":
          // Copies of a part share it.
          add(part)
          return
        case "look":
          add({ type: "look", look: lookOf(part), isNegated: part.isNegated })
          return
        case "sequence":
          for (const one of isBackward ? part.parts.toReversed() : part.parts) write(one)
          return
        case "choice":
          return choose(part.choices)
        case "repetition":
          return repeat(part.part, part.least, part.most)
      }
    }

    const choose = (choices: ReadonlyArray<Part>) => {
      const leaving: Array<number> = []
      for (const [index, choice] of choices.entries()) {
        const at = index < choices.length - 1 ? add(end) : undefined
        write(choice)
        if (at === undefined) continue
        leaving.push(add(end))
        fork(at, at + 1, states.length)
      }
      for (const at of leaving) fork(at, states.length, states.length)
    }

    const repeat = (part: Part, least: number, most: number) => {
      for (let times = 0; times < least; times++) {
        const before = states.length
        write(part)
        // Nothing is nothing, however often it comes.
        if (states.length === before) return
      }
      if (most === Number.POSITIVE_INFINITY) {
        const at = add(end)
        write(part)
        const back = add(end)
        fork(back, at, at)
        fork(at, at + 1, states.length)
        return
      }
      const leaving: Array<number> = []
      for (let times = least; times < most; times++) {
        leaving.push(add(end))
        const before = states.length
        write(part)
        if (states.length === before) break
      }
      for (const at of leaving) fork(at, at + 1, states.length)
    }

    write(part)
    add(end)
    const [first] = states
    const isAnchored = !isBackward && first?.type === "edge" && first.edge === "^"
    return { states, looks, isBackward, isAnchored, reached: new Int32Array(states.length), turn: 0 }
  }

  try {
    return programOf(part, false)
  } catch (error) {
    if (error === tooMany) return undefined
    throw error
  }
}

const end: State = { type: "end" }

const tooMany = new Error("too many states")

/** Whether it matches somewhere in the characters. @internal */
export const matches = (program: Program, codes: ReadonlyArray<number>, steps: Steps): boolean => {
  let isFound = false
  sweep(program, codes, steps, () => {
    isFound = true
    return true
  })
  return isFound
}

/** The places where it ends, or where it begins if it runs backward. */
const places = (program: Program, codes: ReadonlyArray<number>, steps: Steps): Uint8Array => {
  steps.spend(1 + codes.length / 8)
  const found = new Uint8Array(codes.length + 1)
  sweep(program, codes, steps, (at) => {
    found[at] = 1
    return false
  })
  return found
}

/** Begins at every place. `onEnd` hears of each place where the end is reached, and says whether that is enough. */
const sweep = (
  program: Program,
  codes: ReadonlyArray<number>,
  steps: Steps,
  onEnd: (at: number) => boolean
) => {
  const { isAnchored, isBackward, looks, reached, states } = program
  const seen = looks.map((look) => places(look, codes, steps))
  if (program.turn > mostTurns) {
    reached.fill(0)
    program.turn = 0
  }
  const waiting: Array<number> = []
  let now: Array<number> = []
  let next: Array<number> = []
  let at = isBackward ? codes.length : 0
  let work = 0

  /** Goes on from a state to all that take a character, and says whether the end is among them. */
  const follow = (from: number, into: Array<number>): boolean => {
    const { turn } = program
    let isEnd = false
    for (let index: number | undefined = from; index !== undefined; index = waiting.pop()) {
      work++
      if (reached[index] === turn) continue
      reached[index] = turn
      // There is a state wherever one leads.
      const state = states[index] as State
      switch (state.type) {
        case "atom":
          into.push(index)
          break
        case "fork":
          waiting.push(state.or, state.to)
          break
        case "edge":
          if (isAt(state.edge, codes, at)) waiting.push(index + 1)
          break
        case "look":
          if ((seen[state.look]?.[at] === 1) !== state.isNegated) waiting.push(index + 1)
          break
        case "end":
          isEnd = true
      }
    }
    return isEnd
  }

  program.turn++
  let isEnd = follow(0, now)
  for (let left = codes.length;; left--) {
    steps.spend(work)
    work = 0
    if (isEnd && onEnd(at)) return
    if (left === 0 || (isAnchored && now.length === 0)) return
    const code = codes[isBackward ? at - 1 : at] ?? 0
    at += isBackward ? -1 : 1
    program.turn++
    isEnd = false
    for (const index of now) {
      const state = states[index]
      if (state?.type === "atom" && state.takes(code)) isEnd = follow(index + 1, next) || isEnd
    }
    // The runtime has to be asked about what is not ASCII.
    work += 1 + now.length * (code < 128 ? 1 : 4)
    if (!isAnchored) isEnd = follow(0, next) || isEnd
    const empty = now
    empty.length = 0
    now = next
    next = empty
  }
}

/** Far from where a turn is no 32-bit integer any more; no text has as many characters. */
const mostTurns = 2 ** 30

const isAt = (edge: Edge, codes: ReadonlyArray<number>, at: number): boolean => {
  switch (edge) {
    case "^":
      return at === 0
    case "$":
      return at === codes.length
    case "\\b":
      return isWord(codes[at - 1]) !== isWord(codes[at])
    case "\\B":
      return isWord(codes[at - 1]) === isWord(codes[at])
  }
}

/** @internal */
export const isWord = (code: number | undefined): boolean =>
  code !== undefined && code < 128 && /\w/.test(String.fromCharCode(code))
