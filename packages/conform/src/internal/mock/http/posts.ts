/**
 * The parts of answers over HTTP for a conversation that was recorded on another wire: what answers a request goes into the
 * answer to it, and what the server says besides into a stream of events that is open.
 */
import { idSourcesOf } from "../../recording/Bindings.ts"
import * as Message from "../../recording/Message.ts"
import type { ServerHead } from "../../recording/Script.ts"
import type { Emission } from "../Play.ts"
import type { Exchange, Part } from "./Exchange.ts"

/** Texts that wait for a stream of events. Beyond that, the oldest is left out. */
const mostWaiting = 1_000

/** A POST that waits for responses. */
interface Open {
  readonly exchange: Exchange
  readonly waiting: Set<string>
  readonly acceptsEvents: boolean
  isStarted: boolean
}

export class Posts {
  readonly #open = new Set<Open>()
  #stream: Exchange | undefined
  #waiting: Array<Part> = []

  /** Begins the answer to a text. One without requests has an empty answer. */
  post(text: string, exchange: Exchange, acceptsEvents: boolean): void {
    const requests = Message.membersOf(text).some(({ kind }) => kind === "request")
    if (!requests) {
      exchange.add(head(202, {}))
      exchange.add(end)
      return
    }
    this.#open.add({ exchange, waiting: new Set(idSourcesOf(text)), acceptsEvents, isStarted: false })
  }

  /** Begins a stream of events. */
  stream(exchange: Exchange): void {
    exchange.add(head(200, { "content-type": "text/event-stream" }))
    for (const part of this.#waiting) exchange.add(part)
    this.#waiting = []
    this.#stream = exchange
  }

  /** A stream of events has ended, or a client has gone. */
  leave(exchange: Exchange): void {
    if (this.#stream === exchange) this.#stream = undefined
    for (const open of this.#open) if (open.exchange === exchange) this.#open.delete(open)
  }

  /** Puts a text where it belongs. */
  add(part: Emission<Exchange>): void {
    const { step, text = "" } = part
    if (step._tag !== "ServerText") return
    const isResponse = step.members.some(({ kind }) => kind === "response")
    const ids = isResponse ? idSourcesOf(text) : []
    const open = [...this.#open].find(({ acceptsEvents, waiting }) =>
      isResponse ? ids.some((id) => waiting.has(id)) : acceptsEvents
    )
    if (open === undefined) {
      if (this.#stream !== undefined) this.#stream.add(part)
      else this.#waiting = [...this.#waiting, part].slice(-mostWaiting)
      return
    }
    for (const id of ids) open.waiting.delete(id)
    const isLast = open.waiting.size === 0
    if (!open.isStarted) {
      const type = isLast || !open.acceptsEvents ? "application/json" : "text/event-stream"
      open.exchange.add(head(200, { "content-type": type }))
      open.isStarted = true
    }
    open.exchange.add(part)
    if (!isLast) return
    open.exchange.add(end)
    this.#open.delete(open)
  }
}

const head = (status: number, headers: Readonly<Record<string, string>>): Part => {
  // The mock gives a session itself, where the conversation has one.
  const step: ServerHead = { _tag: "ServerHead", time: 0, status, headers: { ...headers, "mcp-session-id": "" } }
  return { step, text: undefined, answers: [] }
}

const end: Part = { step: { _tag: "ServerEnd", time: 0 }, text: undefined, answers: [] }
