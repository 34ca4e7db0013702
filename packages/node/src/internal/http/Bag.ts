/**
 * Members in no order, any of which may leave: the last one takes its place.
 *
 * It is for what comes and goes with each request, where a `Set` would take a new table again and again. Its own table
 * never shrinks for the same reason: once a table that was given up has grown old, what was in it outlives each minor
 * garbage collection, with all that it refers to.
 */
export class Bag<Member extends { place: number }> {
  /** Behind the members there are empty places. */
  readonly #members: Array<Member | undefined> = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds one that is in no bag. */
  add(member: Member): void {
    member.place = this.#size
    this.#members[this.#size++] = member
  }

  /** Takes a member out, and gives whether it was in here. */
  delete(member: Member): boolean {
    const { place } = member
    if (this.#members[place] !== member) return false
    const last = this.#members[--this.#size]
    this.#members[this.#size] = undefined
    if (last !== undefined && last !== member) {
      last.place = place
      this.#members[place] = last
    }
    return true
  }

  all(): ReadonlyArray<Member> {
    return this.#members.filter((member) => member !== undefined)
  }
}
