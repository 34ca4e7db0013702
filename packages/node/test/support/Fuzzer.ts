/**
 * Texts that reach ever more of the code, as fuzzers make them: a text that runs a block which none before has run is
 * kept, and changed further. V8 counts the blocks.
 */
import { Session } from "node:inspector/promises"

export interface Target {
  /** Texts to begin with. */
  readonly seeds: ReadonlyArray<string>
  /** What a text may hold, as a fuzzer would hardly find it. */
  readonly words: ReadonlyArray<string>
  /** Parts of the paths of the sources whose blocks count. */
  readonly sources: ReadonlyArray<string>
  /** Throws where the code does wrong. `below` gives a number for choices that belong to the text. */
  readonly check: (text: string, below: (end: number) => number) => void
}

export interface Outcome {
  readonly texts: number
  readonly kept: number
  readonly blocks: number
  /** The text that failed, and why. */
  readonly failure: { readonly text: string; readonly error: unknown } | undefined
}

/** Texts that are tried before the blocks are looked at, which takes as long as many of them. */
const round = 256

const longest = 400

/** Tries texts for so many milliseconds, or until one fails. */
export const fuzz = async (target: Target, milliseconds: number, seed: number): Promise<Outcome> => {
  const below = numbers(seed)
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  const seen = new Set<string>()
  const kept = [...target.seeds]
  let texts = 0
  let failure: Outcome["failure"]

  const run = (text: string): void => {
    texts++
    try {
      target.check(text, numbers(hash(text)))
    } catch (error) {
      failure ??= { text, error }
    }
  }

  /** The blocks that have run since this was asked last, and never before. */
  const fresh = async (): Promise<ReadonlyArray<string>> => {
    const { result } = await session.post("Profiler.takePreciseCoverage")
    return result
      .filter(({ url }) => target.sources.some((source) => url.includes(source)))
      .flatMap(({ functions, url }) =>
        functions.flatMap(({ ranges }) =>
          ranges.flatMap(({ count, endOffset, startOffset }) => {
            const block = `${url}:${startOffset}-${endOffset}`
            return count === 0 || seen.has(block) ? [] : [block]
          })
        )
      )
  }

  try {
    for (const text of target.seeds) run(text)
    for (const block of await fresh()) seen.add(block)
    const end = performance.now() + milliseconds
    while (failure === undefined && performance.now() < end) {
      const tried = Array.from({ length: round }, () => changed(kept, target.words, below))
      for (const text of tried) run(text)
      if ((await fresh()).length === 0) continue
      // One of these texts reached something: each is run again by itself to tell which.
      for (const text of tried) {
        run(text)
        const blocks = await fresh()
        if (blocks.length === 0) continue
        for (const block of blocks) seen.add(block)
        kept.push(text)
      }
    }
    return { texts, kept: kept.length, blocks: seen.size, failure }
  } finally {
    session.disconnect()
  }
}

/** One of the texts that were kept, with a few changes. */
const changed = (
  kept: ReadonlyArray<string>,
  words: ReadonlyArray<string>,
  below: (end: number) => number
): string => {
  const oneOf = (all: ReadonlyArray<string>): string => all[below(all.length)] ?? ""
  let text = oneOf(kept)
  for (let changes = 1 + below(6); changes > 0; changes--) {
    const start = below(text.length + 1)
    const end = start + below(Math.min(24, text.length - start) + 1)
    const part = text.slice(start, end)
    const other = oneOf(kept)
    const from = below(other.length + 1)
    const instead = [
      "",
      oneOf(words),
      part + oneOf(words),
      part + part,
      part.repeat(below(20)),
      other.slice(from, from + below(40)),
      String.fromCharCode(below(below(2) === 0 ? 128 : 65_536))
    ][below(7)] ?? ""
    text = text.slice(0, start) + instead + text.slice(end)
  }
  return text.slice(0, longest)
}

/** Whole numbers below an end, the same for the same seed (xorshift). */
const numbers = (seed: number) => {
  let state = seed | 1
  return (end: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % Math.max(1, end)
  }
}

const hash = (text: string): number => {
  let hash = 17
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return hash
}
