/**
 * A recorded conversation as steps: what the client did, and what the server did, in the order in which it passed.
 */
import type { Recorded } from "@parley/traffic/Recorder"
import * as Message from "./Message.ts"

/** Beside what a step is, when it was; and over HTTP, in which exchange. */
export interface Passed {
  readonly time: number
  readonly exchange?: number | undefined
}

/** A text of the client. Over HTTP it was posted with these headers. */
export interface ClientText extends Passed {
  readonly _tag: "ClientText"
  readonly text: string
  readonly members: ReadonlyArray<Message.Message>
  readonly headers: Readonly<Record<string, string>>
}

/** A request of HTTP without a text, such as the GET that opens a stream of events. */
export interface ClientHttp extends Passed {
  readonly _tag: "ClientHttp"
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

/** A text of the server. `event` is the id of the event that carried it. */
export interface ServerText extends Passed {
  readonly _tag: "ServerText"
  readonly text: string
  readonly members: ReadonlyArray<Message.Message>
  readonly event?: string | undefined
}

/** The head of an answer over HTTP. */
export interface ServerHead extends Passed {
  readonly _tag: "ServerHead"
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** An event that carries no message. */
export interface ServerEvent extends Passed {
  readonly _tag: "ServerEvent"
  readonly name: string
  readonly id?: string | undefined
  readonly data: string
}

/** The server has ended an answer over HTTP. */
export interface ServerEnd extends Passed {
  readonly _tag: "ServerEnd"
}

/** The server has ended the connection. */
export interface ServerGone extends Passed {
  readonly _tag: "ServerGone"
}

export type ClientStep = ClientText | ClientHttp
export type ServerStep = ServerText | ServerHead | ServerEvent | ServerEnd | ServerGone
export type Step = ClientStep | ServerStep

/** Whether the client did it. */
export const isOfClient = (step: Step): step is ClientStep => step._tag === "ClientText" || step._tag === "ClientHttp"

/** One conversation. */
export interface Script {
  /** The number of its connection, or of the first of several that have no session. */
  readonly connection: number
  readonly wire: string | undefined
  readonly endpoint: string | undefined
  /** The framing of its stream, by the name of a `Framing`. */
  readonly framing: string | undefined
  readonly steps: ReadonlyArray<Step>
}

/** Whether a conversation went over HTTP. */
export const isOverHttp = ({ steps }: Script): boolean => steps.some(({ exchange }) => exchange !== undefined)

/** Whether the server has given a conversation a session. */
export const hasSession = ({ steps }: Script): boolean =>
  steps.some((step) => step._tag === "ServerHead" && Object.hasOwn(step.headers, sessionHeader))

/** The header that names a session, and stands in recordings without its value. */
export const sessionHeader = "mcp-session-id"

/** Makes the steps of one conversation from what was recorded. */
export class Builder {
  readonly #steps: Array<Step> = []
  /** The places of requests of HTTP whose text may come. */
  readonly #requests = new Map<number, number>()
  readonly #connection: number
  #wire: string | undefined
  #endpoint: string | undefined
  #framing: string | undefined
  #isClosed = false

  constructor(connection: number) {
    this.#connection = connection
  }

  add(one: Exclude<Recorded, { readonly _tag: "Begun" }>): void {
    const { time } = one
    const passed: Passed = { time, exchange: "exchange" in one ? one.exchange : undefined }
    switch (one._tag) {
      case "Opened":
        this.#wire = one.wire
        this.#endpoint = one.endpoint
        this.#framing = one.framing
        return
      case "HttpRequest":
        this.#requests.set(one.exchange, this.#steps.length)
        this.#steps.push({ ...passed, _tag: "ClientHttp", method: one.method, headers: one.headers })
        return
      case "Sent": {
        const step = { ...passed, _tag: "ClientText", text: one.text, members: Message.membersOf(one.text) } as const
        const place = one.exchange === undefined ? undefined : this.#requests.get(one.exchange)
        const head = place === undefined ? undefined : this.#steps[place]
        if (place === undefined || head?._tag !== "ClientHttp") this.#steps.push({ ...step, headers: {} })
        else this.#steps[place] = { ...step, headers: head.headers }
        return
      }
      case "Received":
        this.#steps.push({
          ...passed,
          _tag: "ServerText",
          text: one.text,
          members: Message.membersOf(one.text),
          event: one.event
        })
        return
      case "HttpResponse":
        this.#steps.push({ ...passed, _tag: "ServerHead", status: one.status, headers: one.headers })
        return
      case "HttpEvent":
        this.#steps.push({ ...passed, _tag: "ServerEvent", name: one.name, id: one.id, data: one.data })
        return
      case "HttpEnd":
        // A client that goes leaves its streams.
        if (one.isWhole) this.#steps.push({ ...passed, _tag: "ServerEnd" })
        return
      case "Closed":
        this.#isClosed = true
        return
      case "Ended":
        // Behind a client that has gone, nobody can tell what the server would have done.
        if (!this.#isClosed && passed.exchange === undefined) this.#steps.push({ ...passed, _tag: "ServerGone" })
        return
      case "Bad":
      case "Unsent":
        return
    }
  }

  script(): Script {
    return {
      connection: this.#connection,
      wire: this.#wire,
      endpoint: this.#endpoint,
      framing: this.#framing,
      steps: this.#steps
    }
  }
}

/** Conversations over HTTP that have no session are one: nothing tells their requests apart. */
export const joined = (scripts: ReadonlyArray<Script>): ReadonlyArray<Script> => {
  const plain = scripts.filter((script) => isOverHttp(script) && !hasSession(script))
  const [first, ...others] = plain
  if (first === undefined || others.length === 0) return scripts
  const steps = plain.flatMap(({ steps }) => steps).toSorted((one, other) => one.time - other.time)
  return scripts.flatMap((script) => script === first ? [{ ...first, steps }] : plain.includes(script) ? [] : [script])
}
