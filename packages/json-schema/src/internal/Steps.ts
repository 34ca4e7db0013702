/**
 * The work that one check may take, in elementary steps: a keyword that is looked at, a member, an item, a state of a
 * pattern at a character, a few characters that are compared. Everything that repeats itself spends them before it
 * begins, so that a check ends after a bounded time, whatever schema and value are.
 */

/**
 * Ends a check that can give no answer. Only `SchemaCheck` and `decided` catch it: inside `not` an issue would let the value
 * pass.
 */
export class Undecided {
  readonly rule: string

  constructor(rule: string) {
    this.rule = rule
  }
}

/** What a run gives; `undefined` where that takes too many steps. */
export const decided = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof Undecided) return undefined
    throw error
  }
}

/** Steps of one check: about a tenth of a second. */
export const mostSteps = 4_000_000

/**
 * The steps that one check may take, or several together.
 *
 * @category models
 * @since 0.1.0
 */
export class Steps {
  readonly #most: number
  #left: number

  constructor(most = mostSteps) {
    this.#most = most
    this.#left = most
  }

  /** Throws `Undecided` where fewer are left. */
  spend(count: number) {
    this.#left -= count
    if (this.#left < 0) throw new Undecided(`it takes more than ${this.#most} steps to check`)
  }

  /** Spends for characters that the runtime compares, copies or counts: many of them are one step. */
  spendFor(text: string) {
    this.spend(1 + text.length / charactersPerStep)
  }

  /** How many are left. */
  get left(): number {
    return this.#left
  }
}

const charactersPerStep = 8
