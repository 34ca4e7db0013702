/**
 * The caller over exchanges: posts what it sends, and hands on what comes back,
 * in exchanges and beside them.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Caller, CallOptions, Member } from "../Caller.ts"
import * as CallerError from "../CallerError.ts"
import * as Cancellation from "../Cancellation.ts"
import * as Correlator from "../Correlator.ts"
import type { CallerOptions, CallingSide, Ending, Exchange, ExchangeError } from "../Exchange.ts"
import * as CallTime from "./CallTime.ts"
import * as Interceptor from "./Interceptor.ts"
import * as Pauses from "./Pauses.ts"
import * as Posting from "./Posting.ts"
import * as PostingServer from "./PostingServer.ts"
import * as Progress from "./Progress.ts"
import * as Reply from "./Reply.ts"
import * as Separately from "./Separately.ts"
import * as Sweeper from "./Sweeper.ts"

/** @internal */
export interface ExchangeCaller extends CallingSide {
  /** Ends what waits and what runs, and waits for handlers. */
  readonly close: Effect.Effect<void>
}

/** @internal */
export const start = (
  exchange: Exchange,
  options: CallerOptions,
  context: Context.Context<never>
): ExchangeCaller => {
  const { dialect = Dialect.jsonRpc } = options
  const limits = Limits.make(options.limits)
  const log = Reply.logWith(context)
  const sweeper = Sweeper.make(context)
  const decode = Reply.decoder(dialect, limits)
  const defaultTimeout = CallTime.fromOptions(options.timeout)
  const live = new Set<Posting.Posting>()
  let isClosed = false

  const correlator = Correlator.makeWith({
    sweeper,
    // Its posting hears of it with its outcome.
    onTimeout: () => {},
    onDefect: (defect) => log("who waited for a response threw", Cause.die(defect))
  })

  const interceptor = Interceptor.make({ dialect, correlator, cancel: (key) => server?.cancel(key), log })

  const pauses = Pauses.make(() => pauses.isPaused() && !isClosed)

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
    posting.context = context
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

  /** Whether partial results that come by this are to wait for who pauses. */
  const isHeldBack = (posting: Posting.Posting | undefined) =>
    pauses.isPaused() && (posting?.isStreaming ?? correlator.size() === correlator.streaming())

  const take = (posting: Posting.Posting | undefined, text: string): Effect.Effect<void> | undefined => {
    if (isClosed) return undefined
    if (isHeldBack(posting)) {
      return Effect.andThen(
        pauses.goAhead,
        Effect.suspend(() => take(posting, text) ?? Effect.void)
      )
    }
    const batch = decode(text)
    if (server?.isCrowded(batch) === true) {
      return Effect.andThen(server.goAhead, Effect.suspend(() => take(posting, text) ?? Effect.void))
    }
    deliver(posting, batch, text.length)
    return undefined
  }

  const deliver = (posting: Posting.Posting | undefined, batch: Batch.Batch, size: number) => {
    // What belongs to a call reaches it before its response.
    const rest = server === undefined ? batch : server.take(batch, size)
    if (rest === undefined) return
    if (!Batch.isMembers(rest)) return deliverOne(posting, rest)
    const general = rest.filter(Batch.isGeneral)
    for (const member of rest) if (!Batch.isGeneral(member)) deliverOne(posting, member)
    // What names no call may be about a notification: only calls that nothing else in the text answers take it.
    for (const member of general) deliverOne(posting, member)
  }

  /** A stream beside the exchanges may bring the response to any call. */
  const mayEnd = (posting: Posting.Posting | undefined, id: unknown) => posting === undefined || posting.owns(id)

  const deliverOne = (posting: Posting.Posting | undefined, decoded: Batch.Decoded) => {
    if (Result.isFailure(decoded)) {
      const { failure } = decoded
      if (failure._tag === "InvalidResponse" && mayEnd(posting, failure.id) && correlator.refuse(failure)) return
      if (posting === undefined) log(`dropped what is no message: ${failure.rule}`, Cause.empty)
      else posting.rule ??= failure.rule
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

  const settle = (posting: Posting.Posting | undefined, response: Message.Success | Message.Failure) => {
    if (mayEnd(posting, response.id) && correlator.settle(response)) return
    if (response._tag === "Failure" && response.id === null && posting !== undefined && posting.open > 0) {
      for (const { id } of posting.calls) correlator.settle({ ...response, id })
      return
    }
    if (posting !== undefined) posting.rule ??= "its id is that of no call that waits for it"
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
      if (Posting.isLate(outcome)) tell(posting, call)
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
      for (const call of posting.calls) if (correlator.forget(call)) tell(posting, call)
      return posting.abandon
    })

  /** Posts what nothing waits for. */
  const discharge = (context: Context.Context<never>, text: string, onEnd?: () => void) => {
    const posting = new Posting.Posting(false)
    post(context, posting, text, (exit) => {
      if (Exit.isFailure(exit) && !isClosed) log("a response or a cancellation could not be posted", exit.cause)
      onEnd?.()
    })
    if (posting.fiber !== undefined) sweeper.set(posting, limits.writeStall)
  }

  /** Tells the other side that a call is not waited for any more, where that takes more than to give its exchange up. */
  const tell = (posting: Posting.Posting, call: Correlator.Waiting) => {
    if (options.cancel !== "notify" || isClosed) return
    const text = Cancellation.toText(dialect.cancellation, call)
    if (text !== undefined) discharge(posting.context ?? context, text)
  }

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
        const waiting = begin(posting, method, timeoutOf(call), resume, call?.onProgress, onPartialResult)
        const { id } = waiting
        if (call?.maxTimeout !== undefined) correlator.prolong(waiting, CallTime.millis(call.maxTimeout))
        call?.onId?.(id)
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

  const end = () => {
    isClosed = true
    pauses.proceed()
    correlator.close({ _tag: "Closed" }, () => true)
    interceptor.end({ _tag: "Closed" })
    for (const posting of [...live]) posting.fiber?.interruptUnsafe()
    server?.interruptAll()
    sweeper.clear()
  }

  const caller: Caller["Service"] = {
    request,
    notify: (method, params) => notify(method, params),
    batch,
    listen: interceptor.listen,
    pause: pauses.pause
  }

  const { router } = options
  const server = router === undefined ? undefined : PostingServer.make({
    router,
    dialect,
    limits,
    sweeper,
    context,
    log,
    caller,
    intercept: interceptor.intercept,
    post: (text, onEnd) => isClosed ? onEnd() : discharge(context, text, onEnd)
  })

  return {
    caller,
    take: (text) => take(undefined, text),
    close: Effect.suspend(() => {
      end()
      return server?.ended ?? Effect.void
    })
  }
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
