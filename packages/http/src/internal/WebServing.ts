/**
 * A request of the Fetch standard. Its signal interrupts the answer.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as HttpEndpoint from "../HttpEndpoint.ts"
import type * as RequestRules from "../shared/RequestRules.ts"
import { encoder, hostOf, type Push, type Served, Serving } from "./Serving.ts"

/** @internal */
export class WebServing extends Serving {
  readonly #request: Request
  readonly #respond: (response: Response) => void

  constructor(served: Served, request: Request, respond: (response: Response) => void) {
    super(served, new WebHead(request), Context.empty())
    this.#request = request
    this.#respond = respond
  }

  override begin(): void {
    super.begin()
    if (!this.isRunning) return
    const { signal } = this.#request
    if (signal.aborted) this.#leave()
    else signal.addEventListener("abort", this.#leave)
  }

  protected override onOver(): void {
    this.#request.signal.removeEventListener("abort", this.#leave)
  }

  readonly #leave = (): void => {
    Effect.runFork(this.interrupt)
  }

  protected override read(push: Push): Effect.Effect<RequestRules.Refusal | undefined, unknown> {
    const { body } = this.#request
    if (body === null) return Effect.undefined
    return Effect.callback((resume) => {
      const reader = body.getReader()
      // Not awaited: it may never settle, whatever ends the body on the other side.
      const cancel = () => void reader.cancel().catch(() => {})
      pushAll(reader, push).then(
        (refusal) => {
          if (refusal !== undefined) cancel()
          resume(Effect.succeed(refusal))
        },
        (cause) => resume(Effect.fail(cause))
      )
      return Effect.sync(cancel)
    })
  }

  protected override reply({ body, headers, status }: HttpEndpoint.Reply): void {
    if (body === undefined) return this.#respond(new Response(null, { status, headers }))
    const bytes = encoder.encode(body)
    const isOmitted = this.#request.method === "HEAD"
    this.#respond(
      new Response(isOmitted ? null : bytes, { status, headers: { "content-length": `${bytes.length}`, ...headers } })
    )
  }

  protected override stream(
    status: number,
    headers: HttpEndpoint.Headers,
    body: Stream.Stream<Uint8Array>,
    interrupt: Effect.Effect<void>
  ): Effect.Effect<void> {
    return Effect.sync(() => {
      const { signal } = this.#request
      const readable = Stream.toReadableStreamWith(Stream.ensuring(body, interrupt), this.context, { signal })
      this.#respond(new Response(readable, { status, headers }))
    })
  }

  protected override fail(cause: Cause.Cause<never>, headers: HttpEndpoint.Headers): void {
    if (!Cause.hasInterruptsOnly(cause)) {
      const { method, url } = this.#request
      // A query may hold a secret.
      Effect.runFork(
        Effect.logError(
          `The answer to ${Excerpt.line(method)} ${Excerpt.line(Handshake.pathOf({ url }))} failed`,
          Excerpt.cause(cause)
        )
      )
    }
    this.#respond(new Response(null, { status: 500, headers }))
  }
}

/** A promise for each piece: a `Stream` takes longer than a small handler. */
const pushAll = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  push: Push
): Promise<RequestRules.Refusal | undefined> => {
  while (true) {
    const { done, value } = await reader.read()
    const refusal = done ? undefined : push(value)
    if (done || refusal !== undefined) return refusal
  }
}

/** It reads what is asked for, when it is asked for. */
class WebHead implements RequestRules.Head {
  readonly #request: Request
  readonly method: string
  readonly address = undefined

  constructor(request: Request) {
    this.#request = request
    this.method = request.method
  }

  get url() {
    const { pathname, search } = new URL(this.#request.url)
    return pathname + search
  }

  /** An arrow function, because it may be taken off its object. */
  readonly header = (name: string): string | undefined =>
    this.#request.headers.get(name) ?? (name === "host" ? hostOf(this.#request) : undefined)

  readonly names = (): ReadonlyArray<string> => [...this.#request.headers.keys()]
}
