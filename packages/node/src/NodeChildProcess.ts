/**
 * A child process as a transport.
 *
 * It starts processes with `node:child_process`, through `cross-spawn` because of
 * Windows. Effect's spawner would take every byte through two more streams, and a
 * round trip would take almost twice as long.
 *
 * ```ts run
 * import { NodeChildProcess } from "@parley/node"
 * import { Caller } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * // Stands for a server that speaks JSON-RPC over its standard input and output.
 * const script = `process.stdin.once("data", () => console.log('{"jsonrpc":"2.0","id":1,"result":"pong"}'))`
 *
 * const program = Effect.gen(function*() {
 *   const caller = yield* Caller.Caller
 *   console.log(yield* caller.request("ping")) // => pong
 * })
 *
 * const child = NodeChildProcess.layerClient({ command: process.execPath, args: ["--eval", script] })
 * await Effect.runPromise(program.pipe(Effect.provide(child)))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type * as Peer from "@parley/peer/Peer"
import { Transport, type TransportError, transportError } from "@parley/transport/Transport"
import spawn from "cross-spawn"
import type { Clock } from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { ChildProcessByStdio } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import * as layers from "./internal/layers.ts"
import * as childProcess from "./internal/process/childProcess.ts"
import * as environment from "./internal/process/environment.ts"
import { ProcessGroup } from "./internal/process/ProcessGroup.ts"
import { Source, Target } from "./internal/streams.ts"

/**
 * The process to start, and how it ends.
 *
 * @category models
 * @since 0.1.0
 */
export interface ChildProcessOptions extends childProcess.Options {
  /** A program in the PATH, or its path. It is not passed to a shell. */
  readonly command: string
  /** Its arguments, one by one. */
  readonly args?: ReadonlyArray<string> | undefined
  /** The working directory. The default is ours. */
  readonly cwd?: string | undefined
  /**
   * Which of our variables the process gets: `"safe"`, the default, only those for programs, the home directory,
   * temporary files and the language; `"all"`, with the secrets among them; or a list of names.
   */
  readonly inherit?: Inherit | undefined
  /** Variables to add or replace; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * A transport whose other side is a process, with the `pid` of the process and the last texts of its `stderr`.
 *
 * @category models
 * @since 0.1.0
 */
export type ChildProcessTransport = childProcess.ChildProcessTransport

/**
 * Which of our environment variables a process gets. On Windows names are compared without case.
 *
 * @category models
 * @since 0.1.0
 */
export type Inherit = environment.Inherit

/**
 * Starts the process, and ends it with the Scope. Fails with `Open` when it cannot be started.
 *
 * On Windows the command is looked up with PATHEXT, as a shell does, and scripts such as `npx.cmd` are run with escaped
 * arguments. A command that is missing may be `Exited` with code 1 there, because only its interpreter finds out.
 *
 * On other systems the process leads a group of its own, and Ctrl-C on our terminal reaches none of it. Everything in the
 * group ends with the process: the signals that end it also reach the processes that it has started, and those that
 * outlive it, behind a wrapper such as `npx` for example, are ended after it. A process that leaves the group, as a daemon
 * does, stays.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = (
  options: ChildProcessOptions
): Effect.Effect<ChildProcessTransport, TransportError, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(start(options), ({ kill }) => kill("SIGKILL")),
    (process) => childProcess.fromProcess(process, options)
  )

/**
 * A process that lives as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options: ChildProcessOptions): Layer.Layer<Transport, TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * The options of a peer: the process to start, and the methods that are served to it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ChildProcessClientOptions extends Omit<ChildProcessOptions, "framing">, layers.PeerOptions {}

/**
 * The peer of a process that lives as long as the Layer. The framing is that of the `dialect`. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (
  options: ChildProcessClientOptions
): Layer.Layer<Peer.PeerService | Caller, TransportError> => layers.peer(layerTransport(options), options)

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const start = ({ args = [], command, cwd, env, inherit }: ChildProcessOptions) =>
  Effect.clockWith((clock) =>
    Effect.callback<childProcess.Process, TransportError>((resume) => {
      const fail = (cause: unknown) => resume(Effect.fail(transportError({ _tag: "Open", cause })))
      try {
        // All three are pipes, which the types do not say.
        const child = spawn(command, args, {
          cwd,
          env: environment.make({ platform: process.platform, ours: process.env, inherit, env }),
          stdio: ["pipe", "pipe", "pipe"],
          detached: process.platform !== "win32",
          windowsHide: true
        }) as Child
        const running = processOf(child, clock)
        child.on("error", fail)
        child.on("spawn", () => resume(Effect.succeed(running)))
      } catch (cause) {
        // Arguments that Node rejects, such as one with a NUL character.
        fail(cause)
      }
    })
  )

const processOf = (child: Child, clock: Clock): childProcess.Process => {
  const source = new Source(child.stdout)
  const errors = new Source(child.stderr)
  // When a process exits, Node drops output that nobody listens for.
  source.start()
  errors.start()
  const target = new Target(child.stdin)
  const exited = Deferred.makeUnsafe<childProcess.Status>()
  const group = new ProcessGroup(child, clock)
  child.on("exit", (code, signal) => Deferred.doneUnsafe(exited, Effect.succeed({ code, signal })))
  child.on("error", () => {
    // On Windows this comes instead of the exit of an interpreter that did not find its script.
    const { exitCode: code, signalCode: signal } = child
    if (code !== null) Deferred.doneUnsafe(exited, Effect.succeed({ code, signal }))
  })
  return {
    // It is missing when the process could not be started, and then nobody reads it.
    pid: child.pid ?? 0,
    pull: source.pull,
    cut: (error) => Effect.sync(() => source.stop(error)),
    drain: Effect.callback(() => {
      child.stdout.resume()
    }),
    write: (bytes) => target.write(bytes),
    unsent: target.unsent,
    endInput: Effect.sync(() => {
      target.stop()
      child.stdin.end()
    }),
    stderr: errors.pull,
    exited: Deferred.await(exited),
    gone: Effect.andThen(Deferred.await(exited), group.gone),
    kill: (signal) => Effect.sync(() => group.signal(signal))
  }
}
