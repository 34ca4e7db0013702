/**
 * Members in no order, any of which may leave: the last one takes its place.
 *
 * It is for what comes and goes with each request, as the `Roster` of a peer is: a `Set` would take a new table again
 * and again there.
 */
export class Bag<Member extends { place: number }> {
  readonly #members: Array<Member> = []

  get size(): number {
    return this.#members.length
  }

  /** Adds one that is in no bag. */
  add(member: Member): void {
    member.place = this.#members.length
    this.#members.push(member)
  }

  /** Takes a member out, and gives whether it was in here. */
  delete(member: Member): boolean {
    const { place } = member
    if (this.#members[place] !== member) return false
    const last = this.#members.pop()
    if (last !== undefined && last !== member) {
      last.place = place
      this.#members[place] = last
    }
    return true
  }

  all(): ReadonlyArray<Member> {
    return [...this.#members]
  }
}
