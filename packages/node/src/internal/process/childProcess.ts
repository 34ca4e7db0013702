/**
 * The transport to a child process over its standard input and output.
 *
 * Owns the end of the process and of all that it has started: closing ends its
 * stdin, then sends SIGTERM, then SIGKILL, and returns when all are gone. What is
 * left when the process exits by itself ends in the same way. `receive` fails with
 * the exit, after all that it wrote to stdout. Its stderr is read separately.
 *
 * `NodeChildProcess` starts the process and publishes the types.
 */
import type { Framing } from "@parley/protocol/Framing"
import type * as Limits from "@parley/protocol/Limits"
import { Excerpt } from "@parley/protocol/shared"
import { type Bytes, fromBytes } from "@parley/transport/FramedTransport"
import { type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/**
 * The framing, the bounds, and how the process ends.
 */
export interface Options {
  /**
   * How the texts are separated on stdin and stdout. The default is that of the dialect of the peer, and `line` without a
   * peer.
   */
  readonly framing?: Framing | undefined
  /** `frame`, `header`, `depth` and `partialFrame` bound the texts. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** How long the process may take to end by itself once its stdin has ended. The default is 2 seconds. */
  readonly endGrace?: Duration.Input | undefined
  /** How long it may take to end after SIGTERM, before SIGKILL. The default is 3 seconds. */
  readonly killGrace?: Duration.Input | undefined
  /**
   * Called with each text that the process writes to stderr, which is not read further while it runs. When it dies, the
   * log says so, and it is not called again.
   */
  readonly onStderr?: ((text: string) => Effect.Effect<void>) | undefined
}

/**
 * A transport whose other side is a process.
 */
export interface ChildProcessTransport {
  /** Waits for the next texts of its stdout. The last failure is `Exited`. */
  readonly receive: Transport["receive"]
  /** Writes texts to its stdin. */
  readonly send: Transport["send"]
  /** Ends the process and what it has started, and returns when all are gone. */
  readonly close: Transport["close"]
  /** The id of the process. */
  readonly pid: number
  /** The last characters that the process has written to stderr so far, at most 8,192. */
  readonly stderr: Effect.Effect<string>
}

/**
 * How a process ended. One of the two is null.
 */
export interface Status {
  /** Its exit code. */
  readonly code: number | null
  /** The name of the signal that ended it. */
  readonly signal: string | null
}

/**
 * A running process, as `fromProcess` needs it.
 */
export interface Process {
  /** The id of the process. */
  readonly pid: number
  /** Waits for bytes of its stdout, whose end is `EndOfInput`. */
  readonly pull: Bytes["pull"]
  /** Makes the waiting pull and every later one fail with this error. */
  readonly cut: (error: TransportError) => Effect.Effect<void>
  /** After `cut`: reads and drops the rest of its stdout. */
  readonly drain: Effect.Effect<never>
  /** Writes to its stdin, and returns when there is room again. */
  readonly write: Bytes["write"]
  /** How many bytes of the writes so far the system has not taken yet, where the platform knows. */
  readonly unsent?: (() => number) | undefined
  /** Ends its stdin, without waiting for it. */
  readonly endInput: Effect.Effect<void>
  /** Waits for bytes of its stderr. Fails at its end. */
  readonly stderr: Bytes["pull"]
  /** Waits for its exit. May be run more than once. */
  readonly exited: Effect.Effect<Status>
  /** Waits until it has exited, and the processes that it has started where the platform can tell. */
  readonly gone: Effect.Effect<void>
  /** Sends a signal, to it and to the processes that it has started where the platform can. */
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => Effect.Effect<void>
}

/**
 * A transport to a process that runs already, and ends with the Scope. The end of the process fails `receive` with
 * `Exited`, after its last text.
 *
 * A process that closes its stdout and stays is `EndOfInput` after `endGrace`. When its descendants keep its stdout
 * open after its exit, that is `Exited` after the same time, and they get SIGTERM.
 */
export const fromProcess: (
  process: Process,
  options?: Options
) => Effect.Effect<ChildProcessTransport, never, Scope.Scope> = Effect.fnUntraced(function*(process, options = {}) {
  const endGrace = options.endGrace ?? 2_000
  const killGrace = options.killGrace ?? 3_000
  const tail = new Tail(options.onStderr)
  const stderr = yield* Effect.flatMap(process.stderr, Effect.forEach(tail.add, { discard: true })).pipe(
    Effect.forever,
    Effect.ignore,
    Effect.forkScoped
  )

  /** The exit with what stderr held until then. A descendant that keeps the pipe open is not waited for. */
  const exit = Effect.flatMap(
    process.exited,
    (status) =>
      Effect.map(
        Effect.timeoutOption(Fiber.await(stderr), endGrace),
        () => transportError({ _tag: "Exited", ...status, stderr: tail.text })
      )
  )

  yield* process.exited.pipe(
    Effect.andThen(Effect.sleep(endGrace)),
    Effect.andThen(exit),
    Effect.flatMap(process.cut),
    Effect.forkScoped
  )

  /** When a process has ended, its exit says more than the end of a pipe. */
  const explained = (error: TransportError): Effect.Effect<never, TransportError> =>
    Effect.flatMap(
      Effect.timeoutOrElse(exit, { duration: endGrace, orElse: () => Effect.succeed(error) }),
      Effect.fail
    )

  const isRead = Deferred.makeUnsafe<void>()
  const pull = Effect.catch(
    process.pull,
    (error) =>
      Effect.andThen(
        Deferred.succeed(isRead, undefined),
        error.reason._tag !== "EndOfInput" ? Effect.fail(error) : explained(error)
      )
  )

  /** A write that fails waits for what the process has written before: its failure ends the connection. */
  const write: Bytes["write"] = (bytes) =>
    Effect.catch(process.write(bytes), (error) =>
      error.reason._tag !== "Lost" ? Effect.fail(error) : Effect.andThen(
        Effect.timeoutOption(Deferred.await(isRead), endGrace),
        explained(error)
      ))

  const isGoneWithin = (grace: Duration.Input) => Effect.map(Effect.timeoutOption(process.gone, grace), Option.isSome)

  const closing = Deferred.makeUnsafe<void>()
  // Processes that are left behind one that exited by itself, such as a wrapper, serve nobody any more.
  const ended = yield* Effect.raceFirst(process.exited, Deferred.await(closing)).pipe(
    Effect.andThen(isGoneWithin(endGrace)),
    Effect.flatMap((isGone) =>
      isGone ? Effect.succeed(true) : Effect.andThen(process.kill("SIGTERM"), isGoneWithin(killGrace))
    ),
    Effect.flatMap((isGone) =>
      isGone ? Effect.void : process.kill("SIGKILL").pipe(
        Effect.andThen(process.exited),
        Effect.andThen(isGoneWithin(lastGrace))
      )
    ),
    Effect.forkScoped
  )

  const close = Effect.gen(function*() {
    yield* process.cut(transportError({ _tag: "Closed" }))
    yield* process.endInput
    yield* Deferred.succeed(closing, undefined)
    // A process that waits for its stdout to be read would not come to see that its stdin has ended.
    yield* Effect.raceFirst(Fiber.await(ended), process.drain)
  })

  const transport = yield* fromBytes({ pull, write, unsent: process.unsent, close }, {
    framing: options.framing,
    limits: options.limits
  })
  return { ...transport, pid: process.pid, stderr: Effect.sync(() => tail.text) }
})

/** Milliseconds that the system may take to end what it was told to end. */
const lastGrace = 1_000

/** The last characters of stderr. */
class Tail {
  private readonly decoder = new TextDecoder()
  private see: (text: string) => Effect.Effect<void>
  text = ""

  constructor(see: (text: string) => Effect.Effect<void> = () => Effect.void) {
    this.see = see
  }

  readonly add = (chunk: Uint8Array): Effect.Effect<void> =>
    Effect.suspend(() => {
      const text = this.decoder.decode(chunk, { stream: true })
      this.text = (this.text + text).slice(-8192)
      return Effect.catchCause(Effect.suspend(() => this.see(text)), this.giveUp)
    })

  /** A process whose stderr nobody reads would stand still. */
  private readonly giveUp = (cause: Cause.Cause<never>): Effect.Effect<void> => {
    this.see = () => Effect.void
    return Effect.logWarning("the `onStderr` of a child process died", Excerpt.cause(cause))
  }
}
