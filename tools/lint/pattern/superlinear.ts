import { type Chars, type Item, parse, type Sequence } from "./parse.ts"

/**
 * Why a pattern may take more than linear time, or `undefined`.
 *
 * A backtracking engine tries a pattern at every place of the text, and every way to share a text among its loops. What
 * is found is sometimes harmless, because a pattern cannot fail behind its loop, for example. What is not found here is
 * linear in the length of the text, but for patterns with look-around and back references.
 */
export const superlinear = (pattern: string, flags: string): string | undefined =>
  anywhere(parse(pattern, flags), flags.includes("y"))

const anywhere = (ways: ReadonlyArray<Sequence>, isSticky: boolean): string | undefined => {
  for (const way of ways) {
    const found = (isSticky || way[0]?.isStart === true ? undefined : fromEveryPlace(way)) ?? shared(way) ?? inside(way)
    if (found !== undefined) return found
  }
  return undefined
}

/** A loop that fails behind itself is tried again from each place that it has passed. */
const fromEveryPlace = (way: Sequence): string | undefined => {
  const at = way.findIndex(isLoop)
  if (at < 0 || !mayFail(way, at)) return undefined
  const loop = way[at]!
  // The first character that must stand before the loop, and cannot stand within it, is no place to begin again.
  const isApart = way.slice(0, at).some(({ chars, isAssertion, min, notBehind }) =>
    isAssertion
      ? notBehind !== undefined && [...loop.chars].every((code) => notBehind.has(code))
      : min > 0 && !meet(chars, loop.chars)
  )
  return isApart
    ? undefined
    : "a loop that may fail behind itself is tried from every place of the text"
}

/** Two loops may share a text in as many ways as it has places. */
const shared = (way: Sequence): string | undefined => {
  for (const [at, loop] of way.entries()) {
    if (!isLoop(loop)) continue
    for (const [next, other] of way.slice(at + 1).entries()) {
      if (isLoop(other) && meet(loop.chars, firstOf([other])) && mayFail(way, at + 1 + next)) {
        return "two loops may share the same characters"
      }
      if (other.min > 0 && !other.isAssertion && !meet(other.chars, loop.chars)) break
    }
  }
  return undefined
}

/** A loop within a loop, or alternatives that begin alike within one. */
const inside = (way: Sequence): string | undefined => {
  for (const item of way) {
    if (item.body.length === 0) continue
    if (isLoop(item)) {
      const firsts = item.body.map(firstOf)
      if (firsts.some((one, index) => firsts.slice(index + 1).some((other) => meet(one, other)))) {
        return "alternatives of a loop begin with the same characters"
      }
      for (const body of item.body) {
        for (const [at, loop] of body.entries()) {
          const rest = [...body.slice(at + 1), ...body.slice(0, at)]
          const isApart = rest.some((one) => one.min > 0 && !one.isAssertion && !meet(one.chars, loop.chars))
          if (isLoop(loop) && !isApart) return "a loop is repeated by a loop"
        }
      }
    }
    const found = anywhere(item.body, true)
    if (found !== undefined) return found
  }
  return undefined
}

const isLoop = (item: Item): boolean => item.max === Infinity

/** Whether something behind this place of a way has to match. */
const mayFail = (way: Sequence, at: number): boolean => way.slice(at + 1).some((item) => item.min > 0)

const meet = (one: Chars, other: Chars): boolean => [...one].some((code) => other.has(code))

/** What a way may begin with. */
const firstOf = (way: Sequence): Chars => {
  const found = new Set<number>()
  for (const item of way) {
    for (const first of item.body.length === 0 ? [item.chars] : item.body.map(firstOf)) {
      for (const code of first) found.add(code)
    }
    if (item.min > 0 && !item.isAssertion) break
  }
  return found
}
