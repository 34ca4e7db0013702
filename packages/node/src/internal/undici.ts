/**
 * What requests over undici have in common: the connections, and an answer that
 * is read no faster than it is taken.
 */
import type * as Undici from "@effect/platform-node/Undici"
import { Disconnected } from "@parley/peer/CallerError"
import * as Limits from "@parley/protocol/Limits"
import type * as TransportError from "@parley/transport/TransportError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Tls } from "../Tls.ts"
import { clientOptions } from "./tls.ts"

/** How connections are opened, and how many. */
export interface Options {
  readonly limits?: Partial<Limits.Limits> | undefined
  readonly tls?: Tls | undefined
  readonly connections?: number | undefined
}

/** A connection is free again a turn after its answer, so that with more of them a busy caller opens ever more. */
const mostConnections = 64

/** For a `Pool`, and for each pool of an `Agent`. */
export const poolOptions = (options: Options): Effect.Effect<Undici.Pool.Options, TransportError.TransportError> =>
  Effect.map(options.tls === undefined ? Effect.succeed({}) : clientOptions(options.tls), (tls) => ({
    connections: options.connections ?? mostConnections,
    connect: {
      ...tls,
      timeout: Limits.make(options.limits).handshake
      // Node's types allow for a port that is `undefined`, which undici's do not; none is there.
    } as Exclude<Undici.Pool.Options["connect"], undefined>,
    // Calls have their own timeouts, and may have none.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false
  }))

/** A header that came more than once says nothing clear. */
export const one = (header: string | Array<string> | undefined): string | undefined =>
  typeof header === "object" ? header.join(", ") : header

/** Undici runs one parser at a time, and what goes on from here may have been called by one. */
export const outside = (run: () => void) => queueMicrotask(run)

/** What is read of one answer, and handed on to who takes it. */
export abstract class Reading<A, E, Done> implements Undici.Dispatcher.DispatchHandler {
  #take: ((value: A) => Effect.Effect<void, E> | undefined) | undefined
  #context: Context.Context<never> | undefined
  #resume: ((effect: Effect.Effect<Done, E | Disconnected>) => void) | undefined
  #controller: Undici.Dispatcher.DispatchController | undefined
  /** Values behind one that is waited for: what was read already comes, though the reading is paused. */
  readonly #values: Array<A> = []
  #waiting: Fiber.Fiber<void, E> | undefined
  #isPaused = false
  /** How it ends, once all values are handed on. */
  #ending: Effect.Effect<Done, E | Disconnected> | undefined
  #isOver = false

  abstract onResponseStart(
    controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Undici.Dispatcher.ResponseData["headers"]
  ): void
  abstract onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Buffer): void
  abstract onResponseEnd(): void
  /** The request, or its answer, came to nothing. */
  abstract lose(cause: unknown): void

  onRequestStart(controller: Undici.Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isOver) controller.abort(givenUp())
  }

  onResponseError(_: Undici.Dispatcher.DispatchController, cause: Error) {
    this.lose(cause)
  }

  /** Who takes the values, and hears of the end. */
  handTo(
    take: (value: A) => Effect.Effect<void, E> | undefined,
    context: Context.Context<never>,
    resume: (effect: Effect.Effect<Done, E | Disconnected>) => void
  ) {
    this.#take = take
    this.#context = context
    this.#resume = resume
  }

  /** Gives up. What waits to be sent is dropped when its turn comes. */
  readonly abort: Effect.Effect<void> = Effect.sync(() => {
    this.#isOver = true
    this.#waiting?.interruptUnsafe()
    this.#controller?.abort(givenUp())
  })

  get isEnded() {
    return this.#ending !== undefined
  }

  lost(cause: unknown): Effect.Effect<never, Disconnected> {
    const sent = this.#controller !== undefined
    return Effect.fail(new Disconnected({ reason: { _tag: sent ? "Lost" : "Open", cause }, sent }))
  }

  push(values: ReadonlyArray<A>) {
    this.#values.push(...values)
    this.proceed()
  }

  /** Nothing more will come but this. The first end counts. */
  end(ending: Effect.Effect<Done, E | Disconnected>, last?: A) {
    if (last !== undefined) this.#values.push(last)
    this.#ending ??= ending
    this.proceed()
  }

  /** Reads no more, because what came is bad. */
  stop(error: E) {
    this.end(Effect.fail(error))
    this.#controller?.abort(error instanceof Error ? error : givenUp())
  }

  /** Hands on values, and reads no more while one of them is waited for, or nobody takes them yet. */
  proceed() {
    if (this.#waiting !== undefined || this.#isOver) return
    const take = this.#take
    if (take === undefined) return this.#values.length > 0 ? this.#pause() : undefined
    for (let value = this.#values.shift(); value !== undefined; value = this.#values.shift()) {
      const effect = take(value)
      if (effect !== undefined) return this.#wait(effect)
    }
    const ending = this.#ending
    if (ending !== undefined) return this.#settle(ending)
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#controller?.resume()
  }

  #wait(effect: Effect.Effect<void, E>) {
    if (this.#context === undefined) return
    this.#pause()
    this.#waiting = Effect.runForkWith(this.#context)(effect)
    this.#waiting.addObserver((exit) =>
      outside(() => {
        this.#waiting = undefined
        if (Exit.isSuccess(exit) || this.#isOver) return this.proceed()
        this.#settle(Effect.failCause(exit.cause))
        this.#controller?.abort(givenUp())
      })
    )
  }

  #pause() {
    this.#isPaused = true
    this.#controller?.pause()
  }

  #settle(ending: Effect.Effect<Done, E | Disconnected>) {
    this.#isOver = true
    outside(() => this.#resume?.(ending))
  }
}

const givenUp = () => new Error("the request was given up")
