/**
 * One request to an endpoint on a server of `node:http`: its body, and its answer.
 */
import type * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { type Served, Serving } from "@parley/http/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as http from "node:http"
import { Head } from "./head.ts"
import { refuse } from "./refusal.ts"

/** Characters from which on a second write costs less than a text that is kept. */
const large = 65_536

const closing = { connection: "close" }

export class NodeServing extends Serving.Serving {
  readonly #request: http.IncomingMessage
  readonly #response: http.ServerResponse
  #isLimited = false
  /** The writers that wait until the client has read. */
  #waiting: Set<() => void> | undefined = undefined

  constructor(
    served: Served.Served,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    context: Context.Context<never>,
    head = new Head(request)
  ) {
    super(served, head, context)
    this.#request = request
    this.#response = response
  }

  protected override get isLost(): boolean {
    return this.#response.destroyed
  }

  protected override read(): void {
    const request = this.#request
    if (expectsContinue(request)) this.#response.writeContinue()
    request.on("data", (chunk: Buffer) => this.take(chunk))
    request.on("end", () => this.arrived())
  }

  protected override whole({ body, headers, status }: HttpEndpoint.Reply): void {
    const text = compact(body)
    this.#response.writeHead(status, {
      ...headers,
      ...(text === undefined ? undefined : { "content-length": Buffer.byteLength(text) }),
      ...(this.served.isClosing ? closing : undefined)
    }).end(text)
    this.#hold()
  }

  protected override turnAway(refusal: Serving.Refused): void {
    refuse(this.context, this.#request, this.#response, refusal)
  }

  protected override open(
    status: number,
    headers: HttpEndpoint.Headers,
    cookies: ReadonlyArray<string>
  ): Effect.Effect<void> {
    return Effect.sync(() => {
      const response = this.#response
      response.writeHead(status, cookies.length === 0 ? headers : { ...headers, "set-cookie": [...cookies] })
      // The head leaves together with what is written in this turn.
      queueMicrotask(() => isOver(response) || response.flushHeaders())
    })
  }

  override write(piece: string | Uint8Array): Effect.Effect<void> {
    return Effect.suspend(() => {
      const response = this.#response
      if (isOver(response) || response.write(piece)) return Effect.void
      const waiting = this.#waiting ??= this.#watch()
      return Effect.callback((resume) => {
        // The writer may be another fiber than the one that is interrupted.
        const goOn = () => resume(Effect.void)
        waiting.add(goOn)
        return Effect.sync(() => waiting.delete(goOn))
      })
    })
  }

  protected override end(last: string | undefined): void {
    this.#response.end(compact(last))
    this.#hold()
  }

  protected override breakOff(): void {
    this.#response.destroy()
  }

  /** Counts an answer that its client has not read. One without a socket waits for those before it on its connection. */
  #hold(): void {
    const { socket, writableLength } = this.#response
    if (socket !== null && socket.writableLength === 0) return
    this.admission?.hold(writableLength, () => this.#request.socket.destroy())
    this.#limit()
  }

  /** Waits, once for all writers, until the client has read or disconnected. */
  #watch(): Set<() => void> {
    const response = this.#response
    const waiting = new Set<() => void>()
    const end = () => {
      response.off("drain", onDrain)
      response.off("close", end)
      this.#waiting = undefined
      for (const goOn of waiting) goOn()
    }
    const onDrain = () => {
      response.setTimeout(0)
      end()
    }
    response.on("drain", onDrain)
    response.on("close", end)
    this.#limit()
    return waiting
  }

  /** Ends the connection when it makes no progress for this time. Node.js itself would not, where a host listens, too. */
  #limit(): void {
    const response = this.#response
    response.setTimeout(this.served.endpoint.limits.writeStall)
    if (this.#isLimited) return
    this.#isLimited = true
    const { socket } = this.#request
    response.on("timeout", () => {
      if (response.writableLength + socket.writableLength > 0) socket.destroy()
    })
  }
}

/** Whether nothing can be written any more. */
const isOver = (response: http.ServerResponse): boolean => response.destroyed || response.writableEnded

/** Node.js would keep a text as well as its bytes until the client has read it. */
const compact = (text: string | undefined): string | Buffer | undefined =>
  text !== undefined && text.length > large ? Buffer.from(text) : text

/** Node.js leaves it to us where the body is asked for (RFC 9110, 10.1.1). */
const expectsContinue = ({ headers, httpVersion }: http.IncomingMessage) =>
  headers.expect !== undefined && httpVersion === "1.1" && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)
