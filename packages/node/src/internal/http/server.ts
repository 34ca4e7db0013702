/**
 * The requests to an endpoint over `node:http` itself: Effect's server takes several
 * times as long for a request as a small handler.
 *
 * `Serving` of `@parley/http` has the rules; this file moves bytes. Node watches the
 * times in which a head and a body must arrive.
 */
import type * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { Served, Serving } from "@parley/http/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as http from "node:http"
import { Answers } from "./Answers.ts"
import { Head } from "./head.ts"
import type { Port } from "./Port.ts"
import { refuse } from "./refusal.ts"

/** Serves an endpoint at a path of a port until the Scope closes, which ends it in order. */
export const serve = (
  port: Port,
  path: string,
  endpoint: HttpEndpoint.HttpEndpoint
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const served = new Served.Served(endpoint)
    const answers = new Answers(context)
    yield* port.requests(path, {
      // Requests and streams may be `connections` each. The rest is for idle connections, and to answer 503.
      connections: 3 * endpoint.limits.connections,
      answers,
      flush: () => served.flush(),
      take: (request, response, refusal) => {
        const serving = new NodeServing(served, request, response, context)
        answers.add(response, serving)
        serving.begin(refusal)
      }
    })
    yield* Effect.addFinalizer(() =>
      served.close({ left: (drain) => port.left(drain), drain: (within) => answers.drain(within) })
    )
  })

/** Characters from which on a second write costs less than a text that is kept. */
const large = 65_536

const closing = { connection: "close" }

class NodeServing extends Serving.Serving {
  readonly #request: http.IncomingMessage
  readonly #response: http.ServerResponse
  /** The writers that wait until the client has read. */
  #waiting: Set<() => void> | undefined = undefined

  constructor(
    served: Served.Served,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    context: Context.Context<never>
  ) {
    super(served, new Head(request), context)
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

  protected override open(status: number, headers: HttpEndpoint.Headers): Effect.Effect<void> {
    return Effect.sync(() => {
      const response = this.#response
      response.writeHead(status, headers)
      // The head leaves together with what is written in this turn.
      queueMicrotask(() => isOver(response) || response.flushHeaders())
    })
  }

  override write(text: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const response = this.#response
      if (isOver(response) || response.write(text)) return Effect.void
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

  /** Node.js destroys the connection when it makes no progress for this time. */
  #limit(): void {
    this.#response.setTimeout(this.served.endpoint.limits.writeStall)
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
