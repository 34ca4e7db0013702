/**
 * A server behind this one: its connections, whether it can be reached, and the way of a call to it.
 */
import type { McpConnectError, ToolError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { McpContext } from "@parley/mcp/McpContext"
import type { ClientCapabilities, ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import type { Feature } from "@parley/mcp/server/Feature"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import { type Change, Hearers, lists } from "@parley/mcp/server/ServerChanges"
import { QuietLog } from "@parley/mcp/shared"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { Refusal } from "../../Policy.ts"
import type { Guard } from "../policy/Guard.ts"
import { Attempts, tellAway, type UpstreamState } from "./Attempts.ts"
import type { Asker } from "./attribution.ts"
import { Calls } from "./calls/Calls.ts"
import { Forwarder } from "./calls/Forwarder.ts"
import { Listening } from "./calls/Listening.ts"
import type { Running } from "./calls/Running.ts"
import * as failures from "./failures.ts"
import type { Kept } from "./Kept.ts"
import * as Line from "./Line.ts"
import { Lines } from "./Lines.ts"
import * as features from "./lists/features.ts"
import { SlowLists, waitingOf } from "./lists/SlowLists.ts"
import * as Plan from "./plan.ts"
import * as Reach from "./reach.ts"
import { Seated } from "./Seat.ts"
import { SoleCaller } from "./SoleCaller.ts"

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
  /** Whether each connection is a process, which may keep state. */
  readonly isProcess: boolean
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
  readonly context: Context.Context<never>
  /** What the only caller can be asked, where all calls are of one. */
  readonly sole: Effect.Effect<ClientCapabilities> | undefined
  /** Hears whether the server can be reached, in place of the log. */
  readonly hear: ((state: UpstreamState) => Effect.Effect<void>) | undefined
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
  readonly #attempts = new Attempts()
  readonly #sole: SoleCaller | undefined
  readonly #fork: (effect: Effect.Effect<void>) => void
  /** The plan of the connection that is always there. */
  #always = Plan.base
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
    const run = Effect.runForkWith(config.context)
    this.#fork = (effect) => void Fiber.runIn(run(effect), scope)
    this.#sole = config.sole && new SoleCaller(
      config.sole,
      () => this.#base && this.#fork(Effect.ignore(this.#base.client.notifyRootsChanged))
    )
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
      scope: config.kept.scope,
      room: config.kept.room,
      all: config.kept.calls
    })
    const listening = new Listening((call) => {
      const plan = this.#plan(call, "lists")
      return plan === undefined ? this.#down : this.#take(Plan.listening(plan), undefined)
    }, this.#down)
    const { deadline, guard } = config
    const forwarder = new Forwarder({
      guard,
      deadline,
      calls,
      lines: this.#lines,
      scope,
      plan: (call, what) => this.#plan(call, what),
      take: (plan, running) => this.#take(plan, running),
      listening,
      answered: (effect) => Effect.mapError(effect, (error) => this.#answer(error)),
      down: this.#down
    })
    this.#host = {
      name,
      asker: config.asker,
      connect: config.connect,
      sole: this.#sole,
      lines: this.#lines,
      room: config.kept.room,
      tell: (change) => this.tell(change),
      calm: config.calm,
      missing: (method, cause) =>
        config.hear?.({ _tag: "Unlisted", method, cause })
          ?? this.#log(
            `the server ${Excerpt.line(name)} does not answer ${method} as it should, so that list stays as it was`,
            cause === undefined ? undefined : Cause.fail(cause)
          ),
      featuresOf: features.make({
        call: (call, subject, send) => forwarder.call(call, subject, send),
        simply: (call, subject, send) => forwarder.simply(call, subject, send),
        watch: (call, uri) => listening.watch(call, uri),
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
    const plan = isCommon ? this.#always : own
    const known = this.#lines.peek(plan.use.key)?.catalog.features
    if (known !== undefined) return Exit.succeed(known)
    const read = Effect.tapCause(
      Effect.scoped(Effect.flatMap(this.#take(Plan.listening(plan), undefined), ({ catalog }) => catalog.read)),
      (cause) =>
        // A read that is interrupted ends with its line, which is told of by itself.
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : this.#log(`the server ${Excerpt.line(this.#config.name)} does not list what it offers`, cause)
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
  readonly keep: Effect.Effect<never> = Effect.suspend(() => {
    const attempts = Effect.suspend(() => this.#attempt(firstWait))
    if (this.#sole === undefined) return attempts
    return Effect.flatMap(this.#sole.capabilities, (capabilities) => {
      this.#always = Plan.forSole(Reach.of(capabilities))
      return attempts
    })
  })

  /** Tries now to reach a server that is away, and waits for the outcome. */
  readonly again: Effect.Effect<void> = Effect.suspend(() =>
    this.#base === undefined ? this.#attempts.wanted : Effect.void
  )

  /** Why the server cannot be reached; `undefined` while it can, or nobody has tried. */
  get cause(): unknown {
    return this.#base === undefined ? this.#cause : undefined
  }

  /** The first lists wait for the server; after that, its features are in no list until it is back. */
  #unreached(call: McpContext): Effect.Effect<ReadonlyArray<Feature>> {
    // The only caller keeps what it has: to take it away and give it back would only make it list twice.
    if (this.#sole !== undefined && this.#known.length > 0) return Exit.succeed(this.#known)
    if (Deferred.isDoneUnsafe(this.#first)) return Exit.succeed(features.hidden(this.#known))
    return Effect.flatMap(
      this.#lists.first(waitingOf(call), this.ready),
      () => this.#base === undefined ? Exit.succeed(features.hidden(this.#known)) : this.#featuresFor(call)
    )
  }

  #attempt(wait: number): Effect.Effect<never> {
    // Calls whose connection is closed then are told why.
    const stayed = Effect.tapError(this.#stay, (why) => Effect.sync(() => void (this.#cause = why)))
    return Effect.matchEffect(Effect.scoped(stayed), {
      onSuccess: () => this.#attempt(firstWait),
      onFailure: (why) => {
        const wasUp = this.#base !== undefined
        const now = wasUp ? firstWait : wait
        this.#base = undefined
        if (wasUp && this.#sole === undefined) this.#tellAll()
        return Deferred.fail(this.#first, why).pipe(
          Effect.andThen(tellAway(this.#config, why, now === firstWait)),
          Effect.andThen(this.#attempts.end),
          Effect.andThen(this.#attempts.pause(now)),
          Effect.andThen(Effect.suspend(() => this.#attempt(Math.min(now * 2, longestWait))))
        )
      }
    })
  }

  /** Reaches the server, and fails when it can be reached no more. */
  readonly #stay: Effect.Effect<never, Failed, Scope.Scope> = Effect.gen({ self: this }, function*() {
    const line = yield* this.#take(this.#always, undefined)
    // Another line of the same key may serve calls by the time that this one fails its check, so only this one is closed.
    yield* Effect.addFinalizer(() => this.#lines.discard(line))
    yield* Effect.forkScoped(
      Effect.andThen(Deferred.await(line.closed), Effect.sync(() => this.#suspected.openUnsafe()))
    )
    // Another server may be there by now. One that leads back asks us when its lists are read.
    this.#leadsBack = false
    // A client with a pinned revision has not asked.
    this.#capabilities = features.capabilities(line.client.capabilities ?? (yield* line.client.discover).capabilities)
    this.#know(yield* line.catalog.read)
    this.#lists.given()
    this.#base = line
    this.#cause = undefined
    yield* Effect.logDebug(`the server ${Excerpt.line(this.#config.name)} is reached`)
    const { protocolVersion, serverInfo } = line.client
    yield* this.#config.hear?.({ _tag: "Reached", protocolVersion, serverInfo, features: this.#known }) ?? Effect.void
    yield* Deferred.succeed(this.#first, undefined)
    yield* this.#attempts.end
    if (this.#sole === undefined) this.#tellAll()
    for (;;) {
      yield* Effect.timeoutOption(this.#suspected.await, this.#config.check)
      this.#suspected.closeUnsafe()
      yield* Line.check(line.client)
      // Changes since then reach a caller that asks for a tool without a call.
      this.#know(line.catalog.features ?? (yield* line.catalog.read))
    }
  })

  #know(now: ReadonlyArray<Feature>) {
    const before = this.#known
    if (now === before) return
    this.#known = now
    this.#tools = new Map(now.flatMap((one) => one._tag === "McpTool" ? [[one.info.name, one.info]] : []))
    if (this.#sole === undefined) return
    for (const list of features.differing(before, now)) this.#hearers.tell({ list })
  }

  #tellAll() {
    for (const list of lists) this.tell({ list })
  }

  tell(change: Change) {
    if (this.#leadsBack) return
    // The only caller hears of lists that differ, which a server may not even say.
    if (this.#sole !== undefined && "list" in change) this.#fork(this.#compared)
    else this.#hearers.tell(change)
  }

  /** Reads the lists again. */
  readonly #compared = Effect.suspend(() =>
    this.#base === undefined ? Effect.void : Effect.ignore(
      Effect.map(this.#base.catalog.read, (features) => this.#know(features))
    )
  )

  #plan(call: McpContext, what: "call" | "lists"): Plan.Plan | undefined {
    if (this.#sole !== undefined) {
      this.#sole.met(call.session)
      return this.#base && Plan.ofSole(call, this.#base.client)
    }
    return this.#base && Plan.of(call, this.#base.client, what, this.#config)
  }

  #take({ owner, reach, session, use }: Plan.Plan, running: Running | undefined) {
    const open = (seated: Seated | undefined) => Line.open({ ...this.#host, reach, session, owner, use, seated })
    // On a connection of all, nothing tells whose what the server says is, beside the rounds of a call.
    const isOfAll = use.kind === "shared" && this.#sole === undefined && !this.#config.isProcess
    if (running === undefined || isOfAll) {
      return this.#lines.take(use, open(undefined))
    }
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

  readonly #down: Effect.Effect<never, ErrorResponse.ErrorResponse> = Effect.suspend(() =>
    Effect.fail(failures.unreached(this.#config.name, this.#cause))
  )

  #answer(error: Failed | failures.Failure | ToolError): ErrorResponse.ErrorResponse {
    if (error._tag === "ErrorResponse") return error
    // A tool that failed has a result.
    if (error._tag === "ToolError") return ErrorResponse.internalError(error)
    if (failures.isOfLine(error)) this.#suspected.openUnsafe()
    return failures.answer(this.#config, failures.closedFor(error, this.#cause))
  }
}
