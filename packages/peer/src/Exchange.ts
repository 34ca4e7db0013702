/**
 * One text out, and the texts that come back for it: the port of wires that
 * answer each text by itself, as HTTP does, and the `Caller` over it.
 *
 * Every call, notification and batch is an exchange of its own. Giving a call up
 * gives its exchange up; nothing is sent to cancel it. A response belongs to the
 * exchange that it came with: one with the id of another call settles nothing.
 *
 * @since 0.1.0
 */
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Caller, CallOptions, Member } from "./Caller.ts"
import * as CallerError from "./CallerError.ts"
import * as Correlator from "./Correlator.ts"
import * as CallTime from "./internal/CallTime.ts"
import * as Interceptor from "./internal/Interceptor.ts"
import * as Posting from "./internal/Posting.ts"
import * as Progress from "./internal/Progress.ts"
import * as Reply from "./internal/Reply.ts"
import * as Separately from "./internal/Separately.ts"
import * as Sweeper from "./internal/Sweeper.ts"

/**
 * What came back holds no text: it is of another type, too large, or no UTF-8.
 *
 * @category errors
 * @since 0.1.0
 */
export class BadAnswer extends Schema.TaggedError<BadAnswer>()("BadAnswer", { rule: Schema.String }) {
  override get message(): string {
    return this.rule
  }
}

/** How an exchange may fail. @category errors @since 0.1.0 */
export type ExchangeError = CallerError.Disconnected | CallerError.HttpStatusError | BadAnswer

/**
 * What an exchange ended as: one answer that was read whole, or a stream of texts.
 *
 * @category models
 * @since 0.1.0
 */
export type Ending = "answer" | "stream"

/**
 * Sends a text, and takes the texts that come back.
 *
 * @category models
 * @since 0.1.0
 */
export interface Exchange {
  /**
   * Sends a text, and calls `take` for each text that comes back, in its order. Where that gives an effect, nothing more
   * is read before it has ended. Ends when no more will come; an interruption gives the exchange up, so that the other
   * side can see it. A text that comes with a status that is no success is taken, too, before `HttpStatusError`.
   */
  readonly post: (
    text: string,
    take: (text: string) => Effect.Effect<void> | undefined
  ) => Effect.Effect<Ending, ExchangeError>
}

/**
 * What a caller over exchanges may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallerOptions {
  /** How the other side uses JSON-RPC. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
  /** `waiting` bounds the calls at once. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** How long a call waits that does not say so itself. 30 seconds by default; `Duration.infinity` switches it off. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * Calls over exchanges, until the Scope closes. Each exchange runs with the services of its call.
 *
 * - An error with id null is the answer to every call of its exchange that has none of its own in the same text.
 * - An exchange that ends without a response fails its calls with `InvalidResponse`, or, where it was a stream, with
 *   `Disconnected`.
 * - A notification returns when its exchange has ended, and what came back is not looked at.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeCaller = (
  exchange: Exchange,
  options: CallerOptions = {}
): Effect.Effect<Caller["Service"], never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.contextWith((context: Context.Context<never>) => Effect.sync(() => start(exchange, options, context))),
      ({ close }) => Effect.sync(close)
    ),
    ({ caller }) => caller
  )

const start = (exchange: Exchange, options: CallerOptions, context: Context.Context<never>) => {
  const { dialect = Dialect.jsonRpc } = options
  const limits = Limits.make(options.limits)
  const log = Reply.logWith(context)
  const sweeper = Sweeper.make(context)
  const decode = Reply.decoder(dialect, limits)
  const defaultTimeout = CallTime.fromOptions(options.timeout)
  const live = new Set<Posting.Posting>()
  const held = new Set<() => void>()
  let pauses = 0
  let isClosed = false

  const correlator = Correlator.makeWith({
    sweeper,
    // Its posting hears of it with its outcome.
    onTimeout: () => {},
    onDefect: (defect) => log("who waited for a response threw", Cause.die(defect))
  })

  // Nothing of the other side runs here that it could cancel.
  const interceptor = Interceptor.make({ dialect, correlator, cancel: () => {}, log })

  const timeoutOf = (call: Pick<CallOptions, "timeout"> | undefined) => CallTime.of(call, defaultTimeout)

  const closedError = (sent = false) => new CallerError.Disconnected({ reason: { _tag: "Closed" }, sent })

  const overloaded = () => new CallerError.Overloaded({ limit: limits.waiting })

  /** Sends the text of a posting, and tells `onEnd` how that ended. */
  const post = (
    context: Context.Context<never>,
    posting: Posting.Posting,
    text: string,
    onEnd?: (exit: Exit.Exit<Ending, ExchangeError>) => void
  ) => {
    live.add(posting)
    const fiber = Effect.runForkWith(context)(exchange.post(text, (text) => take(posting, text)))
    posting.fiber = fiber
    fiber.addObserver((exit) => {
      posting.fiber = undefined
      live.delete(posting)
      if (posting.line !== undefined) sweeper.cancel(posting)
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
        log("an exchange failed in a way it does not declare", exit.cause)
      }
      if (posting.open > 0) failAll(posting, exit)
      onEnd?.(exit)
    })
  }

  const failAll = (posting: Posting.Posting, exit: Exit.Exit<Ending, ExchangeError>) => {
    for (const call of posting.calls) {
      if (correlator.forget(call)) call.resume(Exit.fail(Posting.failureOf(posting, exit, call.method)))
    }
  }

  const take = (posting: Posting.Posting, text: string): Effect.Effect<void> | undefined => {
    if (pauses > 0 && posting.isStreaming) return Effect.andThen(goAhead, Effect.sync(() => deliver(posting, text)))
    deliver(posting, text)
    return undefined
  }

  /** Waits until nobody pauses. */
  const goAhead: Effect.Effect<void> = Effect.callback((resume) => {
    if (pauses === 0) return resume(Effect.void)
    const wake = () => resume(Effect.void)
    held.add(wake)
    return Effect.sync(() => held.delete(wake))
  })

  const deliver = (posting: Posting.Posting, text: string) => {
    const batch = decode(text)
    if (!Batch.isMembers(batch)) return deliverOne(posting, batch)
    const general = batch.filter(Batch.isGeneral)
    for (const member of batch) if (!Batch.isGeneral(member)) deliverOne(posting, member)
    // What names no call may be about a notification: only calls that nothing else in the text answers take it.
    for (const member of general) deliverOne(posting, member)
  }

  const deliverOne = (posting: Posting.Posting, decoded: Batch.Decoded) => {
    if (Result.isFailure(decoded)) {
      const { failure } = decoded
      if (failure._tag === "InvalidResponse" && posting.owns(failure.id) && correlator.refuse(failure)) return
      posting.rule ??= failure.rule
      return
    }
    const message = decoded.success
    switch (message._tag) {
      case "Request":
        return log(`dropped the request ${message.method}: there is no way to answer it`, Cause.empty)
      case "Notification":
        if (!interceptor.intercept(message)) log(`nothing takes the notification ${message.method}`, Cause.empty)
        return
      case "Success":
      case "Failure":
        return settle(posting, message)
    }
  }

  const settle = (posting: Posting.Posting, response: Message.Success | Message.Failure) => {
    if (posting.owns(response.id) && correlator.settle(response)) return
    if (response._tag === "Failure" && response.id === null && posting.open > 0) {
      for (const { id } of posting.calls) correlator.settle({ ...response, id })
      return
    }
    posting.rule ??= "its id is that of no call that waits for it"
    log(`dropped a response that no call waits for: id ${JSON.stringify(response.id)}`, Cause.empty)
  }

  const begin = (
    posting: Posting.Posting,
    method: string,
    timeout: number,
    resume: Correlator.Registration["resume"],
    onProgress?: CallOptions["onProgress"],
    onPartialResult?: CallOptions["onPartialResult"]
  ): Correlator.Waiting => {
    const onOutcome = (outcome: Correlator.Outcome) => {
      leave(posting, outcome)
      resume(outcome)
    }
    const call = correlator.begin(method, timeout, onOutcome, onProgress, onPartialResult)
    posting.add(call)
    return call
  }

  /** When its last call has ended an exchange is given up: at once, or if it goes on behind the response. */
  const leave = (posting: Posting.Posting, outcome: Correlator.Outcome) => {
    if (--posting.open > 0) return
    if (!Posting.isAnswered(outcome)) return posting.fiber?.interruptUnsafe()
    // Most end in this turn; those that answer at once have no fiber yet.
    queueMicrotask(() => {
      if (posting.fiber !== undefined && posting.line === undefined) sweeper.set(posting, linger)
    })
  }

  const abandon = (posting: Posting.Posting) =>
    Effect.suspend(() => {
      posting.calls.forEach(correlator.forget)
      return posting.abandon
    })

  const refuse = (posting: Posting.Posting, method: string, cause: unknown) => {
    posting.calls.forEach(correlator.forget)
    return Exit.fail(new CallerError.InvalidArguments({ method, cause }))
  }

  const request: Caller["Service"]["request"] = (method, params, call) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback((resume) => {
        if (isClosed) return resume(Exit.fail(closedError()))
        if (correlator.size() >= limits.waiting) return resume(Exit.fail(overloaded()))
        const onPartialResult = call?.onPartialResult !== undefined && Progress.asksPartialResults(dialect, params)
          ? call.onPartialResult
          : undefined
        const posting = new Posting.Posting(onPartialResult !== undefined)
        const { id } = begin(posting, method, timeoutOf(call), resume, call?.onProgress, onPartialResult)
        try {
          const all = call === undefined || (call.onProgress === undefined && onPartialResult === undefined)
            ? params
            : Progress.withTokens(dialect, id, params, call)
          post(context, posting, Message.requestText(String(id), method, all, call?.extra))
        } catch (cause) {
          return resume(refuse(posting, method, cause))
        }
        return abandon(posting)
      })
    )

  /** Sends what nothing comes back for. */
  const send = (method: string, textOf: () => string): Effect.Effect<void, CallerError.NotifyError> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback((resume) => {
        if (isClosed) return resume(Exit.fail(closedError()))
        const posting = new Posting.Posting(false)
        try {
          post(context, posting, textOf(), (exit) => {
            const failure = Exit.isSuccess(exit) ? undefined : Posting.failureOf(posting, exit, method)
            const isTaken = failure === undefined || failure._tag === "InvalidResponse"
            resume(isTaken ? Exit.void : Exit.fail(isClosed ? closedError(true) : failure))
          })
        } catch (cause) {
          return resume(refuse(posting, method, cause))
        }
        if (posting.fiber !== undefined && defaultTimeout !== Number.POSITIVE_INFINITY) {
          sweeper.set(posting, defaultTimeout)
        }
        return posting.abandon
      })
    )

  const notify: Separately.Notify = (method, params, extra) =>
    send(method, () => Message.notificationText(method, params, extra))

  const separately = Separately.make(request, notify)

  const together = (members: ReadonlyArray<Member>, call: Pick<CallOptions, "timeout"> | undefined) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<ReadonlyArray<Separately.Outcome>, CallerError.NotifyError>((resume) => {
        if (isClosed) return resume(Exit.fail(closedError()))
        const requests = members.filter(({ notification }) => notification !== true).length
        if (correlator.size() + requests > limits.waiting) {
          return resume(Exit.succeed(members.map(() => Result.fail(overloaded()))))
        }
        const outcomes: Array<Separately.Outcome> = members.map(() => undefined)
        const posting = new Posting.Posting(false)
        const timeout = timeoutOf(call)
        const calls = members.map(({ method, notification }, index) =>
          notification === true ? undefined : begin(posting, method, timeout, (outcome) => {
            outcomes[index] = Separately.resultOf(outcome)
            if (posting.open === 0) resume(Exit.succeed(outcomes))
          })
        )
        try {
          post(context, posting, textOf(members, (index) => calls[index]?.id))
        } catch (cause) {
          return resume(refuse(posting, "a batch", cause))
        }
        return abandon(posting)
      })
    )

  const batch: Caller["Service"]["batch"] = (members, call) => {
    if (members.length === 0) return Effect.succeed([])
    if (dialect.batches === "refuse") return separately(members, call)
    if (members.length > limits.batch) {
      const cause = new RangeError(`a batch has at most ${limits.batch} members`)
      return Effect.fail(new CallerError.InvalidArguments({ method: "a batch", cause }))
    }
    return members.every(({ notification }) => notification === true)
      ? Effect.as(send("a batch", () => textOf(members, () => undefined)), members.map(() => undefined))
      : together(members, call)
  }

  const pause = () => {
    let isPaused = true
    pauses++
    return () => {
      if (!isPaused) return
      isPaused = false
      if (--pauses > 0) return
      const all = [...held]
      held.clear()
      for (const wake of all) wake()
    }
  }

  const close = () => {
    isClosed = true
    correlator.close({ _tag: "Closed" }, () => true)
    interceptor.end({ _tag: "Closed" })
    for (const posting of [...live]) posting.fiber?.interruptUnsafe()
    sweeper.clear()
  }

  const caller: Caller["Service"] = {
    request,
    notify: (method, params) => notify(method, params),
    batch,
    listen: interceptor.listen,
    pause
  }
  return { caller, close }
}

/** Milliseconds that an exchange may go on when its calls have ended, so that its connection can be used again. */
const linger = 1_000

/** The text of a batch with these ids; a member without one is a notification. */
const textOf = (members: ReadonlyArray<Member>, idOf: (index: number) => number | undefined): string =>
  `[${
    members.map(({ extra, method, params }, index) => {
      const id = idOf(index)
      return id === undefined
        ? Message.notificationText(method, params, extra)
        : Message.requestText(String(id), method, params, extra)
    }).join(",")
  }]`
