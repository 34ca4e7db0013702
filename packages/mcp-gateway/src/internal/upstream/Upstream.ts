/**
 * A server behind this one: its connections, whether it can be reached, and the way of a call to it.
 */
import type { McpConnectError, ToolError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { McpContext } from "@parley/mcp/McpContext"
import type { ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import type { LogLevel } from "@parley/mcp/payload/LogLevel"
import type { Feature } from "@parley/mcp/server/Feature"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import { type Change, lists } from "@parley/mcp/server/ServerChanges"
import { QuietLog } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Calls } from "./calls/Calls.ts"
import { reporting } from "./calls/Reports.ts"
import { Current, Running } from "./calls/Running.ts"
import * as failures from "./failures.ts"
import * as features from "./features.ts"
import * as Line from "./Line.ts"
import { Lines } from "./Lines.ts"
import { Links } from "./Links.ts"
import * as Plan from "./plan.ts"
import * as Reach from "./reach.ts"
import { Seated } from "./Seat.ts"
import { SlowLists, waitingOf } from "./SlowLists.ts"

/** With every default in its place; times are milliseconds. @internal */
export interface Config {
  readonly name: string
  /** Whether what it asks has its name: clients know other servers here. */
  readonly isNamed: boolean
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
  readonly #calls: Calls
  readonly #host: Line.Host
  readonly #log = QuietLog.make()
  readonly #links = new Links()
  readonly #hearers = new Set<(change: Change) => void>()
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
    this.#calls = new Calls({ server: name, most: waiting, mostOfOne: waitingPerPrincipal, patience, scope })
    this.#host = {
      name,
      isNamed: config.isNamed,
      connect: config.connect,
      lines: this.#lines,
      tell: (change) => this.#tell(change),
      featuresOf: features.make({
        call: (call, send) => this.#call(call, send),
        simply: (call, send) => this.#simply(call, send),
        watch: (call, uri) => this.#watch(call, uri),
        links: this.#links,
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

  capabilities() {
    return this.#capabilities
  }

  linkedAt(uri: string) {
    return this.#links.at(uri)
  }

  isAway() {
    return this.#base === undefined && !this.#leadsBack
  }

  tool(name: string) {
    return this.#leadsBack ? undefined : this.#tools.get(name)
  }

  onChange(hear: (change: Change) => void) {
    return Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => this.#hearers.add(hear)),
      () => Effect.sync(() => this.#hearers.delete(hear))
    ))
  }

  featuresFor(call: McpContext): Effect.Effect<ReadonlyArray<Feature>> {
    if (Reach.isSelf(call.client.capabilities, this.identity)) return this.#leftOut
    if (this.#leadsBack) return Exit.succeed(none)
    const base = this.#base
    if (base === undefined) return this.#unreached(call)
    const own = this.#plan(call, base, "lists")
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
      () => this.#base === undefined ? Exit.succeed(features.hidden(this.#known)) : this.featuresFor(call)
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
    for (const list of lists) this.#tell({ list })
  }

  #tell(change: Change) {
    if (this.#leadsBack) return
    for (const hear of [...this.#hearers]) hear(change)
  }

  #plan(call: McpContext, { client }: Line.Line, what: "call" | "lists") {
    return Plan.of(call, client, what, this.#config.isShared)
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

  #simply<A>(call: McpContext, send: features.Send<A>): Effect.Effect<A, ErrorResponse.ErrorResponse> {
    return Effect.suspend(() => {
      const base = this.#base
      if (base === undefined) return this.#down
      return this.#answered(Effect.scoped(Effect.flatMap(
        this.#take(Plan.listening(this.#plan(call, base, "lists")), undefined),
        ({ client }) => reporting(call, (hears) => send(client, { ...Plan.optionsOf(call), ...hears }))
      )))
    })
  }

  #call<A extends object>(call: McpContext, send: features.Send<A>): Effect.Effect<A, ErrorResponse.ErrorResponse> {
    return Effect.suspend(() => {
      const base = this.#base
      if (base === undefined) return this.#down
      const plan = this.#plan(call, base, "call")
      if (plan.isQuiet) return this.#simply(call, send)
      const isRetried = Plan.isRetried(call, plan)
      const running = new Running(call)
      const begun = Effect.as(
        Effect.andThen(isRetried ? this.#calls.add(running) : Effect.void, this.#begin(running, call, plan, send)),
        running.id
      )
      // A call that has begun is attended to, whenever its request is interrupted.
      const attended = Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          isRetried ? call.once("upstream", Schema.String, begun) : begun,
          (id) =>
            this.#attend(id === running.id ? running : this.#calls.get(id, call.principal), isRetried, (running) =>
              restore(running.attend(call)))
        )
      )
      // A call gives the value of its `send`.
      return attended as Effect.Effect<A, ErrorResponse.ErrorResponse>
    })
  }

  #begin<A extends object>(
    running: Running,
    call: McpContext,
    plan: Plan.Plan,
    send: features.Send<A>
  ): Effect.Effect<void> {
    const sent = Effect.scoped(Effect.flatMap(
      this.#take(plan, running),
      (line) =>
        Effect.andThen(
          this.#level(line, plan.level),
          send(line.client, { ...Plan.optionsOf(call), onProgress: (progress) => running.progress(progress) })
        ).pipe(
          // The server may not have heard that the call has ended, and ask whoever is there next.
          Effect.onExit((exit) =>
            plan.use.kind === "exclusive" && !failures.isAnswered(exit) ? this.#lines.discard(line) : Effect.void
          )
        )
    ))
    const settled = Effect.onExit(this.#answered(sent), (exit) => Effect.sync(() => running.settle(exit)))
    return Effect.map(
      Effect.forkIn(Effect.provideService(Effect.exit(settled), Current, running), this.#config.scope, {
        startImmediately: true
      }),
      (fiber) => {
        running.fiber = fiber
      }
    )
  }

  #attend(
    running: Running | undefined,
    isRetried: boolean,
    attend: (running: Running) => Effect.Effect<object, ErrorResponse.ErrorResponse>
  ): Effect.Effect<object, ErrorResponse.ErrorResponse> {
    if (running === undefined) return Effect.fail(McpError.ownerGone)
    if (running.isAttended) return Effect.fail(attendedTwice)
    running.isAttended = true
    running.patience?.interruptUnsafe()
    return Effect.onExit(attend(running), (exit) =>
      Effect.suspend(() => {
        running.isAttended = false
        // A round has ended with a question of the call: somebody comes back with the answer.
        if (Exit.hasInterrupts(exit) && isRetried && running.isAsking) return this.#calls.park(running)
        return Effect.sync(() => this.#calls.end(running))
      }))
  }

  #level(line: Line.Line, level: LogLevel | undefined): Effect.Effect<void> {
    if (level === undefined || level === line.level) return Effect.void
    line.level = level
    return Effect.ignore(line.client.setLogLevel(level))
  }

  /** Listens to a resource as long as a connection is there, and may run again after that. */
  #watch(call: McpContext, uri: string) {
    let count = 0
    return Stream.unwrap(Effect.gen({ self: this }, function*() {
      const base = this.#base
      if (base === undefined) return yield* this.#down
      const plan = Plan.listening(this.#plan(call, base, "lists"))
      const { client, closed } = yield* this.#take(plan, undefined)
      const isAgain = count++ > 0
      // No client has heard of changes between two connections.
      const changes = Stream.filter(client.subscribe(uri), ({ _tag }) => isAgain || _tag !== "Subscribed")
      return Stream.interruptWhen(changes, Effect.andThen(Deferred.await(closed), this.#down))
    }))
  }

  get #down(): Effect.Effect<never, ErrorResponse.ErrorResponse> {
    return Effect.fail(failures.unreached(this.#config.name, this.#cause))
  }

  #answered<A>(effect: Effect.Effect<A, Failed | failures.Failure | ToolError>) {
    return Effect.mapError(effect, (error) => this.#answer(error))
  }

  #answer(error: Failed | failures.Failure | ToolError): ErrorResponse.ErrorResponse {
    if (error._tag === "ErrorResponse") return error
    // A tool that failed has a result.
    if (error._tag === "ToolError") return ErrorResponse.internalError(error)
    if (failures.isOfLine(error)) this.#suspected.openUnsafe()
    return failures.answer(this.#config, error)
  }
}

const attendedTwice = ErrorResponse.make(
  ErrorCode.InvalidRequest,
  "Another request waits for the result of this call already"
)
