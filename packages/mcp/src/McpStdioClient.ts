/**
 * A client of a server that it starts: a process with MCP on its stdin and stdout.
 *
 * - The server is started again when it has ended: by the next call, or by a stream of changes. The wait between two
 *   starts grows with each process that ends early.
 * - A call that was under way when the server ended fails with `Disconnected`, since it may have happened.
 * - A session of the legacy era ends with its process. The next call makes a new one, and streams of changes go on in it.
 *
 * ```ts
 * import { McpClient, McpStdioClient } from "@parley/mcp"
 * import { NodeChildProcess } from "@parley/node"
 * import { Effect } from "effect"
 *
 * const client = McpStdioClient.layer({
 *   name: "me",
 *   version: "1.0.0",
 *   start: NodeChildProcess.makeTransport({
 *     command: "npx",
 *     args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv"]
 *   })
 * })
 *
 * export const program = Effect.gen(function*() {
 *   const { callTool } = yield* McpClient.McpClient
 *   return yield* callTool("list_directory", { path: "/srv" })
 * }).pipe(Effect.provide(client))
 * ```
 *
 * @since 0.1.0
 */
import { SharedRun } from "@parley/oauth/shared"
import { type Caller, Disconnected, type DisconnectReason, type NotificationListener } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import * as Reconnecting from "@parley/peer/Reconnecting"
import * as Handshake from "@parley/transport/Handshake"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type { ClientExtension, ExtensionRequirements } from "./client/ClientExtension.ts"
import { type McpConnectError, SessionExpired } from "./client/McpClientError.ts"
import type * as McpClientTransport from "./client/McpClientTransport.ts"
import type { McpHandlers, Requirements } from "./client/McpHandlers.ts"
import * as McpClient from "./McpClient.ts"
import * as Network from "./wire/Network.ts"
import type { Revision } from "./wire/Revision.ts"
import type { RevisionCodec } from "./wire/RevisionCodec.ts"

/**
 * The options of the process of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface StdioOptions<R = never> {
  /** Starts the server, such as `NodeChildProcess.makeTransport` of `@parley/node`. It ends with the Scope. */
  readonly start: Effect.Effect<Transport, TransportError, R | Scope.Scope>
  /**
   * The time before a server that has ended is started again; `Reconnecting.backoff` by default. The schedule begins anew
   * after a server has run for five seconds. When the schedule ends, the server is not started any more.
   */
  readonly restart?: Schedule.Schedule<unknown> | undefined
}

/**
 * The options of a client of a process.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpStdioClientOptions<
  H extends McpHandlers<unknown> = McpHandlers,
  R = never,
  X extends ClientExtension<unknown> = ClientExtension
> extends McpClient.ClientOptions<H, X>, StdioOptions<R> {}

/**
 * A transport to a server that it starts, for `McpClient.make`. Fails with `Disconnected` where the first start fails.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = <R = never>(
  { restart = Reconnecting.backoff, start }: StdioOptions<R>
): McpClientTransport.Open<Disconnected, R> =>
(host) => openProcess(start, restart, host)

/**
 * A client of a server that it starts. The effect succeeds when the handshake is done; the client and the server end
 * with the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  H extends McpHandlers<unknown> = McpHandlers,
  R = never,
  X extends ClientExtension<unknown> = never,
  V extends Revision | "auto" = "auto"
>(
  options: McpStdioClientOptions<H, R, X> & McpClient.RevisionOption<V>
): Effect.Effect<
  McpClient.ClientOf<V>,
  McpConnectError,
  Requirements<H> | ExtensionRequirements<X> | R | Scope.Scope
> => McpClient.make<Disconnected, R, H, X, V>(open<R>(options), options)

/**
 * The client of a program that uses one server. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <
  H extends McpHandlers<unknown> = McpHandlers,
  R = never,
  X extends ClientExtension<unknown> = never
>(
  options: McpStdioClientOptions<H, R, X>
): Layer.Layer<
  McpClient.McpClient,
  McpConnectError,
  Exclude<Requirements<H> | ExtensionRequirements<X> | R, Scope.Scope>
> => Layer.effect(McpClient.McpClient, make(options))

/** Milliseconds that a process must have run for its end to be no failure. */
const steady = 5_000

interface Running {
  readonly peer: Peer.Peer
  readonly scope: Scope.Closeable
  /** Done when it is known that the process has ended, and when the next one may start. */
  readonly left: Deferred.Deferred<void>
}

interface Listening {
  readonly method: string
  readonly listener: NotificationListener
}

/**
 * The transport of a client to a server that it starts: one process after the other.
 *
 * ```
 *   running ──it ends──→ ended ──next request, and no session──→ waiting ──schedule──→ running
 *                          └── next request of a session ──→ SessionExpired: the client shakes hands again
 * ```
 *
 * A request that was under way when the process ended fails with `Disconnected`: it may have happened. A request that
 * was not sent goes to the next process. The first start belongs to `open`, every later one to the request that needs it.
 * The schedule begins anew after a process that was steady.
 */
const openProcess = Effect.fnUntraced(function*<R>(
  start: StdioOptions<R>["start"],
  schedule: Schedule.Schedule<unknown>,
  host: McpClientTransport.Host
): Effect.fn.Return<McpClientTransport.McpClientTransport, Disconnected, R | Scope.Scope> {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const listening = new Set<Listening>()
  const over = Deferred.makeUnsafe<DisconnectReason>()
  let step = yield* Schedule.toStep(schedule)
  let codec: RevisionCodec | undefined
  let running: Running | undefined
  /** Waits until the next process may start: the last one is gone, and some time has passed. */
  let mayStart: Effect.Effect<void, Disconnected> = Effect.void

  const listen = ({ peer, scope }: Running, { listener, method }: Listening) =>
    Effect.ignore(Scope.provide(peer.listen(method, { ...listener, end: () => {} }), scope))

  /** Waits for the time of the next start, which the schedule tells now. */
  const pause = Effect.fnUntraced(function*(reason: DisconnectReason, lived: number) {
    if (lived >= steady) step = yield* Schedule.toStep(schedule)
    const now = yield* Clock.currentTimeMillis
    const delay = yield* step(now, reason).pipe(
      Effect.map(([, delay]) => Duration.toMillis(delay)),
      Pull.catchDone(() => Effect.undefined)
    )
    if (delay !== undefined) {
      return Effect.flatMap(Clock.currentTimeMillis, (later) => Effect.sleep(Math.max(0, now + delay - later)))
    }
    Deferred.doneUnsafe(over, Effect.succeed(reason))
    return Effect.fail(new Disconnected({ reason, sent: false }))
  })

  /** Hears the end of a process. */
  const watch = ({ left, peer, scope }: Running, began: number) =>
    Effect.gen(function*() {
      const reason = yield* peer.disconnected
      const gone = Deferred.makeUnsafe<void>()
      const paused = yield* pause(reason, (yield* Clock.currentTimeMillis) - began)
      mayStart = Effect.andThen(Deferred.await(gone), paused)
      running = undefined
      Deferred.doneUnsafe(left, Effect.void)
      if (codec?.era === "legacy") host.onSessionExpired()
      yield* Effect.ensuring(Scope.close(scope, Exit.void), Deferred.succeed(gone, undefined))
    })

  const begin = Effect.gen(function*() {
    yield* mayStart
    const inner = yield* Scope.fork(scope)
    // The server is not the client of the handler that may have started it.
    const made = Effect.provideService(
      Effect.flatMap(start, (transport) => Peer.make(transport, host)),
      Handshake.Current,
      undefined
    )
    const peer = yield* Scope.provide(made, inner).pipe(
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(inner, exit)),
      Effect.catch(({ reason }) =>
        Effect.flatMap(pause(reason, 0), (paused) => {
          mayStart = paused
          return Effect.fail(new Disconnected({ reason, sent: false }))
        })
      )
    )
    running = { peer, scope: inner, left: Deferred.makeUnsafe() }
    for (const one of listening) yield* listen(running, one)
    yield* Effect.forkIn(watch(running, yield* Clock.currentTimeMillis), scope, { startImmediately: true })
    return peer
  })

  const started = SharedRun.make(scope, Effect.provideContext(begin, context))

  /** The process that runs, or the next one. */
  const peer: Effect.Effect<Peer.Peer, Disconnected> = Effect.suspend(() =>
    running === undefined ? started : Effect.succeed(running.peer)
  )

  const send = <A, E extends { readonly _tag: string }>(
    method: string,
    make: (to: Caller) => Effect.Effect<A, E | Disconnected>
  ): Effect.Effect<A, E | Disconnected | SessionExpired> =>
    Effect.suspend(() => {
      const to = running
      if (to === undefined) return next(method, make)
      return Effect.catch(
        make(to.peer),
        (error) =>
          // A process that says that it shuts down may stay for as long as it likes.
          error instanceof Disconnected && !error.sent && !["Closed", "ShuttingDown"].includes(error.reason._tag)
            ? Effect.andThen(Deferred.await(to.left), next(method, make))
            : Effect.fail(error)
      )
    })

  const next = <A, E>(method: string, make: (to: Caller) => Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | Disconnected | SessionExpired> =>
      codec?.era === "legacy" ? Effect.fail(new SessionExpired({ method })) : Effect.flatMap(peer, make)
    )

  yield* peer

  return {
    kind: "process",
    network: Network.stdio,
    request: (method, params, options) => send(method, (to) => to.request(method, params, options)),
    notify: (method, params) => send(method, (to) => to.notify(method, params)),
    listen: (method, listener) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          const one = { method, listener }
          listening.add(one)
          return Effect.as(running === undefined ? Effect.void : listen(running, one), one)
        }),
        (one) => Effect.sync(() => listening.delete(one))
      ),
    settle: (settled) =>
      Effect.sync(() => {
        codec = settled
      }),
    disconnected: Deferred.await(over)
  }
})
