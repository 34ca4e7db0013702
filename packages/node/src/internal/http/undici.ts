/**
 * The common part of requests over undici: the connections, and an answer that is
 * read no faster than it is taken.
 *
 * Each share has connections of its own (promise 12). A call holds its connection
 * until it is answered. If the other side calls back for that, our reply must find
 * another connection, and so must what our handler calls.
 */
import { Disconnected } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import type * as Transport from "@parley/transport/Transport"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as Undici from "undici"
import { clientOptions } from "../tls.ts"
import type { Tls } from "../TlsOptions.ts"

/** The options of the connections. */
export interface Options {
  readonly limits?: Partial<Limits.Limits> | undefined
  readonly tls?: Tls | undefined
  readonly connections?: number | undefined
}

/** A connection is free a turn after its answer. Without this bound a busy caller would open ever more. */
const mostConnections = 64

/**
 * Opens connections for each share, until the Scope closes: together no more than a listener takes by default, which would
 * refuse the others. Nested calls get most, because those of each depth hold theirs until all deeper ones are answered.
 */
export const open = (
  options: Options,
  make: (options: Undici.Pool.Options) => Effect.Effect<Undici.Dispatcher, Transport.TransportError>
): Effect.Effect<Readonly<Record<Exchange.Share, Connections>>, Transport.TransportError, Scope.Scope> =>
  Effect.flatMap(poolOptions(options), (settings) => {
    const connections = (most: number) =>
      Effect.map(
        Effect.acquireRelease(
          make({ ...settings, connections: most }),
          (dispatcher) => Effect.promise(() => dispatcher.destroy())
        ),
        (dispatcher) => new Connections(dispatcher, most)
      )
    const { connections: most } = Limits.make({ connections: options.connections ?? mostConnections })
    return Effect.all({
      call: connections(most),
      nested: connections(Math.max(most, Limits.make(options.limits).connections - 2 * most)),
      reply: connections(most)
    })
  })

/** For a `Pool`, and for each pool of an `Agent`. */
const poolOptions = (options: Options): Effect.Effect<Undici.Pool.Options, Transport.TransportError> =>
  Effect.map(options.tls === undefined ? Effect.succeed({}) : clientOptions(options.tls), (tls) => ({
    connect: {
      ...tls,
      timeout: Limits.make(options.limits).handshake
      // Node's types allow for a port that is `undefined`, which undici's do not; none is there.
    } as Exclude<Undici.Pool.Options["connect"], undefined>,
    // Calls have their own timeouts, or none.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false
  }))

/**
 * Connections to each origin, as many as requests may go at once. The others wait here, and leave when they are given
 * up: in the queue of undici they would stay, with their bodies, until a connection is free.
 */
export class Connections {
  readonly #dispatcher: Undici.Dispatcher
  readonly #most: number
  readonly #lines = new Map<unknown, Line>()

  constructor(dispatcher: Undici.Dispatcher, most: number) {
    this.#dispatcher = dispatcher
    this.#most = most
  }

  /** Sends a request when a connection is free. */
  dispatch(options: Undici.Dispatcher.DispatchOptions, request: Request): void {
    const { origin } = options
    let line = this.#lines.get(origin)
    if (line === undefined) {
      // The only one is kept: a caller of one server would make a new one for each call.
      line = new Line(this.#dispatcher, this.#most, () => this.#lines.size > 1 && this.#lines.delete(origin))
      this.#lines.set(origin, line)
    }
    request.line = line
    line.enter(request, options)
  }
}

/** The requests to one origin: those that go now, and those that wait. */
class Line {
  readonly #dispatcher: Undici.Dispatcher
  readonly #most: number
  readonly #onEmpty: () => void
  readonly #waiting = new Map<Request, Undici.Dispatcher.DispatchOptions>()
  /** Those that wait, in order. One iterator for many: a new one passes over all that have left a long line. */
  #order = this.#waiting.entries()
  #open = 0

  constructor(dispatcher: Undici.Dispatcher, most: number, onEmpty: () => void) {
    this.#dispatcher = dispatcher
    this.#most = most
    this.#onEmpty = onEmpty
  }

  enter(request: Request, options: Undici.Dispatcher.DispatchOptions): void {
    if (this.#open >= this.#most) return void this.#waiting.set(request, options)
    this.#open++
    this.#begin(request, options)
  }

  /** Takes out a request that may still wait. */
  withdraw(request: Request): void {
    if (this.#waiting.delete(request)) request.line = undefined
  }

  /** Hands the connection of a request over to the next. */
  handOver(): void {
    const next = this.#order.next()
    if (next.done === true) {
      // An iterator that has ended gives nothing more.
      this.#order = this.#waiting.entries()
      if (--this.#open === 0) this.#onEmpty()
    } else {
      this.#waiting.delete(next.value[0])
      outside(() => this.#begin(...next.value))
    }
  }

  #begin(request: Request, options: Undici.Dispatcher.DispatchOptions): void {
    try {
      this.#dispatcher.dispatch(options, request)
    } catch (cause) {
      request.onResponseError(undefined, cause)
    }
  }
}

/** A request that waits for its connection, or goes. */
interface Request extends Undici.Dispatcher.DispatchHandler {
  /** Set until undici is done with it. */
  line: Line | undefined
  onResponseError(controller: unknown, cause: unknown): void
}

/** One value for a header. Those of a repeated header are joined. */
export const one = (header: string | Array<string> | undefined): string | undefined =>
  typeof header === "object" ? header.join(", ") : header

/** All values of a header. */
export const many = (header: string | Array<string> | undefined): ReadonlyArray<string> =>
  header === undefined ? [] : typeof header === "string" ? [header] : header

/** Runs in a later microtask: undici runs one parser at a time, and this may be called from within one. */
export const outside = (run: () => void) => queueMicrotask(run)

/** Reads one answer, and hands its values on one by one. */
export abstract class Reading<A, E, Done> implements Request {
  line: Line | undefined = undefined
  #take: ((value: A) => Effect.Effect<void, E> | undefined) | undefined
  #context: Context.Context<never> | undefined
  #resume: ((effect: Effect.Effect<Done, E | Disconnected>) => void) | undefined
  #controller: Undici.Dispatcher.DispatchController | undefined
  /** Values that came while an earlier one was being taken. Some still come after reading was paused. */
  readonly #values: Array<A> = []
  #waiting: Fiber.Fiber<void, E> | undefined
  #isPaused = false
  /** How the answer ends, once all values are handed on. */
  #ending: Effect.Effect<Done, E | Disconnected> | undefined
  #isOver = false

  abstract onResponseStart(
    controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Undici.Dispatcher.ResponseData["headers"]
  ): void
  abstract onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Buffer): void
  /** The answer is whole. */
  protected abstract close(): void
  /** The request failed, or its answer broke off. */
  abstract lose(cause: unknown): void
  /** Nothing more is read. */
  protected onOver(): void {}

  onRequestStart(controller: Undici.Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isOver) controller.abort(givenUp())
  }

  onResponseEnd() {
    this.#done()
    this.close()
  }

  onResponseError(_: unknown, cause: unknown) {
    this.#done()
    this.lose(cause)
  }

  /** Sets who takes the values, and what is called at the end. */
  handTo(
    take: (value: A) => Effect.Effect<void, E> | undefined,
    context: Context.Context<never>,
    resume: (effect: Effect.Effect<Done, E | Disconnected>) => void
  ) {
    this.#take = take
    this.#context = context
    this.#resume = resume
  }

  /** Aborts the request. If its connection is being opened, it is dropped when that is there. */
  readonly abort: Effect.Effect<void> = Effect.sync(() => {
    this.#isOver = true
    this.onOver()
    this.line?.withdraw(this)
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

  /** Ends the answer, perhaps with a last value. The first end counts. */
  end(ending: Effect.Effect<Done, E | Disconnected>, last?: A) {
    if (last !== undefined) this.#values.push(last)
    this.#ending ??= ending
    this.proceed()
  }

  /** Stops reading because of an error. */
  stop(error: E) {
    this.end(Effect.fail(error))
    this.#controller?.abort(error instanceof Error ? error : givenUp())
  }

  /** Reads nothing more until an effect has ended, if there is one. Where reading pauses already, the next bytes wait. */
  pauseFor(effect: Effect.Effect<void> | undefined) {
    if (effect !== undefined && this.#waiting === undefined && !this.#isOver) this.#wait(effect)
  }

  /** Hands values on. Pauses reading while one of them is being taken, or nobody takes them yet. */
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

  #done() {
    const { line } = this
    this.line = undefined
    line?.handOver()
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
    this.onOver()
    outside(() => this.#resume?.(ending))
  }
}

const givenUp = () => new Error("the request was given up")
