/**
 * Members in the order they came, any of which may leave: a list that is linked
 * through its members.
 *
 * It is for what comes and goes with each call or request. A `Set` takes a new table again and again there, and the old
 * table refers to the new one: once one of them has grown old, all later tables outlive each minor garbage collection,
 * with the members that were in them.
 *
 * ```ts run
 * import { Roster } from "@parley/transport/shared"
 *
 * class Guest implements Roster.Linked<Guest> {
 *   earlier: Guest | undefined = undefined
 *   later: Guest | undefined = undefined
 *   readonly name: string
 *   constructor(name: string) {
 *     this.name = name
 *   }
 * }
 *
 * const guests = new Roster.Roster<Guest>()
 * const [ada, bob] = [new Guest("Ada"), new Guest("Bob")]
 * guests.add(ada)
 * guests.add(bob)
 * guests.delete(ada)
 * console.log(guests.all().map(({ name }) => name)) // => [ 'Bob' ]
 * ```
 *
 * @since 0.1.0
 */

/** The neighbours of a member. The roster owns them. @category models @since 0.1.0 */
export interface Linked<Member> {
  /** The member that came before. */
  earlier: Member | undefined
  /** The member that came after. */
  later: Member | undefined
}

/** Members, the oldest first. @category models @since 0.1.0 */
export class Roster<Member extends Linked<Member>> {
  /** How many there are. */
  size = 0
  /** The oldest. */
  first: Member | undefined = undefined
  #last: Member | undefined = undefined

  /** Adds one that is in no roster. */
  add(member: Member): void {
    const last = this.#last
    this.size++
    this.#last = member
    member.earlier = last
    if (last === undefined) this.first = member
    else last.later = member
  }

  /** Takes out a member of this roster. */
  delete(member: Member): void {
    const { later, earlier } = member
    this.size--
    if (earlier === undefined) this.first = later
    else earlier.later = later
    if (later === undefined) this.#last = earlier
    else later.earlier = earlier
    member.earlier = undefined
    member.later = undefined
  }

  /** All of them, as they are now. */
  all(): Array<Member> {
    const members: Array<Member> = []
    for (let next = this.first; next !== undefined; next = next.later) members.push(next)
    return members
  }
}
