/** Numbers that look random, and are the same for the same seed. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A whole number from 0 to before this one. */
  below(n: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(this.#state / 2 ** 32 * n)
  }
}
