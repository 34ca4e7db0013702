/**
 * A server behind this one: its connections, whether it can be reached, and the way of a call to it.
 */
import type { McpConnectError, ToolError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { McpContext } from "@parley/mcp/McpContext"
import type { ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import type { Feature } from "@parley/mcp/server/Feature"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import { type Change, Hearers, lists } from "@parley/mcp/server/ServerChanges"
import { QuietLog } from "@parley/mcp/shared"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Refusal } from "../../Policy.ts"
import type { Guard } from "../policy/Guard.ts"
import type { Asker } from "./attribution.ts"
import { Calls } from "./calls/Calls.ts"
import { Forwarder } from "./calls/Forwarder.ts"
import type { Running } from "./calls/Running.ts"
import * as failures from "./failures.ts"
import * as features from "./features.ts"
import type { Kept } from "./Kept.ts"
import * as Line from "./Line.ts"
import { Lines } from "./Lines.ts"
import { SlowLists, waitingOf } from "./lists/SlowLists.ts"
import * as Plan from "./plan.ts"
import * as Reach from "./reach.ts"
import { Seated } from "./Seat.ts"

/** With every default in its place; times are milliseconds. @internal */
export interface Config {
  readonly name: string
  /** Who asks, where clients know other servers here. */
  readonly asker: Asker | undefined
  readonly guard: Guard
  readonly kept: Kept
  /** How long a request may take. */
  readonly deadline: number | undefined
  readonly connect: Line.Connect
  /** Whether callers without a session share connections. */
  readonly isShared: boolean
  readonly connections: number
  readonly connectionsPerPrincipal: number
  readonly idle: number
  readonly waiting: number
  readonly waitingPerPrincipal: number
  readonly patience: number
  readonly check: number
  /** Tells of the lists that the server says have changed. */
  readonly calm: (change: Change) => void
  readonly scope: Scope.Scope
}

type Failed = McpConnectError | ErrorResponse.ErrorResponse

/** Milliseconds before the first attempt to reach a server again, and the most. Each wait is twice as long. */
const firstWait = 1_000
const longestWait = 30_000

const none: ReadonlyArray<Feature> = []

/** @internal */
export class Upstream implements FeatureSource {
  /** By this we know ourselves, where the server behind is one that we stand behind. */
  readonly identity = Reach.identity()
  readonly #config: Config
  readonly #lines: Lines<Line.Line, McpConnectError>
  readonly #host: Line.Host
  readonly #log = QuietLog.make()
  readonly #hearers = new Hearers()
  readonly #first = Deferred.makeUnsafe<void, Failed>()
  readonly #suspected = Latch.makeUnsafe()
  /** The connection that is always there while the server can be reached. */
  #base: Line.Line | undefined = undefined
  /** The features of the server, as they were known last. */
  #known: ReadonlyArray<Feature> = []
  #tools: ReadonlyMap<string, ToolInfo> = new Map()
  #capabilities: ServerCapabilities = {}
  /** Why the server cannot be reached. */
  #cause: unknown = undefined
  /** Whether the server has turned out to be our own, when it was reached last. */
  #leadsBack = false
  readonly #lists: SlowLists

  constructor(config: Config) {
    const { connections, connectionsPerPrincipal, idle, name, patience, scope, waiting, waitingPerPrincipal } = config
    this.#config = config
    this.#lines = new Lines({
      server: name,
      log: this.#log,
      most: connections,
      mostOfOne: connectionsPerPrincipal,
      idle,
      scope
    })
    this.#lists = new SlowLists(scope, () => this.#tellAll())
    const calls = new Calls({
      server: name,
      most: waiting,
      mostOfOne: waitingPerPrincipal,
      patience,
      scope,
      room: config.kept.room,
      all: config.kept.calls
    })
    const { deadline, guard } = config
    const forwarder = new Forwarder({
      guard,
      deadline,
      calls,
      lines: this.#lines,
      scope,
      plan: (call, what) => this.#plan(call, what),
      take: (plan, running) => this.#take(plan, running),
      answered: (effect) => Effect.mapError(effect, (error) => this.#answer(error)),
      down: this.#down
    })
    this.#host = {
      name,
      asker: config.asker,
      connect: config.connect,
      lines: this.#lines,
      tell: (change) => this.tell(change),
      calm: config.calm,
      featuresOf: features.make({
        call: (call, subject, send) => forwarder.call(call, subject, send),
        simply: (call, subject, send) => forwarder.simply(call, subject, send),
        watch: (call, uri) => this.#watch(call, uri),
        links: config.kept.links,
        resources: () => this.#capabilities.resources
      })
    }
  }

  /** Waits for the end of the first attempt to reach the server. */
  get ready(): Effect.Effect<void, McpConnectError> {
    return Effect.catchTag(Deferred.await(this.#first), "ErrorResponse", (error) => Effect.die(error))
  }

  get client(): McpClient | undefined {
    return this.#base?.client
  }

  /** The features of the server, as they were known last. */
  get known(): ReadonlyArray<Feature> {
    return this.#known
  }

  capabilities() {
    return this.#capabilities
  }

  linkedAt(uri: string) {
    return this.#config.kept.links.at(uri)
  }

  isAway() {
    return this.#base === undefined && !this.#leadsBack
  }

  tool(name: string) {
    return this.#leadsBack ? undefined : this.#config.guard.tool(this.#tools.get(name))
  }

  onChange(hear: (change: Change) => void) {
    return this.#hearers.add(hear)
  }

  featuresFor(call: McpContext): Effect.Effect<ReadonlyArray<Feature>> {
    return Effect.mapEager(this.#featuresFor(call), (all) => this.#config.guard.offered(all))
  }

  /** What is not offered for a call. */
  refusedFor(call: McpContext): Effect.Effect<ReadonlyArray<Refusal>> {
    return Effect.map(this.#featuresFor(call), (all) => this.#config.guard.refused(all))
  }

  #featuresFor(call: McpContext): Effect.Effect<ReadonlyArray<Feature>> {
    if (Reach.isSelf(call.client.capabilities, this.identity)) return this.#leftOut
    if (this.#leadsBack) return Exit.succeed(none)
    const own = this.#plan(call, "lists")
    if (own === undefined) return this.#unreached(call)
    const isCommon = Plan.hasCommonLists(call, own) && this.#lines.peek(own.use.key) === undefined
    const plan = isCommon ? Plan.base : own
    const known = this.#lines.peek(plan.use.key)?.catalog.features
    if (known !== undefined) return Exit.succeed(known)
    const read = Effect.tapError(
      Effect.scoped(Effect.flatMap(this.#take(Plan.listening(plan), undefined), ({ catalog }) => catalog.read)),
      (error) =>
        this.#log(`the server ${Excerpt.line(this.#config.name)} does not list what it offers`, Cause.fail(error))
    )
    const { key } = plan.use
    return this.#lists.read(key, waitingOf(call), read, () => this.#lines.peek(key)?.catalog.last ?? this.#known)
  }

  /** We are asked by ourselves: a server that leads back here adds nothing, and its lists and changes would not end. */
  get #leftOut(): Effect.Effect<ReadonlyArray<Feature>> {
    if (this.#leadsBack) return Exit.succeed(none)
    this.#leadsBack = true
    return Effect.as(
      this.#log(`the server ${Excerpt.line(this.#config.name)} leads back to this one, so nothing of it is offered`),
      none
    )
  }

  /** Keeps the server reached, for ever. */
  readonly keep: Effect.Effect<never> = Effect.suspend(() => this.#attempt(firstWait))

  /** The first lists wait for the server; after that, its features are in no list until it is back. */
  #unreached(call: McpContext): Effect.Effect<ReadonlyArray<Feature>> {
    if (Deferred.isDoneUnsafe(this.#first)) return Exit.succeed(features.hidden(this.#known))
    return Effect.flatMap(
      this.#lists.first(waitingOf(call), this.ready),
      () => this.#base === undefined ? Exit.succeed(features.hidden(this.#known)) : this.#featuresFor(call)
    )
  }

  #attempt(wait: number): Effect.Effect<never> {
    const { name } = this.#config
    return Effect.matchEffect(Effect.scoped(this.#stay), {
      onSuccess: () => this.#attempt(firstWait),
      onFailure: (why) => {
        const wasUp = this.#base !== undefined
        const now = wasUp ? firstWait : wait
        this.#base = undefined
        this.#cause = why
        if (wasUp) this.#tellAll()
        return this.#lines.close(Plan.base.use.key).pipe(
          Effect.andThen(Deferred.fail(this.#first, why)),
          Effect.andThen(
            now === firstWait
              ? Effect.logWarning(`the server ${Excerpt.line(name)} cannot be reached`, Excerpt.cause(Cause.fail(why)))
              : Effect.void
          ),
          Effect.andThen(Backoff.sleep(now)),
          Effect.andThen(Effect.suspend(() => this.#attempt(Math.min(now * 2, longestWait))))
        )
      }
    })
  }

  /** Reaches the server, and fails when it can be reached no more. */
  readonly #stay: Effect.Effect<never, Failed, Scope.Scope> = Effect.gen({ self: this }, function*() {
    const line = yield* this.#take(Plan.base, undefined)
    // Another server may be there by now. One that leads back asks us when its lists are read.
    this.#leadsBack = false
    // A client with a pinned revision has not asked.
    this.#capabilities = features.capabilities(line.client.capabilities ?? (yield* line.client.discover).capabilities)
    this.#know(yield* line.catalog.read)
    this.#lists.given()
    this.#base = line
    yield* Effect.logDebug(`the server ${Excerpt.line(this.#config.name)} is reached`)
    yield* Deferred.succeed(this.#first, undefined)
    this.#tellAll()
    for (;;) {
      yield* Effect.timeoutOption(this.#suspected.await, this.#config.check)
      this.#suspected.closeUnsafe()
      yield* Line.check(line.client)
      // Changes since then reach a caller that asks for a tool without a call.
      this.#know(line.catalog.features ?? (yield* line.catalog.read))
    }
  })

  #know(features: ReadonlyArray<Feature>) {
    if (features === this.#known) return
    this.#known = features
    this.#tools = new Map(features.flatMap((one) => one._tag === "McpTool" ? [[one.info.name, one.info]] : []))
  }

  #tellAll() {
    for (const list of lists) this.tell({ list })
  }

  tell(change: Change) {
    if (this.#leadsBack) return
    this.#hearers.tell(change)
  }

  #plan(call: McpContext, what: "call" | "lists"): Plan.Plan | undefined {
    return this.#base && Plan.of(call, this.#base.client, what, this.#config.isShared)
  }

  #take({ owner, reach, session, use }: Plan.Plan, running: Running | undefined) {
    const open = (seated: Seated | undefined) => Line.open({ ...this.#host, reach, session, owner, use, seated })
    // On a connection of all, nothing tells whose what the server says is, beside the rounds of a call.
    if (running === undefined || use.kind === "shared") return this.#lines.take(use, open(undefined))
    // A call that gives up may have the seat of a connection that still opens.
    const seated = Effect.acquireRelease(
      Effect.sync(() => new Seated(running)),
      (seated) => Effect.sync(() => seated.leave())
    )
    return Effect.flatMap(
      seated,
      (seated) => Effect.tap(this.#lines.take(use, open(seated)), ({ seat }) => Effect.sync(() => seated.take(seat)))
    )
  }

  /** Listens to a resource as long as a connection is there, and may run again after that. */
  #watch(call: McpContext, uri: string) {
    let count = 0
    return Stream.unwrap(Effect.gen({ self: this }, function*() {
      const plan = this.#plan(call, "lists")
      if (plan === undefined) return yield* this.#down
      const { client, closed } = yield* this.#take(Plan.listening(plan), undefined)
      const isAgain = count++ > 0
      // No client has heard of changes between two connections.
      const changes = Stream.filter(client.subscribe(uri), ({ _tag }) => isAgain || _tag !== "Subscribed")
      return Stream.interruptWhen(changes, Effect.andThen(Deferred.await(closed), this.#down))
    }))
  }

  readonly #down: Effect.Effect<never, ErrorResponse.ErrorResponse> = Effect.suspend(() =>
    Effect.fail(failures.unreached(this.#config.name, this.#cause))
  )

  #answer(error: Failed | failures.Failure | ToolError): ErrorResponse.ErrorResponse {
    if (error._tag === "ErrorResponse") return error
    // A tool that failed has a result.
    if (error._tag === "ToolError") return ErrorResponse.internalError(error)
    if (failures.isOfLine(error)) this.#suspected.openUnsafe()
    return failures.answer(this.#config, error)
  }
}
