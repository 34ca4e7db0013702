/**
 * The messages that a server has to send in a conversation, and those of them that have come. It tells the texts of the
 * client with the values of now, and what differs.
 */
import { Bindings, idSourcesOf } from "../recording/Bindings.ts"
import { bodyOf, type Catalog } from "../recording/Catalog.ts"
import { type Difference, differences } from "../recording/difference.ts"
import * as Message from "../recording/Message.ts"

/** A message that has come. */
interface Came {
  readonly member: Message.Message
  readonly time: number
}

/** A message or a status that was recorded, and what came of it. */
export interface Expected {
  readonly index: number
  readonly kind: "response" | "request" | "notification" | "status"
  /** The method of the message, or of the request that it answers. */
  readonly method: string
  /** The recorded message; a status has none. */
  readonly member: Message.Message | undefined
  readonly status: number | undefined
  readonly exchange: number | undefined
  readonly time: number
  /** Whether it need not come. It is waited for all the same, since the client may have done so. */
  readonly isFree: boolean
  came: Came | number | undefined
  differences: ReadonlyArray<Difference>
  /** Whether nobody waits for it any more. */
  isGivenUp: boolean
}

export class Ledger {
  readonly #catalog: Catalog
  readonly #ignore: ReadonlyArray<string>
  readonly #bindings = new Bindings()
  readonly #expected: Array<Expected> = []
  /** Notifications that are like none exactly: they may be changed ones, which is told at the end. */
  #loose: Array<Came> = []
  readonly #additional: Array<Came> = []
  /** The ids of now of requests of the server, by the places of the recorded ones. */
  readonly #asked = new Map<number, string>()
  /** Requests of the server that nobody was waiting for, as their ids are written. */
  #unknown: Array<string> = []
  readonly #sent = new Set<number>()
  /** The methods of requests of the client that were sent, by their ids. */
  readonly #called = new Map<string, string>()

  constructor(catalog: Catalog, ignore: ReadonlyArray<string>) {
    this.#catalog = catalog
    this.#ignore = ignore
    for (const [index, step] of catalog.steps.entries()) {
      const common = {
        index,
        exchange: step.exchange,
        time: step.time,
        came: undefined,
        differences: [],
        isGivenUp: false
      }
      if (step._tag === "ServerHead") {
        const { status } = step
        this.#expected.push({ ...common, kind: "status", method: "", member: undefined, status, isFree: false })
      }
      if (step._tag !== "ServerText") continue
      const answers = [...catalog.methods.get(index) ?? []]
      for (const member of step.members) {
        const { kind } = member
        if (kind === "none") continue
        const method = member.method ?? (kind === "response" ? answers.shift() : undefined) ?? ""
        const isFree = kind === "notification" && ignore.includes(method)
        this.#expected.push({ ...common, kind, method, member, status: undefined, isFree })
      }
    }
  }

  get expected(): ReadonlyArray<Expected> {
    return this.#expected
  }

  /** The messages that came and were not recorded. */
  get additional(): ReadonlyArray<Came> {
    return this.#additional
  }

  /** Whether more has come that was not recorded than a report can use. */
  get isFlooded(): boolean {
    return this.#additional.length + this.#loose.length > this.#expected.length + mostAdditional
  }

  /** Gives up the messages that a text of the client was to bring, because it has brought nothing. */
  giveUp(index: number): void {
    for (const one of this.#expected) if (this.#catalog.needs[one.index]?.includes(index) === true) one.isGivenUp = true
  }

  /** The text of the client at a place, with the values of now; nothing where it answers what was not asked. */
  textAt(index: number): string | undefined {
    this.#sent.add(index)
    const { members, text } = this.#catalog.textAt(index)
    for (const { id, kind, method } of members) {
      if (kind === "request" && id !== undefined) this.#called.set(id, method ?? "")
    }
    const requests = this.#requestsAnsweredBy(index)
    if (members.length > 0 && members.every(({ kind }) => kind === "response") && requests.length > 0) {
      const ids = requests.map((request) => this.#asked.get(request))
      if (ids.some((id) => id === undefined)) return undefined
      let at = 0
      return this.#bindings.text(text, () => ids[at++])
    }
    return this.#bindings.text(text)
  }

  /** The ids of requests of the server that the recording does not have, since this was asked last. */
  takeUnknown(): ReadonlyArray<string> {
    const unknown = this.#unknown
    this.#unknown = []
    return unknown
  }

  /** Takes a text of the server. */
  receive(text: string, now: number): void {
    const members = Message.membersOf(text)
    const sources = idSourcesOf(text)
    if (members.length === 0) {
      this.#additional.push({ member: { kind: "none", id: undefined, method: undefined, json: text }, time: now })
    }
    let at = 0
    for (const member of members) {
      const source = member.id === undefined ? undefined : sources[at++]
      this.#take({ member, time: now }, source)
    }
  }

  /** Takes the status of an answer over HTTP. */
  status(exchange: number | undefined, status: number): void {
    const expected = this.#expected.find((one) =>
      one.kind === "status" && one.exchange === exchange && one.came === undefined
    )
    if (expected === undefined) return
    expected.came = status
    if (status !== expected.status) {
      expected.differences = [{ pointer: "", recorded: expected.status, came: status }]
    }
  }

  /** The recorded messages that are waited for before a place; without notifications, or with them. */
  missingBefore(index: number, withNotifications: boolean): ReadonlyArray<Expected> {
    const loose = new Map<string, number>()
    for (const { member } of this.#loose) loose.set(member.method ?? "", (loose.get(member.method ?? "") ?? 0) + 1)
    return this.#expected.filter((one) => {
      if (one.index >= index || one.came !== undefined || one.isGivenUp) return false
      if (one.kind !== "notification") return true
      const count = loose.get(one.method) ?? 0
      if (count > 0) loose.set(one.method, count - 1)
      return withNotifications && count === 0
    })
  }

  /** Puts together what is left: a notification that is like no other may be a changed one. */
  close(): void {
    for (const came of this.#loose) {
      const nearest = this.#nearest("notification", came)
      if (nearest === undefined) this.#additional.push(came)
      else this.#settle(nearest.expected, came, nearest.differences)
    }
    this.#loose = []
  }

  #take(came: Came, source: string | undefined): void {
    const { member } = came
    if (member.kind === "response") {
      const expected = this.#expected.find((one) =>
        one.kind === "response" && one.came === undefined && one.member?.id === member.id && this.#isAsked(one)
      )
      if (expected !== undefined) return this.#settle(expected, came, this.#differences(expected, came))
      const method = member.id === undefined ? undefined : this.#called.get(member.id)
      this.#additional.push({ ...came, member: { ...member, method } })
      return
    }
    if (member.kind === "none") return void this.#additional.push(came)
    if (member.kind === "notification" && this.#ignore.includes(member.method ?? "")) {
      const expected = this.#nearest("notification", came)?.expected
      return expected === undefined ? undefined : this.#settle(expected, came, [])
    }
    const nearest = this.#nearest(member.kind, came)
    if (member.kind === "notification") {
      if (nearest?.differences.length === 0) this.#settle(nearest.expected, came, [])
      else this.#loose.push(came)
      return
    }
    if (nearest === undefined) {
      this.#additional.push(came)
      if (source !== undefined) this.#unknown.push(source)
      return
    }
    this.#settle(nearest.expected, came, nearest.differences)
    if (source !== undefined) this.#asked.set(nearest.expected.index, source)
  }

  /** Whether its request was sent, where it is known. */
  #isAsked({ index }: Expected): boolean {
    const texts = (this.#catalog.needs[index] ?? []).filter((need) => this.#catalog.steps[need]?._tag === "ClientText")
    return texts.length === 0 || texts.some((need) => this.#sent.has(need))
  }

  #requestsAnsweredBy(index: number): ReadonlyArray<number> {
    return [...this.#catalog.answers].flatMap(([request, answer]) => answer === index ? [request] : [])
  }

  #settle(expected: Expected, came: Came, found: ReadonlyArray<Difference>): void {
    expected.came = came
    expected.differences = found
    this.#differences(expected, came, true)
  }

  #nearest(kind: Expected["kind"], came: Came) {
    let nearest: { readonly expected: Expected; readonly differences: ReadonlyArray<Difference> } | undefined
    for (const expected of this.#expected) {
      if (expected.kind !== kind || expected.came !== undefined || expected.method !== came.member.method) continue
      const found = this.#differences(expected, came)
      if (nearest === undefined || found.length < nearest.differences.length) nearest = { expected, differences: found }
      if (found.length === 0) break
    }
    return nearest
  }

  #differences({ member, method, time }: Expected, came: Came, isBinding = false): ReadonlyArray<Difference> {
    if (member === undefined || this.#ignore.includes(method)) return []
    const rules = {
      ignore: this.#ignore,
      recordedAt: time,
      cameAt: came.time,
      isBound: this.#bindings.isBound
    }
    return differences(bodyOf(member), bodyOf(came.member), rules, isBinding ? this.#bindings.bind : undefined)
  }
}

/** Messages beyond those that were recorded. */
const mostAdditional = 1_000
