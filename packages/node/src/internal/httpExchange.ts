/**
 * The exchange over undici's connection pool itself: what Effect's `HttpClient`
 * does more for each request takes longer than all the rest of a call.
 */
import type * as Undici from "@effect/platform-node/Undici"
import { Pool } from "@effect/platform-node/Undici"
import * as AnswerReader from "@parley/http/AnswerReader"
import * as HttpExchange from "@parley/http/HttpExchange"
import { Disconnected } from "@parley/peer/CallerError"
import type { Ending, Exchange, ExchangeError } from "@parley/peer/Exchange"
import * as Limits from "@parley/protocol/Limits"
import type * as TransportError from "@parley/transport/TransportError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Tls } from "../Tls.ts"
import { openError } from "./accepting.ts"
import { clientOptions } from "./tls.ts"

/** Where, and how. */
export interface Options extends HttpExchange.Options {
  readonly tls?: Tls | undefined
  readonly connections?: number | undefined
}

/** A connection is free again a turn after its answer, so that with more of them a busy caller opens ever more. */
const mostConnections = 64

/** Posts over connections that are kept until the Scope closes. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Exchange, TransportError.TransportError, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const tls = options.tls === undefined ? {} : yield* clientOptions(options.tls)
  // The error of the platform holds the URL, and with it what may be a password.
  const url = URL.canParse(options.url)
    ? new URL(options.url)
    : yield* Effect.fail(openError(new TypeError("Invalid URL")))
  const pool = yield* Effect.acquireRelease(
    opening(() =>
      new Pool(url.origin, {
        connections: options.connections ?? mostConnections,
        // Node's types allow for a port that is `undefined`, which undici's do not; none is there.
        connect: { ...tls, timeout: limits.handshake } as Exclude<Undici.Pool.Options["connect"], undefined>,
        // Calls have their own timeouts, and may have none.
        headersTimeout: 0,
        bodyTimeout: 0,
        allowH2: false
      })
    ),
    (pool) => Effect.promise(() => pool.destroy())
  )
  const path = url.pathname + url.search
  const credentials = yield* opening(() => credentialsOf(url))
  const everyones = { ...credentials, ...lowerCased(options.headers ?? {}) }
  const shared = flat(everyones)
  return {
    post: (text, take) =>
      Effect.withFiber((fiber) => {
        const own = fiber.getRef(HttpExchange.Headers)
        return Effect.callback((resume) => {
          const post = new Post(limits.frame, take, fiber.context, resume)
          const headers = Object.keys(own).length === 0 ? shared : flat({ ...everyones, ...lowerCased(own) })
          try {
            pool.dispatch({ path, method: "POST", headers, body: text }, post)
          } catch (cause) {
            post.lose(cause)
          }
          return post.abort
        })
      })
  }
})

const opening = <A>(make: () => A): Effect.Effect<A, TransportError.TransportError> =>
  Effect.try({ try: make, catch: openError })

/** A header that came more than once says nothing clear. */
const one = (header: string | Array<string> | undefined): string | undefined =>
  typeof header === "object" ? header.join(", ") : header

type Headers = Readonly<Record<string, string>>

/** What undici takes as it is, of names in lower case. */
const flat = (headers: Headers): Array<string> =>
  Object.entries({ "content-type": "application/json", accept: HttpExchange.accept, ...headers }).flat()

const lowerCased = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Undici does not look at the user and password of a URL. */
const credentialsOf = ({ password, username }: URL): Headers =>
  username === "" && password === ""
    ? {}
    : {
      authorization: `Basic ${
        Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
      }`
    }

type Take = Parameters<Exchange["post"]>[1]

type Resume = (effect: Effect.Effect<Ending, ExchangeError>) => void

/** One request, as undici sees it. */
class Post implements Undici.Dispatcher.DispatchHandler {
  readonly #frame: number
  readonly #take: Take
  readonly #context: Context.Context<never>
  readonly #resume: Resume
  #controller: Undici.Dispatcher.DispatchController | undefined
  #reader: AnswerReader.AnswerReader | undefined
  /** Texts behind one that is waited for: what was read already comes, though the reading is paused. */
  readonly #texts: Array<string> = []
  #waiting: Fiber.Fiber<void> | undefined
  #isPaused = false
  /** How it ends, once all texts are handed on. */
  #ending: Effect.Effect<Ending, ExchangeError> | undefined
  #isOver = false

  constructor(frame: number, take: Take, context: Context.Context<never>, resume: Resume) {
    this.#frame = frame
    this.#take = take
    this.#context = context
    this.#resume = resume
  }

  /** What waits to be sent is dropped when its turn comes. */
  readonly abort: Effect.Effect<void> = Effect.sync(() => {
    this.#isOver = true
    this.#waiting?.interruptUnsafe()
    this.#controller?.abort(new Error("the request was given up"))
  })

  lose(cause: unknown) {
    const sent = this.#controller !== undefined
    this.#ending ??= Effect.fail(new Disconnected({ reason: { _tag: sent ? "Lost" : "Open", cause }, sent }))
    this.#proceed()
  }

  onRequestStart(controller: Undici.Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error("the request was given up"))
  }

  onResponseStart(
    controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Undici.Dispatcher.ResponseData["headers"]
  ) {
    if (status < 200) return
    const reader = AnswerReader.make({
      status,
      contentType: one(headers["content-type"]),
      contentLength: one(headers["content-length"]),
      contentEncoding: one(headers["content-encoding"])
    }, this.#frame)
    if (Result.isSuccess(reader)) this.#reader = reader.success
    else this.#stop(controller, reader.failure)
  }

  onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#reader === undefined || this.#ending !== undefined) return
    const texts = this.#reader.push(chunk)
    if (Result.isFailure(texts)) return this.#stop(controller, texts.failure)
    if (texts.success.length === 0) return
    this.#texts.push(...texts.success)
    this.#proceed()
  }

  onResponseEnd() {
    if (this.#reader === undefined || this.#ending !== undefined) return
    const { ending, text } = this.#reader.end()
    if (text !== undefined) this.#texts.push(text)
    this.#ending = Effect.fromResult(ending)
    this.#proceed()
  }

  onResponseError(_: Undici.Dispatcher.DispatchController, cause: Error) {
    this.lose(cause)
  }

  /** Hands on texts, and reads no more while one of them is waited for. */
  #proceed() {
    if (this.#waiting !== undefined || this.#isOver) return
    for (let text = this.#texts.shift(); text !== undefined; text = this.#texts.shift()) {
      const effect = this.#take(text)
      if (effect !== undefined) return this.#wait(effect)
    }
    const ending = this.#ending
    if (ending !== undefined) {
      this.#isOver = true
      return outside(() => this.#resume(ending))
    }
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#controller?.resume()
  }

  #wait(effect: Effect.Effect<void>) {
    this.#isPaused = true
    this.#controller?.pause()
    this.#waiting = Effect.runForkWith(this.#context)(effect)
    this.#waiting.addObserver(() =>
      outside(() => {
        this.#waiting = undefined
        this.#proceed()
      })
    )
  }

  #stop(controller: Undici.Dispatcher.DispatchController, error: ExchangeError) {
    this.#ending = Effect.fail(error)
    this.#proceed()
    controller.abort(error)
  }
}

/** Undici runs one parser at a time, and what goes on from here may have been called by one. */
const outside = (run: () => void) => queueMicrotask(run)
