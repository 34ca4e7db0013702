/**
 * The transport to a child process over its standard input and output.
 *
 * Owns the end of the process: closing ends its stdin, then sends SIGTERM, then
 * SIGKILL, and returns when it is gone. What it writes to stderr is kept apart.
 * Its exit is what `receive` ends with, after all that it wrote.
 *
 * `make` starts it with Effect's `ChildProcessSpawner`; `fromProcess` takes one
 * that was started otherwise, as `@parley/node` does for the sake of speed.
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import * as framings from "@parley/protocol/Framing"
import type * as Limits from "@parley/protocol/Limits"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import type { Command } from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Bytes, fromBytes } from "./internal/framed.ts"
import { readerOf, writerOf } from "./internal/streams.ts"
import { Transport } from "./Transport.ts"
import * as TransportError from "./TransportError.ts"

/**
 * The framing, `line` where nothing else is said, the bounds, and how the process ends.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly framing?: Framing | undefined
  readonly limits?: Partial<Limits.Limits> | undefined
  /** How long the process may take to end by itself once its stdin has ended. The default is 2 seconds. */
  readonly endGrace?: Duration.Input | undefined
  /** How long it may take to end after SIGTERM, before SIGKILL. The default is 3 seconds. */
  readonly killGrace?: Duration.Input | undefined
  /**
   * Sees what the process writes to stderr, as it comes; the process waits while it runs. Where it dies, our log says
   * so, and it sees no more.
   */
  readonly onStderr?: ((text: string) => Effect.Effect<void>) | undefined
}

/**
 * A transport whose other side is a process.
 *
 * @category models
 * @since 0.1.0
 */
export interface ChildProcessTransport {
  readonly receive: Transport["Service"]["receive"]
  readonly send: Transport["Service"]["send"]
  readonly close: Transport["Service"]["close"]
  readonly pid: number
  /** The end of what the process has written to stderr so far, at most 8 KiB. */
  readonly stderr: Effect.Effect<string>
}

/**
 * How a process ended: one of the two is null.
 *
 * @category models
 * @since 0.1.0
 */
export interface Status {
  readonly code: number | null
  readonly signal: string | null
}

/**
 * A running process, as `fromProcess` needs it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Process {
  readonly pid: number
  /** Waits for bytes of its stdout, whose end is `EndOfInput`. */
  readonly pull: Bytes["pull"]
  /** Makes the waiting pull and every later one fail with this error. */
  readonly cut: (error: TransportError.TransportError) => Effect.Effect<void>
  /** After `cut`: drops what its stdout still brings. */
  readonly drain: Effect.Effect<never>
  /** Writes to its stdin, and returns when there is room again. */
  readonly write: Bytes["write"]
  /** Ends its stdin, without waiting for it. */
  readonly endInput: Effect.Effect<void>
  readonly stderr: Stream.Stream<Uint8Array, unknown>
  /** Waits for its exit, and may be asked again. */
  readonly exited: Effect.Effect<Status>
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => Effect.Effect<void>
}

/**
 * Starts the process. A command that cannot be started fails with `Open`; the end of the process fails `receive` with
 * `Exited`, after its last text.
 *
 * A process that closes its stdout and stays is `EndOfInput` after `endGrace`; one whose descendants keep its stdout
 * open after its exit is `Exited` after the same time.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  command: Command,
  options?: Options
) => Effect.Effect<
  ChildProcessTransport,
  TransportError.TransportError,
  ChildProcessSpawner | Scope.Scope
> = Effect.fnUntraced(function*(command, options = {}) {
  const spawner = yield* ChildProcessSpawner
  const child = yield* Effect.mapError(
    spawner.spawn(command),
    (cause) => TransportError.make({ _tag: "Open", cause })
  )
  const cut = yield* Deferred.make<never, TransportError.TransportError>()
  const reader = yield* readerOf(child.stdout, cut)
  const writer = yield* writerOf(child.stdin)
  return yield* fromProcess({
    pid: child.pid,
    pull: reader.pull,
    cut: (error) => Effect.asVoid(Deferred.fail(cut, error)),
    drain: reader.drain,
    write: writer.write,
    endInput: writer.end,
    stderr: child.stderr,
    exited: Effect.map(Effect.result(child.exitCode), statusOf),
    kill: (killSignal) => Effect.ignore(child.kill({ killSignal }))
  }, options)
})

/**
 * A transport to a process that runs already, and ends with the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromProcess: (
  process: Process,
  options?: Options
) => Effect.Effect<ChildProcessTransport, never, Scope.Scope> = Effect.fnUntraced(function*(process, options = {}) {
  const endGrace = options.endGrace ?? 2_000
  const killGrace = options.killGrace ?? 3_000
  const tail = new Tail(options.onStderr)
  const stderr = yield* Effect.forkScoped(Effect.ignore(Stream.runForEach(process.stderr, tail.add)))

  /** The exit with what stderr held until then. A descendant that keeps the pipe open is not waited for. */
  const exit = Effect.flatMap(
    process.exited,
    (status) =>
      Effect.map(
        Effect.timeoutOption(Fiber.await(stderr), endGrace),
        () => TransportError.make({ _tag: "Exited", ...status, stderr: tail.text })
      )
  )

  yield* process.exited.pipe(
    Effect.andThen(Effect.sleep(endGrace)),
    Effect.andThen(exit),
    Effect.flatMap(process.cut),
    Effect.forkScoped
  )

  const pull = Effect.catch(
    process.pull,
    (error) =>
      error.reason._tag !== "EndOfInput" ? Effect.fail(error) : Effect.flatMap(
        Effect.timeoutOrElse(exit, { duration: endGrace, orElse: () => Effect.succeed(error) }),
        Effect.fail
      )
  )

  /** A process that has gone takes no more; its exit says more than the broken pipe. */
  const write: Bytes["write"] = (bytes) =>
    Effect.catch(process.write(bytes), (error) =>
      error.reason._tag !== "Lost" ? Effect.fail(error) : Effect.flatMap(
        Effect.timeoutOrElse(exit, { duration: endGrace, orElse: () => Effect.succeed(error) }),
        Effect.fail
      ))

  const close = Effect.gen(function*() {
    yield* process.cut(TransportError.make({ _tag: "Closed" }))
    yield* process.endInput
    // A process that waits for its stdout to be read would not come to see that its stdin has ended.
    const gone = Effect.raceFirst(process.exited, process.drain)
    const ended = yield* Effect.timeoutOption(gone, endGrace)
    if (Option.isSome(ended)) return
    const killed = yield* Effect.timeoutOption(Effect.andThen(process.kill("SIGTERM"), gone), killGrace)
    if (Option.isNone(killed)) yield* Effect.andThen(process.kill("SIGKILL"), process.exited)
  })

  const transport = yield* fromBytes({ pull, write, close }, {
    framing: options.framing ?? framings.line,
    limits: options.limits
  })
  return { ...transport, pid: process.pid, stderr: Effect.sync(() => tail.text) }
})

/**
 * A transport to a process that is started with the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  command: Command,
  options?: Options
): Layer.Layer<Transport, TransportError.TransportError, ChildProcessSpawner> =>
  Layer.effect(Transport, make(command, options))

const statusOf = (result: Result.Result<number, PlatformError>): Status => ({
  code: Result.isSuccess(result) ? result.success : null,
  signal: Result.isFailure(result) ? signalOf(result.failure) : null
})

/** Effect tells the signal in the text of the error only. */
const signalOf = (error: PlatformError): string | null => /\bSIG[A-Z0-9]+\b/.exec(String(error.cause))?.[0] ?? null

/** The end of what a process wrote to stderr. */
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
    return Effect.logWarning("`onStderr` died", cause)
  }
}
