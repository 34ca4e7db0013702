/**
 * A request of the Fetch standard. Its signal interrupts the answer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as HttpEndpoint from "../../HttpEndpoint.ts"
import type * as RequestRules from "../../shared/RequestRules.ts"
import type { Served } from "../../shared/server/Served.ts"
import { encoder, hostOf, PieceServing } from "./PieceServing.ts"

/** @internal */
export class WebServing extends PieceServing {
  readonly #request: Request
  readonly #respond: (response: Response) => void
  readonly #hostContext: HttpEndpoint.HostContext
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined

  constructor(
    served: Served,
    request: Request,
    hostContext: HttpEndpoint.HostContext,
    respond: (response: Response) => void
  ) {
    super(served, new WebHead(request), Context.empty())
    this.#request = request
    this.#hostContext = hostContext
    this.#respond = respond
  }

  override begin(): void {
    const { signal } = this.#request
    // A signal that has aborted before tells nobody.
    if (signal.aborted) return this.leave()
    signal.addEventListener("abort", this.#onAbort)
    super.begin(undefined, this.#hostContext.principal)
  }

  readonly #onAbort = (): void => this.leave()

  override leave(): void {
    super.leave()
    // Some hosts wait for a response all the same.
    this.#respond(new Response(null, { status: 500 }))
  }

  protected override settled(): void {
    super.settled()
    this.#request.signal.removeEventListener("abort", this.#onAbort)
  }

  protected override bring(): void {
    const { body } = this.#hostContext
    if (body !== undefined) return this.takeRead(body)
    if (this.#request.bodyUsed) throw new Error(wasRead)
    const reader = this.#reader = this.#request.body?.getReader()
    if (reader === undefined) return this.arrived()
    this.#takeAll(reader).then(() => this.arrived(), () => this.broken())
  }

  /** A promise for each piece: a `Stream` takes longer than a small handler. */
  async #takeAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      if (!this.take(value)) return this.stop()
    }
  }

  protected override stop(): void {
    // Not awaited: it may never settle, whatever ends the body on the other side.
    this.#reader?.cancel().catch(() => {})
  }

  protected override whole({ body, headers, status }: HttpEndpoint.Reply): void {
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
    cookies: ReadonlyArray<string>,
    body: Stream.Stream<Uint8Array>,
    left: Effect.Effect<void>
  ): Effect.Effect<void> {
    return Effect.sync(() => {
      const { signal } = this.#request
      const readable = Stream.toReadableStreamWith(Stream.ensuring(body, left), this.context, { signal })
      const response = new Response(readable, { status, headers })
      for (const cookie of cookies) response.headers.append("set-cookie", cookie)
      this.#respond(response)
    })
  }
}

const wasRead = "the host has read the body of the request: give it as `body` to `handle`"

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
