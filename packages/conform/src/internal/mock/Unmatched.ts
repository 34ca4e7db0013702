/** The texts that a mock could not find in its recording. */
import { type Difference, linesOf } from "../recording/difference.ts"
import type { Match } from "./Play.ts"

/** A text that was not found as it is. @category models @since 0.1.0 */
export interface Unmatched {
  /** Which connection or session asked, from 1. */
  readonly connection: number
  readonly text: string
  /** Whether it was answered as the recorded text that has its methods. */
  readonly isAnswered: boolean
  /** The nearest recorded text, and what differs. */
  readonly nearest: { readonly text: string; readonly differences: ReadonlyArray<Difference> } | undefined
}

/** How many are kept, and how many characters of them. A client that asks without an end fills no memory. */
const most = 1_000
const mostCharacters = 8 * 1024 * 1024

/** Texts that were not found, and how many there were. */
export class UnmatchedTexts {
  readonly #texts: Array<Unmatched> = []
  #count = 0
  #characters = 0

  /** Keeps a text that was not found. */
  add(connection: number, text: string, { kind, nearest }: Match): void {
    if (kind === "same") return
    this.#count++
    if (this.#texts.length === most || this.#characters + text.length > mostCharacters) return
    this.#characters += text.length
    this.#texts.push({ connection, text, isAnswered: kind === "near", nearest })
  }

  get texts(): ReadonlyArray<Unmatched> {
    return [...this.#texts]
  }

  /** How many there were, kept or not. */
  get count(): number {
    return this.#count
  }
}

/** The differences as lines. @category accessors @since 0.1.0 */
export const differencesOf = ({ nearest }: Unmatched): ReadonlyArray<string> =>
  nearest === undefined ? [] : linesOf(nearest.differences)
