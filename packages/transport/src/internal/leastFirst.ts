/**
 * Those who wait for room, of which the one that needs the least comes first; of those who need the same, the one that
 * came first. Whoever comes or leaves takes a time that grows with the logarithm of their number.
 *
 * It is a heap: none needs less than the one at half its place.
 */

/** The state of a member that waits. The heap owns its place. */
export interface Waiting {
  /** The room it needs. To be changed by `LeastFirst` alone while it waits. */
  need: number
  since: number
  /** `absent` where it does not wait. */
  place: number
}

export const absent = -1

export class LeastFirst<Member extends Waiting> {
  readonly #members: Array<Member> = []
  #last = 0

  get first(): Member | undefined {
    return this.#members[0]
  }

  /** Has a member wait for so much room. One that waits already waits for the less of both. */
  add(member: Member, need: number): void {
    if (member.place === absent) {
      member.since = ++this.#last
      member.place = this.#members.push(member) - 1
    } else if (need >= member.need) return
    member.need = need
    this.#rise(member)
  }

  /** Takes one out, if it waits. */
  delete(member: Member): void {
    if (member.place === absent) return
    const last = this.#members.pop()
    if (last !== undefined && last !== member) {
      this.#put(last, member.place)
      this.#rise(last)
      this.#sink(last)
    }
    member.place = absent
  }

  #put(member: Member, place: number): void {
    this.#members[place] = member
    member.place = place
  }

  #rise(member: Member): void {
    while (member.place > 0) {
      const { place } = member
      const above = this.#members[(place - 1) >> 1]
      if (above === undefined || isBefore(above, member)) return
      this.#put(member, above.place)
      this.#put(above, place)
    }
  }

  #sink(member: Member): void {
    while (true) {
      const { place } = member
      const [left, right] = [this.#members[2 * place + 1], this.#members[2 * place + 2]]
      const below = right !== undefined && left !== undefined && isBefore(right, left) ? right : left
      if (below === undefined || isBefore(member, below)) return
      this.#put(member, below.place)
      this.#put(below, place)
    }
  }
}

const isBefore = (a: Waiting, b: Waiting): boolean => a.need < b.need || (a.need === b.need && a.since < b.since)
