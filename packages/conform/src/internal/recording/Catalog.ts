/**
 * The order of the steps of a recorded conversation: what each step of the server waits for, and which steps
 * of the client are like a text.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Bindings } from "./Bindings.ts"
import { type Bind, type Difference, differences } from "./difference.ts"
import * as Message from "./Message.ts"
import { type ClientText, isOfClient, type Script, type Step } from "./Script.ts"

/** A step of the client that is like a text, and what differs. */
export interface Candidate {
  readonly index: number
  readonly differences: ReadonlyArray<Difference>
}

/** How texts are compared. */
export interface Comparing {
  readonly ignore: ReadonlyArray<string>
  readonly now: number
  readonly bindings: Bindings
}

/** How many steps of one signature a text is compared with. */
const mostCompared = 1_000

export class Catalog {
  readonly script: Script
  readonly steps: ReadonlyArray<Step>
  /** For each step of the server, the steps of the client that came before it and caused it. */
  readonly needs: ReadonlyArray<ReadonlyArray<number>>
  /** For each step, the step of the client behind it, or the number of steps. */
  readonly nextOfClient: ReadonlyArray<number>
  /** The step of the client that answers a request of the server, by the place of that. */
  readonly answers: ReadonlyMap<number, number>
  /** The places of the responses to the requests of a step of the client. */
  readonly responses: ReadonlyMap<number, ReadonlyArray<number>>
  /** The methods that a step of the server answers. */
  readonly methods: ReadonlyMap<number, ReadonlyArray<string>>
  readonly #bySignature = new Map<string, Array<number>>()
  readonly #byContent = new Map<string, Array<number>>()

  constructor(script: Script) {
    const { steps } = script
    this.script = script
    this.steps = steps
    const found = causesOf(steps)
    this.needs = found.needs
    this.answers = found.answers
    this.responses = found.responses
    this.methods = found.methods
    const next: Array<number> = []
    for (let index = steps.length - 1, after = steps.length; index >= 0; index--) {
      next[index] = after
      const step = steps[index]
      if (step !== undefined && isOfClient(step)) after = index
    }
    this.nextOfClient = next
    for (const [index, step] of steps.entries()) {
      if (step._tag !== "ClientText" || isAnswer(step.members)) continue
      added(this.#bySignature, signatureOf(step.members), index)
      added(this.#byContent, contentOf(step.members, step.text), index)
    }
  }

  /** The first step of the client. */
  get first(): number {
    const index = this.steps.findIndex(isOfClient)
    return index < 0 ? this.steps.length : index
  }

  /** Steps with the very same content. */
  same(members: ReadonlyArray<Message.Message>, text: string): ReadonlyArray<number> {
    return this.#byContent.get(contentOf(members, text)) ?? []
  }

  /** Steps with the same methods, and what differs. */
  alike(members: ReadonlyArray<Message.Message>, comparing: Comparing): ReadonlyArray<Candidate> {
    const indices = members.length === 0 ? [] : this.#bySignature.get(signatureOf(members)) ?? []
    return indices.slice(0, mostCompared).map((index) => ({
      index,
      differences: differencesOf(this.textAt(index), members, comparing)
    }))
  }

  /** The text of the client at a place. */
  textAt(index: number): ClientText {
    const step = this.steps[index]
    if (step?._tag !== "ClientText") throw new Error(`step ${index} is no text of the client`)
    return step
  }

  /**
   * A text of the client with all that it caused, as a conversation of its own: its responses, its progress, and what the
   * server sent and asked for it in between.
   */
  segmentOf(index: number): Script {
    const responses = this.responses.get(index) ?? []
    const { exchange } = this.textAt(index)
    const last = Math.max(index, ...responses)
    const isOwn = (at: number): boolean => {
      const step = this.steps[at]
      if (step === undefined || isOfClient(step)) return false
      if (exchange !== undefined) return step.exchange === exchange
      const needs = this.needs[at] ?? []
      if (responses.includes(at)) return true
      if (responses.length === 0) return at < (this.nextOfClient[index] ?? 0) && !isResponse(step)
      return at < last && !isResponse(step) && (needs.includes(index) || this.#isAlone(index, at))
    }
    const own = this.steps.flatMap((_, at) => at > index && isOwn(at) ? [at] : [])
    const answers = own.flatMap((at) => this.answers.get(at) ?? [])
    return {
      ...this.script,
      steps: [index, ...own, ...answers].toSorted((one, other) => one - other).flatMap((at) => this.steps[at] ?? [])
    }
  }

  /** Whether no other request of the client waited for its response at a place. */
  #isAlone(index: number, at: number): boolean {
    for (const [other, responses] of this.responses) {
      if (other !== index && other < at && responses.some((place) => place > at)) return false
    }
    return true
  }
}

const isResponse = (step: Step): boolean =>
  step._tag === "ServerText" && step.members.some(({ kind }) => kind === "response")

/** Whether a text only answers. */
export const isAnswer = (members: ReadonlyArray<Message.Message>): boolean =>
  members.length > 0 && members.every(({ kind }) => kind === "response")

/** The differences between two texts of the same methods. Values that may differ are given to `bind`. @category accessors @since 0.1.0 */
export const differencesOf = (
  recorded: Pick<ClientText, "members" | "time">,
  came: ReadonlyArray<Message.Message>,
  { bindings, ignore, now }: Comparing,
  bind?: Bind
): ReadonlyArray<Difference> => {
  const rules = { ignore, recordedAt: recorded.time, cameAt: now, isBound: bindings.isBound }
  return recorded.members.flatMap((one, at) => {
    if (one.method !== undefined && ignore.includes(one.method)) return []
    const other = came[at]
    return differences(bodyOf(one), other && bodyOf(other), rules, bind)
  })
}

/** A message without its id. */
export const bodyOf = ({ json }: Message.Message): Schema.Json =>
  JsonObject.isObject(json) ? JsonObject.omit(json, "id") : json

const signatureOf = (members: ReadonlyArray<Message.Message>): string =>
  members.map(({ kind, method }) => `${kind} ${JSON.stringify(method ?? "")}`).join(" ")

/** A text that is no JSON is its own content. */
const contentOf = (members: ReadonlyArray<Message.Message>, text: string): string =>
  members.length === 0
    ? text
    : members.map((member) => `${member.kind} ${JsonObject.canonical(bodyOf(member))}`).join(" ")

const added = <K, A>(map: Map<K, Array<A>>, key: K, index: A): void => {
  const all = map.get(key)
  if (all === undefined) map.set(key, [index])
  else all.push(index)
}

interface Causes {
  readonly needs: ReadonlyArray<ReadonlyArray<number>>
  readonly answers: ReadonlyMap<number, number>
  readonly responses: ReadonlyMap<number, ReadonlyArray<number>>
  readonly methods: ReadonlyMap<number, ReadonlyArray<string>>
}

const causesOf = (steps: ReadonlyArray<Step>): Causes => {
  const needs: Array<ReadonlyArray<number>> = []
  const answers = new Map<number, number>()
  const responses = new Map<number, Array<number>>()
  const methods = new Map<number, Array<string>>()
  const exchanges = new Map<number, number>()
  /** Requests that wait for their response, by their ids. */
  const waiting = new Map<string, { readonly index: number; readonly method: string }>()
  const asked = new Map<string, number>()
  const tokens = new Map<string, number>()
  /** Answers of the client, and the requests of the server that they answer. */
  const answered: Array<readonly [request: number, answer: number]> = []
  let last: number | undefined
  for (const [index, step] of steps.entries()) {
    if (isOfClient(step)) {
      last = index
      needs.push([])
      if (step.exchange !== undefined) exchanges.set(step.exchange, index)
      if (step._tag !== "ClientText") continue
      for (const member of step.members) {
        if (member.kind === "request" && member.id !== undefined) {
          waiting.set(member.id, { index, method: member.method ?? "" })
        }
        for (const token of Message.progressTokensOf(member)) tokens.set(token, index)
        const request = member.kind === "response" && member.id !== undefined ? asked.get(member.id) : undefined
        if (request === undefined) continue
        answers.set(request, index)
        answered.push([request, index])
      }
      continue
    }
    const own = new Set<number>()
    const begun = step.exchange === undefined ? undefined : exchanges.get(step.exchange)
    if (begun !== undefined) own.add(begun)
    if (step._tag === "ServerText") {
      for (const member of step.members) {
        if (member.kind === "request" && member.id !== undefined) asked.set(member.id, index)
        const token = Message.toldTokenOf(member)
        const caller = token === undefined ? undefined : tokens.get(token)
        if (caller !== undefined) own.add(caller)
        const request = member.kind === "response" && member.id !== undefined ? waiting.get(member.id) : undefined
        if (request === undefined) continue
        own.add(request.index)
        added(responses, request.index, index)
        added(methods, index, request.method)
        // The server asked for the sake of this request since it came, or for nobody's.
        for (let at = answered.length - 1; at >= 0; at--) {
          const [asking, answer] = answered[at] ?? [0, 0]
          if (answer < request.index) break
          if (asking > request.index) own.add(answer)
        }
      }
    }
    if (own.size === 0 && last !== undefined) own.add(last)
    needs.push([...own])
  }
  return { needs, answers, responses, methods }
}
