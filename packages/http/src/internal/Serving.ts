/**
 * One request, from its head to its answer, with the rules that hold for each host.
 * `RouteServing` and `WebServing` bring the body and take the answer.
 *
 * One fiber reads the body and answers it. Nothing else is made for a small request: a
 * Scope, a `Stream` or a second fiber takes longer than a small handler. Whatever ends
 * the request gives its place back.
 */
import * as Handshake from "@parley/transport/Handshake"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import type * as Stream from "effect/Stream"
import type * as HttpEndpoint from "../HttpEndpoint.ts"
import * as RequestRules from "../shared/RequestRules.ts"
import * as OutgoingBody from "./OutgoingBody.ts"

/** What the requests to one endpoint share. @internal */
export class Served {
  readonly endpoint: HttpEndpoint.HttpEndpoint
  /** Those whose bodies may have come with their heads. */
  readonly #begun = new Set<Waiting>()
  #dispatcher: Scheduler.SchedulerDispatcher | undefined
  #willWait = false

  constructor(endpoint: HttpEndpoint.HttpEndpoint) {
    this.endpoint = endpoint
  }

  /** Has a request wait for its body, unless `arrive` is called before all that has come by now is dealt with. */
  begin(request: Waiting, context: Context.Context<never>): void {
    this.#begun.add(request)
    if (this.#willWait) return
    this.#willWait = true
    this.#dispatcher ??= Context.get(context, Scheduler.Scheduler).makeDispatcher()
    this.#dispatcher.scheduleTask(this.#wait, 0)
  }

  arrive(request: Waiting): void {
    this.#begun.delete(request)
  }

  readonly #wait = (): void => {
    this.#willWait = false
    for (const request of this.#begun) request.wait()
    this.#begun.clear()
  }
}

/** @internal */
export interface Waiting {
  /** Waits for the body, with a timer. */
  readonly wait: () => void
}

/** Takes bytes of a body. After a refusal nothing more is read. @internal */
export type Push = RequestRules.Admission["push"]

/** @internal */
export abstract class Serving<R = never> implements HttpEndpoint.Responder, Waiting {
  /** The services of what runs for the request. */
  protected readonly context: Context.Context<R>
  readonly #served: Served
  readonly #head: RequestRules.Head
  #admission: RequestRules.Admission | undefined
  /** Asks who sends the request, reads it, and answers it. */
  #fiber: Fiber.Fiber<void> | undefined
  #isReading = false
  /** Gives the body up when it takes too long. */
  #patience: Fiber.Fiber<void> | undefined
  /** The body of a stream, or of a large answer. It is made when that is started. */
  #body: OutgoingBody.OutgoingBody | undefined

  constructor(served: Served, head: RequestRules.Head, context: Context.Context<R>) {
    this.context = context
    this.#served = served
    this.#head = head
  }

  /** Gives the bytes of the body to `push` until the first refusal, which it gives back. */
  protected abstract read(push: Push): Effect.Effect<RequestRules.Refusal | undefined, unknown>

  /** Answers with a whole body. Only the first answer counts. */
  protected abstract reply(reply: HttpEndpoint.Reply): void

  /** Answers with a stream. `interrupt` ends the request when its client has gone, or reads no more of it. */
  protected abstract stream(
    status: number,
    headers: HttpEndpoint.Headers,
    body: Stream.Stream<Uint8Array>,
    interrupt: Effect.Effect<void>
  ): Effect.Effect<void>

  /** Answers that the endpoint has failed, unless there is an answer. */
  protected abstract fail(cause: Cause.Cause<never>, headers: HttpEndpoint.Headers): void

  /** Begins to read the request, and to answer it. */
  begin(): void {
    const { admit, authorize, cors } = this.#served.endpoint
    const preflight = cors?.preflight(this.#head)
    if (preflight !== undefined) return this.reply({ status: 204, headers: preflight, body: undefined })
    const admission = admit(this.#head)
    if (admission instanceof RequestRules.Refusal) return this.#deny(admission)
    this.#admission = admission
    const fiber = authorize === undefined
      ? this.#fork(Handshake.anonymous(this.#head), admission)
      : Effect.runForkWith(this.context)(
        // An endpoint that throws gives the place back, too.
        Effect.matchEffect(Effect.suspend(() => authorize(this.#head)), {
          onFailure: (refusal) => Effect.sync(() => this.#deny(refusal)),
          onSuccess: (handshake) =>
            Effect.provideService(this.#serve(handshake, admission), Handshake.Current, handshake)
        })
      )
    this.#fiber = fiber
    fiber.addObserver((exit) => {
      // Not left to a Scope: some hosts close it only when the client has read everything.
      admission.release()
      if (Exit.isFailure(exit)) this.#breakOff(exit.cause)
      this.onOver()
    })
  }

  /** Gives the request up, and waits for its handlers. */
  readonly interrupt: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#isReading) return Effect.sync(() => this.#giveUpReading())
    // The writer may be another fiber than the answer.
    this.#body?.close()
    return this.#fiber === undefined ? Effect.void : Fiber.interrupt(this.#fiber)
  })

  /** Whether there may be something to interrupt. */
  protected get isRunning(): boolean {
    return this.#fiber !== undefined && this.#fiber.pollUnsafe() === undefined
  }

  /** Runs when everything has ended but the stream, whose client may still read. */
  protected onOver(): void {}

  #fork(handshake: Handshake.Handshake, admission: RequestRules.Admission): Fiber.Fiber<void> {
    return Effect.runForkWith(Context.add(this.context, Handshake.Current, handshake))(
      this.#serve(handshake, admission)
    )
  }

  #serve({ head }: Handshake.Handshake, admission: RequestRules.Admission): Effect.Effect<void> {
    const { answer } = this.#served.endpoint
    return Effect.flatMap(this.#arrival(admission), (refusal) => {
      const text = refusal ?? admission.text()
      if (typeof text !== "string") return Effect.sync(() => this.#refuse(text))
      return Effect.flatMap(answer(head, text, this), (reply) => this.#end(reply))
    })
  }

  /** Reads the body, and gives why it is refused. */
  #arrival(admission: RequestRules.Admission): Effect.Effect<RequestRules.Refusal | undefined> {
    return Effect.suspend(() => {
      this.#isReading = true
      // Most bodies come with their heads, and need no timer.
      this.#served.begin(this, this.context)
      return Effect.match(this.read((chunk) => admission.push(chunk)), {
        onFailure: () => this.#arrived(RequestRules.broken),
        onSuccess: (refusal) => this.#arrived(refusal)
      })
    })
  }

  #arrived(refusal: RequestRules.Refusal | undefined): RequestRules.Refusal | undefined {
    this.#isReading = false
    this.#served.arrive(this)
    this.#patience?.interruptUnsafe()
    return refusal
  }

  wait(): void {
    const { partialFrame } = this.#served.endpoint.limits
    this.#patience = Effect.runForkWith(this.context)(Effect.sleep(partialFrame))
    this.#patience.addObserver((exit) => {
      if (!Exit.isSuccess(exit) || !this.#isReading) return
      this.#refuse(RequestRules.tooSlow)
      this.#giveUpReading()
    })
  }

  /** Does not wait, not even with the place, because some hosts end a body only with its connection. */
  #giveUpReading(): void {
    this.#admission?.release()
    this.#arrived(undefined)
    this.#fiber?.interruptUnsafe()
  }

  start(status: number, headers: HttpEndpoint.Headers): Effect.Effect<void> {
    return Effect.flatMap(this.#makeBody, (body) => {
      body.begin()
      return this.#stream(status, headers, body)
    })
  }

  write(text: string): Effect.Effect<void> {
    return Effect.suspend(() => this.#body?.write(encoder.encode(text)) ?? Effect.void)
  }

  get #makeBody(): Effect.Effect<OutgoingBody.OutgoingBody> {
    const { budget, context, interrupt } = this
    const { limits } = this.#served.endpoint
    return Effect.map(
      OutgoingBody.make({ budget, limits, context, interrupt }),
      (body) => this.#body = body
    )
  }

  #stream(status: number, headers: HttpEndpoint.Headers, body: OutgoingBody.OutgoingBody): Effect.Effect<void> {
    return this.stream(status, this.#withCors(headers), body.stream, this.interrupt)
  }

  get budget() {
    return this.#admission?.budget
  }

  toStream() {
    return this.#admission?.toStream()
  }

  #end(reply: HttpEndpoint.Reply | RequestRules.Refusal): Effect.Effect<void> {
    const body = this.#body
    if (body === undefined) return this.#answer(reply)
    if (reply instanceof RequestRules.Refusal) return Effect.die(new Error(`the stream broke off: ${reply.text}`))
    const last = reply.body === undefined ? Effect.void : body.write(encoder.encode(reply.body))
    return Effect.andThen(last, body.end)
  }

  #answer(reply: HttpEndpoint.Reply | RequestRules.Refusal): Effect.Effect<void> {
    if (reply instanceof RequestRules.Refusal) return Effect.sync(() => this.#refuse(reply))
    const bytes = this.#head.method === "HEAD" ? undefined : countedBytes(reply.body)
    return bytes === undefined ? Effect.sync(() => this.#reply(reply)) : this.#replyInPieces(reply, bytes)
  }

  /** Hosts keep the pieces that they have taken until the client has read them. */
  #replyInPieces({ headers, status }: HttpEndpoint.Reply, bytes: Uint8Array): Effect.Effect<void> {
    return Effect.flatMap(this.#makeBody, (body) => {
      const started = this.#stream(status, { ...typed(headers), "content-length": `${bytes.length}` }, body)
      return Effect.andThen(started, Effect.andThen(body.write(bytes), body.end))
    })
  }

  #breakOff(cause: Cause.Cause<never>): void {
    if (this.#body === undefined) this.fail(cause, this.#withCors({}))
    else this.#body.fail(cause)
  }

  /** Refuses a head, which our log may hear of. */
  #deny(refusal: RequestRules.Refusal): void {
    const { report } = this.#served.endpoint
    if (report !== undefined) Effect.runForkWith(this.context)(report(this.#head, refusal))
    this.#refuse(refusal)
  }

  #refuse(refusal: RequestRules.Refusal): void {
    this.#reply({ status: refusal.status, headers: refusal.headers, body: refusal.text })
  }

  #reply({ body, headers, status }: HttpEndpoint.Reply): void {
    const whole = body === undefined ? emptied(status, headers) : typed(headers)
    this.reply({ status, headers: this.#withCors(whole), body })
  }

  #withCors(headers: HttpEndpoint.Headers): HttpEndpoint.Headers {
    const { cors } = this.#served.endpoint
    return cors === undefined ? headers : { ...headers, ...cors.headersOf(this.#head) }
  }
}

const emptied = (status: number, headers: HttpEndpoint.Headers): HttpEndpoint.Headers =>
  status === 204 ? headers : { ...headers, "content-length": "0" }

/** The headers of a text. Where they name no type it is plain: a host would name one, or none, by its size. */
const typed = (headers: HttpEndpoint.Headers): HttpEndpoint.Headers =>
  headers["content-type"] === undefined ? RequestRules.headersOf({ headers }) : headers

/** The bytes of a text that counts, and `undefined` for others. Most are so short that none needs to be encoded for that. */
const countedBytes = (text = ""): Uint8Array | undefined => {
  if (3 * text.length <= OutgoingBody.piece) return undefined
  const bytes = encoder.encode(text)
  return bytes.length > OutgoingBody.piece ? bytes : undefined
}

export const encoder = new TextEncoder()

/** The host of a Web request: servers put it into the URL alone. @internal */
export const hostOf = ({ url }: Request): string => new URL(url).host
