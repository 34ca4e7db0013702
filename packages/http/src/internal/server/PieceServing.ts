/**
 * A request on a host that takes answers as they are, and streams and large answers as
 * bodies in pieces; and that waits for the body of a request as long as that takes, so
 * that a timer has to end it.
 *
 * The place of a request is given back when its answer has been handed over: some of
 * these hosts tell that the client has gone only when it has read everything.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Stream from "effect/Stream"
import type * as HttpEndpoint from "../../HttpEndpoint.ts"
import * as RequestRules from "../../shared/RequestRules.ts"
import { Serving } from "../../shared/server/Serving.ts"
import * as OutgoingBody from "./OutgoingBody.ts"

type Answer = HttpEndpoint.Reply | RequestRules.Refusal

/** @internal */
export abstract class PieceServing extends Serving {
  /** The body of a stream, or of a large answer. It is made when that is started. */
  #body: OutgoingBody.OutgoingBody | undefined
  /** Gives the body of the request up when it takes too long. */
  #patience: Fiber.Fiber<void> | undefined

  /** Begins to read the body, as `read`. */
  protected abstract bring(): void

  /** Reads nothing more of the body. */
  protected abstract stop(): void

  /** Answers with a body in pieces. `left` is to run when the client has gone, or reads no more. */
  protected abstract stream(
    status: number,
    headers: HttpEndpoint.Headers,
    cookies: ReadonlyArray<string>,
    body: Stream.Stream<Uint8Array>,
    left: Effect.Effect<void>
  ): Effect.Effect<void>

  /** The client has gone. Waits for what runs for the request, but not for its body, which some hosts never end. */
  get left(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.leave()
      return this.interrupt
    })
  }

  /** It is told. */
  protected override get isLost(): boolean {
    return false
  }

  override leave(): void {
    const { isReading } = this
    this.#patience?.interruptUnsafe()
    // The writer may be another fiber than the answer.
    this.#body?.close()
    super.leave()
    if (isReading) this.stop()
  }

  protected override read(): void {
    // Most bodies come with their heads, and need no timer.
    this.served.turn(this.context).after(() => {
      if (this.isReading) this.#wait()
    })
    this.bring()
  }

  #wait(): void {
    this.#patience = Effect.runForkWith(this.context)(Effect.sleep(this.served.endpoint.limits.partialFrame))
    this.#patience.addObserver((exit) => {
      if (!Exit.isSuccess(exit) || !this.isReading) return
      this.refuse(RequestRules.tooSlow)
      this.stop()
    })
  }

  protected override arrived(): void {
    this.#patience?.interruptUnsafe()
    super.arrived()
  }

  protected override settled(): void {
    this.release()
  }

  protected override open(
    status: number,
    headers: HttpEndpoint.Headers,
    cookies: ReadonlyArray<string>
  ): Effect.Effect<void> {
    const { budget, context, left } = this
    const { limits } = this.served.endpoint
    return Effect.flatMap(OutgoingBody.make({ budget, limits, context, interrupt: left }), (body) => {
      this.#body = body
      body.begin()
      return this.stream(status, headers, cookies, body.stream, left)
    })
  }

  /** None of these hosts tells that it ends. */
  override get onDraining() {
    return undefined
  }

  override write(piece: string | Uint8Array): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#body?.write(typeof piece === "string" ? encoder.encode(piece) : piece) ?? Effect.void
    )
  }

  protected override finishing(answer: Effect.Effect<Answer>): Effect.Effect<Answer | undefined> {
    return Effect.flatMap(answer, (reply): Effect.Effect<Answer | undefined> => {
      if (reply instanceof RequestRules.Refusal) return Effect.succeed(reply)
      if (this.#body !== undefined) return this.#last(reply.body === undefined ? undefined : encoder.encode(reply.body))
      const bytes = this.head.method === "HEAD" ? undefined : countedBytes(reply.body)
      if (bytes === undefined) return Effect.succeed(reply)
      // Hosts keep the pieces that they have taken until the client has read them.
      const headers = { ...RequestRules.headersOf(reply), "content-length": `${bytes.length}` }
      return Effect.andThen(this.start(reply.status, headers), Effect.suspend(() => this.#last(bytes)))
    })
  }

  #last(bytes: Uint8Array | undefined): Effect.Effect<undefined> {
    const body = this.#body
    if (body === undefined) return Effect.undefined
    return Effect.andThen(bytes === undefined ? Effect.void : body.write(bytes), Effect.as(body.end, undefined))
  }

  /** Only a host that tells that it ends does this. */
  protected override end(): void {
    this.#body?.close()
  }

  protected override breakOff(cause: Cause.Cause<never>): void {
    this.#body?.fail(cause)
  }
}

/** The bytes of a text that counts, and `undefined` for others. Most are so short that none needs to be encoded for that. */
const countedBytes = (text = ""): Uint8Array | undefined => {
  if (3 * text.length <= OutgoingBody.piece) return undefined
  const bytes = encoder.encode(text)
  return bytes.length > OutgoingBody.piece ? bytes : undefined
}

/** @internal */
export const encoder = new TextEncoder()

/** The host of a Web request: servers put it into the URL alone. @internal */
export const hostOf = ({ url }: Request): string => new URL(url).host
