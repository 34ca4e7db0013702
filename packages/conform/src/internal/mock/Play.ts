/**
 * One conversation with a client of now, in place of a recorded server: without I/O and without time. What the server did
 * is sent when the client has done what was before it in the recording, in the order of that. What its own causes allow
 * and the order does not is held, and is sent when an alarm says that the client does nothing more.
 */
import { Bindings, idSourcesOf } from "../recording/Bindings.ts"
import { type Candidate, type Catalog, differencesOf, isAnswer } from "../recording/Catalog.ts"
import { Catalog as CatalogOf } from "../recording/Catalog.ts"
import type { Difference } from "../recording/difference.ts"
import * as Message from "../recording/Message.ts"
import { isOfClient, type ServerStep } from "../recording/Script.ts"

/** Something that the mock sends. */
export interface Emission<X> {
  readonly step: ServerStep
  /** Its text with the values of now; that of an event, too. */
  readonly text: string | undefined
  /** The exchange of now that it belongs to, over HTTP. */
  readonly exchange: X | undefined
  /** The methods whose requests it answers. */
  readonly answers: ReadonlyArray<string>
  /** Milliseconds between the step before it and this one, as they were recorded. */
  readonly pause: number
}

/** How a text of the client was found. */
export interface Match {
  /** `same`: with all values, or with those that may differ. `near`: by the methods alone. */
  readonly kind: "same" | "near" | "none"
  /** The nearest recorded text, and what differs. */
  readonly nearest: { readonly text: string; readonly differences: ReadonlyArray<Difference> } | undefined
}

/** The outcome of a text of the client. */
export interface Outcome<X> {
  readonly match: Match
  readonly emissions: ReadonlyArray<Emission<X>>
}

/** The parts that all conversations of a mock share. */
export interface Options {
  /** Places of params that may differ. */
  readonly ignore: ReadonlyArray<string>
  /** The conversations of the recording, where a text is looked for that this one does not have. */
  readonly others: ReadonlyArray<Catalog>
}

/** Texts that were asked again and wait for answers of the client. Beyond that, the oldest is forgotten. */
const mostAgain = 100

const found: Match = { kind: "same", nearest: undefined }

/** The match with a text of the same methods. */
const matchOf = (catalog: Catalog, { differences, index }: Candidate): Match =>
  differences.length === 0
    ? found
    : { kind: "near", nearest: { text: catalog.textAt(index).text, differences } }

export class Play<X> {
  readonly #catalog: Catalog
  readonly #options: Options
  readonly #bindings = new Bindings()
  readonly #matched = new Set<number>()
  /** How many of its causes each step of the server waits for. */
  readonly #unmet: Array<number> = []
  readonly #dependents = new Map<number, Array<number>>()
  /** Steps whose causes are met, and that were not sent. */
  readonly #open = new Set<number>()
  /** Requests of ours that wait for the client's answer, by the keys of their ids. */
  readonly #asked = new Map<string, number>()
  readonly #exchanges = new Map<number, X>()
  /** How many steps of each recorded exchange were not sent. */
  readonly #rest = new Map<number, number>()
  /** Texts that were asked again. */
  readonly #again = new Set<Play<X>>()
  /** The end of the ids of our requests, where the recorded ones are taken. */
  readonly #suffix: string
  #left = 0
  #front = -1
  #count = 0

  constructor(catalog: Catalog, options: Options, suffix = "") {
    this.#catalog = catalog
    this.#options = options
    this.#suffix = suffix
    /** The step before of each exchange: its answer keeps its order. */
    const before = new Map<number, number>()
    for (const [index, step] of catalog.steps.entries()) {
      if (isOfClient(step)) continue
      this.#left++
      const needs = [...catalog.needs[index] ?? []]
      const previous = step.exchange === undefined ? undefined : before.get(step.exchange)
      if (previous !== undefined) needs.push(previous)
      if (step.exchange !== undefined) {
        before.set(step.exchange, index)
        this.#rest.set(step.exchange, (this.#rest.get(step.exchange) ?? 0) + 1)
      }
      this.#unmet[index] = needs.length
      if (needs.length === 0) this.#open.add(index)
      for (const need of needs) this.#dependents.set(need, [...this.#dependents.get(need) ?? [], index])
    }
  }

  /** Whether something waits only for its turn. */
  get isHeld(): boolean {
    return this.#open.size > 0 || [...this.#again].some(({ isHeld }) => isHeld)
  }

  /** Whether something is still to be sent in an exchange of now. */
  expects(exchange: X): boolean {
    for (const [recorded, own] of this.#exchanges) {
      if (own === exchange && (this.#rest.get(recorded) ?? 0) > 0) return true
    }
    return [...this.#again].some((play) => play.expects(exchange))
  }

  /** The messages of the server before any of the client. */
  start(): ReadonlyArray<Emission<X>> {
    return this.#pump()
  }

  /** The outcome of a text. Over HTTP, it was posted in an exchange. */
  receive(text: string, now: number, exchange?: X): Outcome<X> {
    const members = Message.membersOf(text)
    if (isAnswer(members)) return this.#answered(text, members, now, exchange)
    const comparing = { ignore: this.#options.ignore, now, bindings: this.#bindings }
    const same = this.#catalog.same(members, text)
    const index = same.find((at) => !this.#matched.has(at)) ?? same.at(-1)
    if (index !== undefined) return this.#matches(index, text, members, now, exchange, found)
    const alike = this.#catalog.alike(members, comparing)
    const exact = alike.filter(({ differences }) => differences.length === 0)
    const chosen = exact.find(({ index }) => !this.#matched.has(index)) ?? exact.at(-1)
    if (chosen !== undefined) return this.#matches(chosen.index, text, members, now, exchange, found)
    const elsewhere = this.#elsewhere(text, members, now, exchange)
    if (elsewhere !== undefined) return elsewhere
    const near = this.#nearest(alike)
    if (near === undefined) return this.#nearElsewhere(text, members, now, exchange)
    return this.#matches(near.index, text, members, now, exchange, matchOf(this.#catalog, near))
  }

  /** The outcome of a request of HTTP without a text. `undefined` where there was none like it. */
  request(method: string, exchange: X): Outcome<X> | undefined {
    const { steps } = this.#catalog
    const all = steps.flatMap((step, at) => step._tag === "ClientHttp" && step.method === method ? [at] : [])
    const index = all.find((at) => !this.#matched.has(at))
    if (index === undefined) return undefined
    this.#begin(index, exchange)
    return { match: found, emissions: this.#met(index) }
  }

  /** The messages that were held. */
  alarm(): ReadonlyArray<Emission<X>> {
    const again = [...this.#again].flatMap((play) => play.alarm())
    return [...again, ...this.#pump(true)]
  }

  /** The one with the fewest differences; of several, the first that was not asked yet. */
  #nearest(alike: ReadonlyArray<Candidate>): Candidate | undefined {
    const fewest = Math.min(...alike.map(({ differences }) => differences.length))
    const nearest = alike.filter(({ differences }) => differences.length === fewest)
    return nearest.find(({ index }) => !this.#matched.has(index)) ?? nearest.at(-1)
  }

  #elsewhere(
    text: string,
    members: ReadonlyArray<Message.Message>,
    now: number,
    exchange: X | undefined
  ): Outcome<X> | undefined {
    for (const other of this.#options.others) {
      if (other === this.#catalog) continue
      const index = other.same(members, text).at(-1)
      if (index !== undefined) return this.#playAgain(other, index, text, now, exchange, found)
    }
    return undefined
  }

  /** The most similar text of the other conversations, where this one has none of its methods. */
  #nearElsewhere(
    text: string,
    members: ReadonlyArray<Message.Message>,
    now: number,
    exchange: X | undefined
  ): Outcome<X> {
    const comparing = { ignore: this.#options.ignore, now, bindings: this.#bindings }
    const all = this.#options.others.flatMap((catalog) => {
      if (catalog === this.#catalog) return []
      return catalog.alike(members, comparing).map((candidate) => ({ catalog, candidate }))
    })
    const fewest = Math.min(...all.map(({ candidate }) => candidate.differences.length))
    const near = all.findLast(({ candidate }) => candidate.differences.length === fewest)
    if (near === undefined) return { match: { kind: "none", nearest: undefined }, emissions: [] }
    const { candidate, catalog } = near
    return this.#playAgain(catalog, candidate.index, text, now, exchange, matchOf(catalog, candidate))
  }

  #matches(
    index: number,
    text: string,
    members: ReadonlyArray<Message.Message>,
    now: number,
    exchange: X | undefined,
    match: Match
  ): Outcome<X> {
    if (this.#matched.has(index)) return this.#playAgain(this.#catalog, index, text, now, exchange, match)
    const recorded = this.#catalog.textAt(index)
    const comparing = { ignore: this.#options.ignore, now, bindings: this.#bindings }
    differencesOf(recorded, members, comparing, this.#bindings.bind)
    const sources = idSourcesOf(text)
    const ids = recorded.members.flatMap(({ id }) => id === undefined ? [] : [id])
    for (const [at, id] of ids.entries()) this.#bindings.request(id, sources[at] ?? id)
    this.#begin(index, exchange)
    return { match, emissions: this.#met(index) }
  }

  /** A text that was asked before is answered as it was then, beside what goes on. */
  #playAgain(
    catalog: Catalog,
    index: number,
    text: string,
    now: number,
    exchange: X | undefined,
    match: Match
  ): Outcome<X> {
    const segment = new CatalogOf(catalog.segmentOf(index))
    const play = new Play<X>(segment, { ...this.#options, others: [] }, `${this.#suffix}-${++this.#count}`)
    const { emissions } = play.receive(text, now, exchange)
    if (play.#left > 0) this.#again.add(play)
    const [oldest] = this.#again
    if (this.#again.size > mostAgain && oldest !== undefined) this.#again.delete(oldest)
    return { match, emissions }
  }

  /** An answer to a request of ours: it is in its place, whatever it says. */
  #answered(
    text: string,
    members: ReadonlyArray<Message.Message>,
    now: number,
    exchange: X | undefined
  ): Outcome<X> {
    for (const play of [...this.#again]) {
      if (!members.some(({ id }) => id !== undefined && play.#asked.has(id))) continue
      const outcome = play.#answered(text, members, now, exchange)
      if (play.#left === 0) this.#again.delete(play)
      return outcome
    }
    const emissions: Array<Emission<X>> = []
    let match: Match = { kind: "none", nearest: undefined }
    for (const [at, member] of members.entries()) {
      const request = member.id === undefined ? undefined : this.#asked.get(member.id)
      if (request === undefined || member.id === undefined) continue
      this.#asked.delete(member.id)
      const index = this.#catalog.answers.get(request)
      if (index === undefined) {
        match = found
        continue
      }
      const recorded = this.#catalog.textAt(index)
      const comparing = { ignore: this.#options.ignore, now, bindings: this.#bindings }
      const differences = differencesOf(recorded, members.slice(at), comparing, this.#bindings.bind)
      match = differences.length === 0 ? found : { kind: "near", nearest: { text: recorded.text, differences } }
      if (this.#matched.has(index)) continue
      this.#begin(index, exchange)
      emissions.push(...this.#met(index))
    }
    return { match, emissions }
  }

  #begin(index: number, exchange: X | undefined): void {
    this.#matched.add(index)
    this.#front = Math.max(this.#front, index)
    const recorded = this.#catalog.steps[index]?.exchange
    if (recorded !== undefined && exchange !== undefined) this.#exchanges.set(recorded, exchange)
  }

  #met(index: number): ReadonlyArray<Emission<X>> {
    this.#release(index)
    return this.#pump()
  }

  #release(index: number): void {
    for (const dependent of this.#dependents.get(index) ?? []) {
      const unmet = (this.#unmet[dependent] ?? 0) - 1
      this.#unmet[dependent] = unmet
      if (unmet === 0) this.#open.add(dependent)
    }
  }

  /** Sends what is open, in the order of the recording, up to what the client did next. */
  #pump(isOver = false): ReadonlyArray<Emission<X>> {
    const emissions: Array<Emission<X>> = []
    const horizon = this.#front < 0 ? this.#catalog.first : this.#catalog.nextOfClient[this.#front] ?? 0
    for (let isNew = true; isNew;) {
      isNew = false
      for (const index of [...this.#open].toSorted((one, other) => one - other)) {
        const step = this.#catalog.steps[index]
        if (step === undefined || isOfClient(step)) continue
        // A connection that the server has ended is ended in its place alone.
        if (index > horizon && (!isOver || step._tag === "ServerGone")) continue
        this.#open.delete(index)
        this.#left--
        if (step.exchange !== undefined) this.#rest.set(step.exchange, (this.#rest.get(step.exchange) ?? 1) - 1)
        emissions.push(this.#emission(step, index))
        this.#release(index)
        isNew = true
      }
    }
    return emissions
  }

  #emission(step: ServerStep, index: number): Emission<X> {
    const before = this.#catalog.steps[index - 1]
    const exchange = step.exchange === undefined ? undefined : this.#exchanges.get(step.exchange)
    const pause = before === undefined ? 0 : Math.max(0, step.time - before.time)
    if (step._tag !== "ServerText") {
      return { step, text: step._tag === "ServerEvent" ? step.data : undefined, exchange, answers: [], pause }
    }
    const responses = new Set(
      step.members.flatMap(({ id, kind }) => kind === "response" && id !== undefined ? [id] : [])
    )
    const text = this.#bindings.text(
      step.text,
      (key, source) => responses.has(key) ? this.#bindings.requestOf(key) : this.#ask(key, source, index)
    )
    return { step, text, exchange, answers: this.#catalog.methods.get(index) ?? [], pause }
  }

  /** The id of a request of ours, which its answer will have. */
  #ask(key: string, source: string, index: number): string {
    const id = this.#suffix === "" ? source : JSON.stringify(`${key.replaceAll("\"", "")}${this.#suffix}`)
    this.#asked.set(this.#suffix === "" ? key : id, index)
    return id
  }
}
