/**
 * A child process as a transport.
 *
 * Started with `node:child_process`, through `cross-spawn` for the sake of
 * Windows: through Effect's spawner every byte passes two more streams, and a
 * round trip takes almost twice as long.
 *
 * @since 0.1.0
 */
import * as ChildProcessTransport from "@parley/transport/ChildProcessTransport"
import { Transport } from "@parley/transport/Transport"
import * as TransportError from "@parley/transport/TransportError"
import spawn from "cross-spawn"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ChildProcessByStdio } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import * as environment from "./internal/environment.ts"
import { Source, Target } from "./internal/streams.ts"

/**
 * What to start, and how it ends.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends ChildProcessTransport.Options {
  /** A program in the PATH, or its path. No shell reads it. */
  readonly command: string
  readonly args?: ReadonlyArray<string> | undefined
  /** The working directory. The default is ours. */
  readonly cwd?: string | undefined
  /**
   * Which of our variables the process gets: `"all"`, the default; `"safe"`, those that tell where programs, the home
   * directory, temporary files and the language are, and no others; or these names. What our environment keeps secret
   * is no secret to a process that gets all.
   */
  readonly inherit?: Inherit | undefined
  /** Variables in addition to those, or in their place; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * Which of our environment variables a process gets. Names are compared as the platform does: on Windows without case.
 *
 * @category models
 * @since 0.1.0
 */
export type Inherit = environment.Inherit

/**
 * Starts the process, and ends it with the Scope. Fails with `Open` when it cannot be started.
 *
 * On Windows the command is looked up as a shell would, with PATHEXT, and scripts such as `npx.cmd` are run with their
 * arguments escaped. One that is not there may be `Exited` with code 1 then, since only its interpreter finds out.
 *
 * Except on Windows the process leads a group of its own: the signals that end it reach what it has started, and
 * Ctrl-C on our terminal does not.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = (
  options: Options
): Effect.Effect<ChildProcessTransport.ChildProcessTransport, TransportError.TransportError, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(start(options), ({ kill }) => kill("SIGKILL")),
    (process) => ChildProcessTransport.fromProcess(process, options)
  )

/**
 * A process that lives as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options: Options): Layer.Layer<Transport, TransportError.TransportError> =>
  Layer.effect(Transport, makeTransport(options))

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const start = ({ args = [], command, cwd, env, inherit }: Options) =>
  Effect.callback<ChildProcessTransport.Process, TransportError.TransportError>((resume) => {
    const fail = (cause: unknown) => resume(Effect.fail(TransportError.make({ _tag: "Open", cause })))
    try {
      // Its types forget that all three are pipes.
      const child = spawn(command, args, {
        cwd,
        env: environment.make({ platform: process.platform, ours: process.env, inherit, env }),
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true
      }) as Child
      const running = processOf(child)
      child.on("error", fail)
      child.on("spawn", () => resume(Effect.succeed(running)))
    } catch (cause) {
      // Arguments that Node refuses to look at, such as one with a NUL character.
      fail(cause)
    }
  })

const processOf = (child: Child): ChildProcessTransport.Process => {
  const source = new Source(child.stdout)
  const errors = new Source(child.stderr)
  // When a process exits, Node drops what it wrote and nobody listens for.
  source.start()
  errors.start()
  const target = new Target(child.stdin)
  const exited = Deferred.makeUnsafe<ChildProcessTransport.Status>()
  child.on("exit", (code, signal) => Deferred.doneUnsafe(exited, Effect.succeed({ code, signal })))
  child.on("error", () => {
    // On Windows this stands in the place of the exit of an interpreter that did not find its script.
    const { exitCode: code, signalCode: signal } = child
    if (code !== null) Deferred.doneUnsafe(exited, Effect.succeed({ code, signal }))
  })
  return {
    // Not there when it could not be started, and then nobody asks.
    pid: child.pid ?? 0,
    pull: source.pull,
    cut: (error) => Effect.sync(() => source.stop(error)),
    drain: Effect.callback(() => {
      child.stdout.resume()
    }),
    write: target.write,
    endInput: Effect.sync(() => {
      target.stop()
      child.stdin.end()
    }),
    stderr: Stream.fromPull(Effect.succeed(Effect.catch(errors.pull, () => Cause.done()))),
    exited: Deferred.await(exited),
    kill: (signal) => Effect.sync(() => signalTo(child, signal))
  }
}

/** Only while it is known to run: afterwards its number may be another's. */
const signalTo = (child: Child, signal: NodeJS.Signals): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal)
  } catch {
    child.kill(signal)
  }
}
