/**
 * One request of Effect's server, from its admission to its answer.
 *
 * A small body is taken in one piece, and the answer to it needs no Scope and no
 * `Stream`: these take longer than a small handler. The request's own fiber waits for
 * the response alone. Whatever ends the request gives its place back.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Queue from "effect/Queue"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as HttpEndpoint from "../HttpEndpoint.ts"
import * as RequestRules from "../RequestRules.ts"

/** What the requests to one endpoint share. @internal */
export class Served {
  readonly endpoint: HttpEndpoint.HttpEndpoint
  #dispatcher: Scheduler.SchedulerDispatcher | undefined

  constructor(endpoint: HttpEndpoint.HttpEndpoint) {
    this.endpoint = endpoint
  }

  /** Runs a task when all that has arrived by now is dealt with. */
  afterwards(context: Context.Context<never>, task: () => void): void {
    this.#dispatcher ??= Context.get(context, Scheduler.Scheduler).makeDispatcher()
    this.#dispatcher.scheduleTask(task, 0)
  }
}

type Respond = (response: Effect.Effect<HttpServerResponse.HttpServerResponse>) => void

/** @internal */
export class Serving implements HttpEndpoint.Responder {
  readonly #served: Served
  readonly #head: RequestRules.Head
  readonly #admission: RequestRules.Admission
  /** The services of the request's fiber. */
  readonly #context: Context.Context<Scope.Scope>
  readonly #respond: Respond
  /** Reads the body. Absent when it has arrived, or is given up. */
  #reading: Fiber.Fiber<RequestRules.Refusal | undefined, HttpServerError> | undefined
  /** Gives the body up when it takes too long. */
  #patience: Fiber.Fiber<void> | undefined
  #answer: Fiber.Fiber<void> | undefined
  /** What was written to a stream. It is made when the stream is started. */
  #pieces: Queue.Queue<string, Cause.Done> | undefined

  constructor(
    served: Served,
    head: RequestRules.Head,
    admission: RequestRules.Admission,
    context: Context.Context<Scope.Scope>,
    respond: Respond
  ) {
    this.#served = served
    this.#head = head
    this.#admission = admission
    this.#context = context
    this.#respond = respond
  }

  /** Reads the body of the request, and answers it. */
  begin(request: HttpServerRequest): void {
    const reading = Effect.runForkWith(this.#context)(this.#read(request))
    this.#reading = reading
    reading.addObserver((exit) => {
      if (this.#reading === undefined) return
      this.#reading = undefined
      this.#patience?.interruptUnsafe()
      this.#arrived(exit)
    })
    // Most bodies come with their heads, and need no timer.
    this.#served.afterwards(this.#context, () => this.#wait())
  }

  /** Gives the request up, and waits for its handlers. */
  readonly interrupt: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#answer !== undefined) return Fiber.interrupt(this.#answer)
    this.#patience?.interruptUnsafe()
    this.#giveUpReading()
    this.#admission.release()
    return Effect.void
  })

  /** Whether the body had not arrived. */
  #giveUpReading(): boolean {
    const reading = this.#reading
    this.#reading = undefined
    reading?.interruptUnsafe()
    return reading !== undefined
  }

  #read(request: HttpServerRequest): Effect.Effect<RequestRules.Refusal | undefined, HttpServerError> {
    if (isBodiless(request.source)) return Effect.undefined
    const isWhole = Number(request.headers["content-length"]) <= small
      && Context.get(this.#context, MaxBodySize) === undefined
    if (isWhole) {
      // An interruption would destroy the connection on some hosts, and the client would not learn why.
      return Effect.uninterruptible(
        Effect.map(request.arrayBuffer, (body) => this.#admission.push(new Uint8Array(body)))
      )
    }
    let refusal: RequestRules.Refusal | undefined
    return Effect.map(
      Stream.runForEachWhile(request.stream, (chunk) =>
        Effect.sync(() => {
          refusal = this.#admission.push(chunk)
          return refusal === undefined
        })),
      () => refusal
    )
  }

  #wait(): void {
    if (this.#reading === undefined) return
    const { partialFrame } = this.#served.endpoint.limits
    this.#patience = Effect.runForkWith(this.#context)(Effect.sleep(partialFrame))
    this.#patience.addObserver((exit) => {
      if (Exit.isSuccess(exit) && this.#giveUpReading()) this.#refuse(RequestRules.tooSlow)
    })
  }

  #arrived(exit: Exit.Exit<RequestRules.Refusal | undefined, HttpServerError>): void {
    if (Exit.isSuccess(exit)) return exit.value === undefined ? this.#run() : this.#refuse(exit.value)
    // When a body breaks off, nobody waits for the answer any more.
    if (!Cause.hasDies(exit.cause)) return this.#refuse(RequestRules.broken)
    this.#admission.release()
    this.#respond(Effect.die(Cause.squash(exit.cause)))
  }

  #refuse(refusal: RequestRules.Refusal): void {
    this.#admission.release()
    this.#respond(Effect.succeed(refused(refusal)))
  }

  #run(): void {
    const fiber = Effect.runForkWith(Context.add(this.#context, HttpEndpoint.CurrentHead, this.#head))(
      Effect.flatMap(
        Effect.suspend(() => {
          const text = this.#admission.text()
          return typeof text === "string"
            ? this.#served.endpoint.answer(this.#head, text, this)
            : Effect.succeed(text)
        }),
        (reply) => this.#end(reply)
      )
    )
    this.#answer = fiber
    fiber.addObserver((exit) => {
      // Not left to the Scope: some hosts close it only when the client has read everything.
      this.#admission.release()
      if (Exit.isFailure(exit)) this.#breakOff(exit.cause)
    })
  }

  start(status: number, headers: HttpEndpoint.Headers): Effect.Effect<void> {
    return Effect.flatMap(Queue.bounded<string, Cause.Done>(1), (pieces) => {
      this.#pieces = pieces
      // Some hosts send the head with the first piece.
      Queue.offerUnsafe(pieces, "")
      const response = HttpServerResponse.stream(Stream.encodeText(Stream.fromQueue(pieces)), { status, headers })
      // The Scope of the request closes when the client disconnects. The writer may be another fiber than the answer.
      const stop = Effect.suspend(() =>
        Effect.andThen(Queue.shutdown(pieces), this.#answer === undefined ? Effect.void : Fiber.interrupt(this.#answer))
      )
      const scope = Context.get(this.#context, Scope.Scope)
      return Effect.map(Scope.addFinalizer(scope, stop), () => this.#respond(Effect.succeed(response)))
    })
  }

  write(text: string): Effect.Effect<void> {
    return Effect.suspend(() => this.#pieces === undefined ? Effect.void : Queue.offer(this.#pieces, text))
  }

  get budget() {
    return this.#admission.budget
  }

  toStream() {
    return this.#admission.toStream()
  }

  #end(reply: HttpEndpoint.Reply | RequestRules.Refusal): Effect.Effect<void> {
    const pieces = this.#pieces
    if (pieces === undefined) {
      this.#respond(Effect.succeed(reply instanceof RequestRules.Refusal ? refused(reply) : replied(reply)))
      return Effect.void
    }
    if (reply instanceof RequestRules.Refusal) return Effect.die(new Error(`the stream broke off: ${reply.text}`))
    const last = reply.body === undefined ? Effect.void : Queue.offer(pieces, reply.body)
    return Effect.andThen(last, Queue.end(pieces))
  }

  #breakOff(cause: Cause.Cause<never>) {
    if (this.#pieces === undefined) this.#respond(Effect.failCause(cause))
    else Queue.failCauseUnsafe(this.#pieces, cause)
  }
}

/** Bytes of a body that is taken in one piece: about what hosts buffer of any body. */
const small = 16_384

/** A Web `Request` without a body has no stream. */
const isBodiless = (source: object): boolean => source instanceof Request && source.body === null

/** @internal */
export const refused = ({ headers, status, text }: RequestRules.Refusal): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { status, headers })

const replied = ({ body, headers, status }: HttpEndpoint.Reply): HttpServerResponse.HttpServerResponse =>
  body === undefined
    ? HttpServerResponse.empty({ status, headers: status === 204 ? headers : { ...headers, "content-length": "0" } })
    : HttpServerResponse.text(body, { status, headers })
