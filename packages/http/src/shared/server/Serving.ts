/**
 * Serves one request to an endpoint, from its head to the end of its answer, by the
 * rules that hold on every host.
 *
 * It owns who is let in, in which order a request is admitted, authorized, read and
 * answered, what a failure or a refusal becomes, which requests count as streams, and
 * how all of them end with their host. A host owns the wire: it extends `Serving`, brings
 * the bytes of the body, writes what it is told, and says when the client has gone.
 * `HttpRoute` and `NodeHttp` of `@parley/node` are such hosts.
 *
 * Nothing but a fiber is made for a small request: a Scope, a `Stream` or a second fiber
 * takes longer than a small handler.
 *
 * ```ts run
 * import { HttpEndpoint } from "@parley/http"
 * import { Served, Serving } from "@parley/http/shared"
 * import { Effect, Option } from "effect"
 *
 * // A host without a wire: it has the whole body, and prints the reply.
 * class Printing extends Serving.Serving {
 *   protected override readonly isLost = false
 *   protected override read() {
 *     if (this.take(new TextEncoder().encode("[]"))) this.arrived()
 *   }
 *   protected override whole({ body, status }: HttpEndpoint.Reply) {
 *     console.log(status, body) // => 200 "pong"
 *   }
 *   protected override open = () => Effect.void
 *   override write = () => Effect.void
 *   protected override end() {}
 *   protected override breakOff() {}
 * }
 *
 * const served = new Served.Served(HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.some(`"pong"`))))
 * const headers: Record<string, string> = { host: "localhost", "content-type": "application/json" }
 * const head = { method: "POST", url: "/rpc", address: undefined, header: (name: string) => headers[name] }
 * Effect.runSync(Effect.contextWith((context) => Effect.sync(() => new Printing(served, head, context).begin())))
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as HttpEndpoint from "../../HttpEndpoint.ts"
import * as Authorization from "../access/Authorization.ts"
import * as RequestRules from "../RequestRules.ts"
import type * as Served from "./Served.ts"

/**
 * The answer to a refused client.
 *
 * @category models
 * @since 0.1.0
 */
export type Refused = Pick<RequestRules.Refusal, "status" | "text" | "headers">

/**
 * One request. It runs for the host that extends it, in one thread: what the host calls may call the host back before it
 * returns.
 *
 * @category models
 * @since 0.1.0
 */
export abstract class Serving implements HttpEndpoint.Responder, Served.Request {
  earlier: Served.Request | undefined = undefined
  later: Served.Request | undefined = undefined
  /** The state that all requests to the endpoint share. */
  protected readonly served: Served.Served
  /** The head of the request. */
  protected readonly head: RequestRules.Head
  /** The services of what runs for the request. */
  protected readonly context: Context.Context<never>
  /** The place of the request, once it is admitted. */
  protected admission: RequestRules.Admission | undefined = undefined
  /** Whether it came when the host had begun to shut down. */
  #isLate = false
  #phase: "asked" | "read" | "answered" | "streamed" | "over" = "asked"
  #handshake: Handshake.Handshake | undefined = undefined
  /** Authorizes or answers the request now. */
  #fiber: Fiber.Fiber<unknown> | undefined = undefined

  constructor(served: Served.Served, head: RequestRules.Head, context: Context.Context<never>) {
    this.served = served
    this.head = head
    this.context = context
  }

  /** Whether the client has gone, so that nothing can be written any more. */
  protected abstract get isLost(): boolean

  /** Begins to read the body: gives its bytes to `take`, then calls `arrived`, or `broken`. */
  protected abstract read(): void

  /** Answers with a whole body. Its headers name the type of the body, or say that there is none. */
  protected abstract whole(reply: HttpEndpoint.Reply): void

  /** Answers with a refusal. A host may have to drop the rest of a body that has not arrived. */
  protected turnAway({ headers, status, text }: Refused): void {
    this.whole({ status, headers, body: text })
  }

  /** Starts a stream. Its head reaches the client before anything is written. */
  protected abstract open(
    status: number,
    headers: HttpEndpoint.Headers,
    cookies: ReadonlyArray<string>
  ): Effect.Effect<void>

  /** Writes a piece of the stream, and waits while the client does not read. */
  abstract write(piece: string | Uint8Array): Effect.Effect<void>

  /** Ends the stream, perhaps with a last piece. */
  protected abstract end(last: string | undefined): void

  /** Cuts the stream off, so that nobody takes it for complete. */
  protected abstract breakOff(cause: Cause.Cause<never>): void

  /** Runs with an answer. A host may wait here for room for it, and then gives `undefined`: nothing is left to write. */
  protected finishing(answer: Effect.Effect<Answered>): Effect.Effect<Answered | undefined> {
    return answer
  }

  /** Nothing runs for the request any more. Its client may still have to read the answer. */
  protected settled(): void {}

  /**
   * Serves the request, or refuses it where the host is not there for requests now. The principal that a host has found
   * counts in place of that of `authorize`.
   */
  begin(unavailable?: Refused, principal?: Context.Context<never>): void {
    this.#attempt(() => {
      const { admit, authorize, cors, refusing } = this.served.endpoint
      const preflight = cors?.preflight(this.head)
      if (preflight !== undefined) return this.whole({ status: 204, headers: preflight, body: undefined })
      const refusal = unavailable ?? (this.served.isClosing ? RequestRules.shuttingDown : undefined)
      this.#isLate = refusal === RequestRules.shuttingDown && refusing !== undefined
      if (refusal !== undefined && !this.#isLate) return this.refuse(refusal)
      const admission = admit(this.head)
      if (admission instanceof RequestRules.Refusal) return this.#deny(admission)
      this.admission = admission
      // A request that is refused needs no principal, and what finds it may be gone.
      if (this.#isLate) return this.#read(Handshake.anonymous(this.head))
      if (principal !== undefined) return this.#read(Authorization.handshakeOf(this.head, checked(principal)))
      if (authorize === undefined) return this.#read(Handshake.anonymous(this.head))
      this.#work(this.context, Effect.result(authorize(this.head)), (exit) => {
        if (Exit.isFailure(exit)) this.#fail(exit.cause)
        else if (Result.isFailure(exit.value)) this.#deny(exit.value.failure)
        else this.#read(exit.value.success)
      })
    })
  }

  /** Takes bytes of the body. Where it gives `false`, nothing more should be read. */
  protected take(bytes: Uint8Array): boolean {
    if (!this.isReading) return false
    this.#attempt(() => {
      const refusal = this.admission?.push(bytes)
      if (refusal !== undefined) this.refuse(refusal)
    })
    return this.isReading
  }

  /** Takes a body that was read before the host had the request. */
  protected takeRead(body: unknown): void {
    // Some parsers leave an empty object where a request has no body.
    if (!RequestRules.hasBody(this.head.method) || this.take(bytesOf(body))) this.arrived()
  }

  /** The body has arrived. */
  protected arrived(): void {
    // It may have been refused meanwhile.
    if (!this.isReading) return
    this.#phase = "answered"
    this.#attempt(() => this.#answer())
  }

  /** The body has broken off. */
  protected broken(): void {
    if (this.isReading) this.refuse(RequestRules.broken)
  }

  /** Whether the body is being read. */
  protected get isReading(): boolean {
    return this.#phase === "read" && !this.isLost
  }

  /** Whether the answer is whole, or nobody is there to have it. */
  protected get isOver(): boolean {
    return this.#phase === "over" || this.isLost
  }

  /** The client has gone, or has all of the answer. The place is given back when nothing runs for it any more. */
  leave(): void {
    this.#phase = "over"
    const fiber = this.#fiber
    if (fiber === undefined) return this.release()
    // A handler that outlives its interruption keeps its place.
    fiber.addObserver(() => this.release())
    fiber.interruptUnsafe()
  }

  /** Interrupts what runs for the request, and waits for its end. */
  get interrupt(): Effect.Effect<void> {
    return Effect.suspend(() => this.#fiber === undefined ? Effect.void : Fiber.interrupt(this.#fiber))
  }

  /** Refuses the request, or cuts its stream off. */
  refuse({ headers, status, text }: Refused): void {
    if (this.isOver) return
    if (this.#phase === "streamed") return this.#cut(Cause.die(new Error(`the stream broke off: ${text}`)))
    this.turnAway({ status, text, headers: this.#withCors(RequestRules.headersOf({ headers })) })
    this.#phase = "over"
    if (this.#fiber === undefined) this.settled()
  }

  /** Refuses the request where its body has not arrived, because the host shuts down, and tells whether it did. */
  refuseUnread(): boolean {
    if (this.#phase !== "asked" && this.#phase !== "read") return false
    this.refuse(RequestRules.shuttingDown)
    return true
  }

  /** Ends the stream in order, or refuses the request, because the host shuts down. */
  endStream(): void {
    if (this.isOver) return
    if (this.#phase !== "streamed") this.refuse(RequestRules.shuttingDown)
    else this.#end(undefined)
    this.#fiber?.interruptUnsafe()
  }

  start(
    status: number,
    headers: HttpEndpoint.Headers,
    cookies: ReadonlyArray<string> = []
  ): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.isOver) return Effect.void
      this.#phase = "streamed"
      return this.open(status, this.#withCors(headers), cookies)
    })
  }

  get budget(): HttpEndpoint.Responder["budget"] {
    return this.admission?.budget
  }

  get onDraining(): HttpEndpoint.Responder["onDraining"] {
    return this.served.onDraining
  }

  toStream(): RequestRules.Refusal | undefined {
    if (this.served.isClosing) return RequestRules.shuttingDown
    const refusal = this.admission?.toStream()
    if (refusal === undefined && !this.isOver) this.served.staying.add(this)
    return refusal
  }

  /** Gives the place of the request back. */
  protected release(): void {
    this.admission?.release()
    if (this.served.staying.size > 0) this.served.staying.delete(this)
  }

  #deny(refusal: RequestRules.Refusal): void {
    if (this.isOver) return
    const { report } = this.served.endpoint
    if (report !== undefined) Effect.runForkWith(this.context)(report(this.head, refusal))
    this.refuse(refusal)
  }

  #read(handshake: Handshake.Handshake): void {
    if (this.isOver) return
    this.#handshake = handshake
    this.#phase = "read"
    this.read()
  }

  #answer(): void {
    const { admission, served: { endpoint } } = this
    const handshake = this.#handshake
    if (admission === undefined || handshake === undefined) return
    const text = admission.text()
    if (typeof text !== "string") return this.refuse(text)
    const context = Context.add(this.context, Handshake.Current, handshake)
    const late = this.#isLate || this.served.isClosing ? endpoint.refusing?.(text, this) : undefined
    const answer = late ?? endpoint.answer(handshake.head, text, this)
    this.#work(context, this.finishing(answer), (exit) => {
      this.settled()
      const send = () => this.#attempt(() => this.#send(exit))
      // Streams are ended soon, and this may be the last that one says.
      if (this.served.isClosing) send()
      else this.served.turn(this.context).add(send)
    })
  }

  #send(exit: Exit.Exit<Answered | undefined>): void {
    if (Exit.isFailure(exit)) this.#fail(exit.cause)
    else if (exit.value instanceof RequestRules.Refusal) this.refuse(exit.value)
    else if (this.isOver) return
    else if (exit.value === undefined) this.#phase = "over"
    else if (this.#phase === "streamed") this.#end(exit.value.body)
    else {
      const { body, headers, status } = exit.value
      const own = body === undefined ? emptied(status, headers) : RequestRules.headersOf({ headers })
      this.whole({ status, headers: this.#withCors(own), body })
      this.#phase = "over"
    }
  }

  /** Runs something for the request. It is interrupted when the client leaves. */
  #work<A>(context: Context.Context<never>, effect: Effect.Effect<A>, then: (exit: Exit.Exit<A>) => void): void {
    const fiber = Effect.runForkWith(context)(effect)
    if (fiber.pollUnsafe() === undefined) {
      this.#fiber = fiber
      this.served.working.add(this)
    }
    fiber.addObserver((exit) => {
      if (this.#fiber !== undefined) {
        this.#fiber = undefined
        this.served.working.delete(this)
      }
      this.#attempt(() => then(exit))
    })
  }

  #end(last: string | undefined): void {
    this.#phase = "over"
    this.end(last)
  }

  #cut(cause: Cause.Cause<never>): void {
    this.#phase = "over"
    this.breakOff(cause)
  }

  /** An exception in an event of a host could end the process. */
  #attempt(run: () => void): void {
    try {
      run()
    } catch (defect) {
      this.#fail(Cause.die(defect))
    }
  }

  #fail(cause: Cause.Cause<never>): void {
    if (this.isOver) return
    if (!Cause.hasInterruptsOnly(cause)) {
      // A query may hold a secret.
      const [method, path] = [this.head.method, Handshake.pathOf(this.head)]
      Effect.runForkWith(this.context)(
        Effect.logError(`The answer to ${Excerpt.line(method)} ${Excerpt.line(path)} failed`, Excerpt.cause(cause))
      )
    }
    if (this.#phase === "streamed") this.#cut(cause)
    else this.refuse(failure)
  }

  #withCors(headers: HttpEndpoint.Headers): HttpEndpoint.Headers {
    const { cors } = this.served.endpoint
    return cors === undefined ? headers : { ...headers, ...cors.headersOf(this.head) }
  }
}

type Answered = HttpEndpoint.Reply | RequestRules.Refusal

const failure = new RequestRules.Refusal(500, "The server failed to answer.")

/** Frameworks give their users as `any`, and a user that is taken for a principal would be nobody. */
const checked = (principal: Context.Context<never>): Context.Context<never> => {
  if (Context.isContext(principal)) return principal
  throw new TypeError(
    "the `principal` that the host gave with the request is no Context: make one as in " +
      "`Context.make(User, user).pipe(Context.add(Handshake.Name, user.id))`"
  )
}

const encoder = new TextEncoder()

/** The bytes of a body that was read: of its text, and of the JSON that stands for what a parser has made of that. */
const bytesOf = (body: unknown): Uint8Array => {
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (typeof body === "string") return encoder.encode(body)
  const text: string | undefined = JSON.stringify(body)
  if (text === undefined) throw new TypeError(`a ${typeof body} is no body of a request`)
  return encoder.encode(text)
}

const emptied = (status: number, headers: HttpEndpoint.Headers): HttpEndpoint.Headers =>
  status === 204 ? headers : { ...headers, "content-length": "0" }
