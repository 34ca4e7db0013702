/**
 * The tasks of a server: those that run here, and the way to all others in its journal.
 *
 * A process that runs tasks renews its lease in the journal. A process that comes upon a task which has not ended, and whose
 * process has let its lease run out, takes the task over under a newer epoch: to run it again where its tool allows that,
 * or to say that it has failed.
 */
import type { CallToolResult } from "@parley/mcp/payload/Results"
import type { Learned } from "@parley/mcp/server/ClientRequests"
import type { ExtensionHost, Refusal, Serve } from "@parley/mcp/server/ToolExtension"
import { Shares } from "@parley/mcp/shared"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import { KeyedLock } from "@parley/mesh/shared"
import type * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { Bounds, Home, TaskOption } from "./Home.ts"
import { Keeper } from "./journal/Keeper.ts"
import { type Message, type Placed, TaskJournal } from "./journal/TaskJournal.ts"
import * as TaskRecord from "./journal/TaskRecord.ts"
import { endingOf, full, fullOf, refusedArguments, stopped, tooLong, unkept } from "./outcome.ts"
import { type Origin, originOf, TaskCall } from "./TaskCall.ts"
import { TaskRun } from "./TaskRun.ts"

/** A call that becomes a task. @internal */
export interface Draft {
  readonly origin: Origin
  readonly tool: string
  readonly task: TaskOption
  readonly serve: Serve
  readonly arguments: TaskRecord.StoredCall["arguments"]
  /** How long its client wants it kept, in milliseconds. */
  readonly ttlMs: number | undefined
  readonly learned: Learned
}

/** @internal */
export class TaskTable {
  readonly #journal: TaskJournal
  readonly #host: ExtensionHost
  /** The services of the server. */
  readonly #context: Context.Context<never>
  readonly #bounds: Bounds
  readonly #scope: Scope.Scope
  readonly #clock: Clock.Clock
  readonly #node = crypto.randomUUID()
  readonly #runs = new Map<string, TaskRun>()
  readonly #keeper: Keeper
  /** Takes over one task once at a time. */
  readonly #alone = KeyedLock.make()
  #isClosed = false
  /** The tasks that run, or are about to. */
  readonly #running: Shares.Shares

  constructor({ bounds, journal, scope }: Home, host: ExtensionHost, context: Context.Context<never>) {
    this.#host = host
    this.#context = context
    this.#bounds = bounds
    this.#scope = scope
    this.#clock = Context.get(context, Clock.Clock)
    this.#journal = new TaskJournal(journal, host.server)
    this.#running = new Shares.Shares(bounds.running, bounds.runningPerPrincipal)
    this.#keeper = new Keeper({
      server: host.server,
      node: this.#node,
      lease: bounds.lease,
      shares: new Shares.Shares(bounds.kept, bounds.keptPerPrincipal),
      journal: this.#journal,
      clock: this.#clock,
      scope,
      onMessage: (message) => this.#take(message),
      onOver: (taskId) => this.#end(taskId, expired)
    })
  }

  readonly fork = <A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> => Effect.runForkWith(this.#context)(effect)

  /** The run of a task that runs here, unless another process has taken it. */
  runOf(taskId: string): TaskRun | undefined {
    const run = this.#runs.get(taskId)
    return run?.isLost === true ? undefined : run
  }

  /** Makes a task of a call: it stands in the journal, and runs, when this has succeeded. */
  create(draft: Draft): Effect.Effect<TaskRun, Refusal> {
    return Effect.uninterruptible(Effect.suspend(() => {
      const now = this.#clock.currentTimeMillisUnsafe()
      const { origin: { party, principal } } = draft
      const run = new TaskRun(this.#home, this.#recordOf(draft, now), 0, draft.learned)
      const effect = this.#effectOf(draft, run)
      const refused = refusedArguments(effect)
      if (refused !== undefined) return Effect.fail(refused)
      const { record } = run
      const { length } = TaskRecord.encode(record)
      if (length > this.#bounds.resultSize) return Effect.fail(tooLong(length, this.#bounds.resultSize))
      const until = TaskRecord.endOf(record)
      return this.#reserved(party, () =>
        Effect.gen({ self: this }, function*() {
          const { shares } = this.#keeper
          const beyond = shares.fullFor(party)
          if (beyond !== undefined) return yield* fullOf("keeps", shares, beyond)
          if (principal !== undefined) {
            const { length } = yield* this.#journal.listed(principal, 0)
            if (length >= this.#bounds.keptPerPrincipal) return yield* full(`keeps ${length} tasks of yours`)
          }
          yield* this.#keeper.awake
          run.position = yield* this.#journal.write(record)
          // A reader of the list must find a task that has its process.
          this.#runs.set(record.taskId, run)
          if (principal !== undefined) {
            const listed = this.#journal.list(principal, record.taskId, until)
            yield* Effect.onError(listed, () => this.#forget(run))
          }
          yield* this.#keeper.keep(record.taskId, until, record.epoch, party)
          yield* this.#start(run, draft.origin, effect)
          return run
        }).pipe(
          Effect.onError(() => Effect.sync(() => this.#runs.delete(record.taskId))),
          Effect.catchTags({
            Overloaded: (error) => Effect.fail(unkept(error)),
            Fenced: (error) => Effect.fail(unkept(error))
          })
        ))
    }))
  }

  /** The state of a task that belongs to a principal; `undefined` where there is none. */
  find(taskId: string, principal: string | undefined): Effect.Effect<Placed | undefined, ErrorResponse.ErrorResponse> {
    return Effect.suspend(() => {
      const run = this.runOf(taskId)
      if (run !== undefined) {
        const { position, record } = run
        return Effect.succeed(record.principal === principal ? { position, record } : undefined)
      }
      // No id of ours is longer, and each is well-formed.
      if (taskId.length > mostCharacters || !taskId.isWellFormed()) return Effect.undefined
      const found = Effect.flatMap(this.#journal.read(taskId), (placed) => {
        const isThere = placed !== undefined && placed.record.principal === principal &&
          TaskRecord.endOf(placed.record) > this.#clock.currentTimeMillisUnsafe()
        if (!isThere) return Effect.undefined
        return TaskRecord.isOver(placed.record) ? Effect.succeed(placed) : this.#attended(placed)
      })
      return Effect.mapError(found, unkept)
    })
  }

  /** Waits until a task may have another state than the one that was found. */
  changed({ position, record }: Placed): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { taskId } = record
      const run = this.runOf(taskId)
      if (run !== undefined) return run.changed(record)
      // Its process may end without a word.
      const silence = Effect.sleep(Duration.millis(this.#bounds.lease))
      return Effect.raceFirst(Effect.catch(this.#journal.changed(taskId, position), () => silence), silence)
    })
  }

  /** Tells something to the process that runs a task, and waits until a process that is this one has written it. */
  tell({ record: { node } }: Placed, message: Message): Effect.Effect<void, ErrorResponse.ErrorResponse> {
    return Effect.suspend(() => {
      const run = this.runOf(message.taskId)
      if (run === undefined) return Effect.mapError(this.#journal.tell(node, message), unkept)
      this.#take(message)
      return run.settled
    })
  }

  /** The tasks of a principal, in the order in which they were made, behind a position; and the last position. */
  list(principal: string, after: number, most: number) {
    return Effect.gen({ self: this }, function*() {
      const listed = yield* Effect.mapError(this.#journal.listed(principal, after), unkept)
      const page = listed.slice(0, most)
      const found = yield* Effect.forEach(page, ({ taskId }) => this.find(taskId, principal), { concurrency: 8 })
      return {
        records: found.flatMap((placed) => placed === undefined ? [] : [placed.record]),
        next: listed.length > most ? page.at(-1)?.position : undefined
      }
    })
  }

  #take({ answers, cancel, refusals, taskId }: Message) {
    const run = this.#runs.get(taskId)
    if (run === undefined) return
    if (answers !== undefined) run.answer(answers)
    if (refusals !== undefined) run.refuse(refusals)
    if (cancel === true) this.#end(taskId, cancelled)
  }

  /** Ends a task from outside. */
  #end(taskId: string, ending: Parameters<TaskRun["finish"]>[0]) {
    const run = this.#runs.get(taskId)
    if (run?.finish(ending) === true) run.stop()
  }

  get #home() {
    return {
      journal: this.#journal,
      clock: this.#clock,
      fork: this.fork,
      isClosing: () => this.#isClosing
    }
  }

  get #isClosing(): boolean {
    return this.#isClosed || this.#scope.state._tag === "Closed"
  }

  /** Ends the tasks of a server that ends before the place where they run. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true
    const runs = [...this.#runs.values()]
    const fibers = runs.map(({ fiber }) => fiber).filter((fiber) => fiber !== undefined)
    for (const run of runs) run.stop()
    return Effect.andThen(Fiber.interruptAll(fibers), this.#keeper.leave)
  })

  #recordOf({ arguments: args, origin, task, ttlMs, tool }: Draft, now: number): TaskRecord.TaskRecord {
    const { client: { capabilities, info }, codec, meta, principal } = origin
    const { maxTtl, pollInterval, ttl } = this.#bounds
    const wanted = ttlMs ?? (task.ttl === undefined ? ttl : millis(task.ttl))
    return {
      taskId: crypto.randomUUID(),
      ...(principal === undefined ? undefined : { principal }),
      tool,
      node: this.#node,
      epoch: epochAfter(0, now),
      createdAt: now,
      updatedAt: now,
      ttlMs: Math.min(Math.max(1, wanted), maxTtl),
      pollIntervalMs: task.pollInterval === undefined ? pollInterval : millis(task.pollInterval),
      status: "working",
      ...(task.resumable !== true ? undefined : {
        call: {
          arguments: args,
          ...(info === undefined ? undefined : { clientInfo: info }),
          clientCapabilities: capabilities,
          revision: codec.revision,
          meta
        }
      })
    }
  }

  #effectOf({ arguments: args, origin, serve }: Pick<Draft, "arguments" | "origin" | "serve">, run: TaskRun) {
    return serve(args, new TaskCall(origin, run, this.#host.changes))
  }

  /** Counts a task that runs, and no longer where it could not be made. */
  #reserved<A, E>(party: Shares.Party, create: () => Effect.Effect<A, E>) {
    const beyond = this.#running.fullFor(party)
    if (beyond !== undefined) return Effect.fail(fullOf("runs", this.#running, beyond))
    this.#running.take(party)
    return Effect.onError(Effect.suspend(create), () => Effect.sync(() => this.#release(party)))
  }

  #release(party: Shares.Party) {
    this.#running.give(party)
    if (this.#running.size === 0) this.#keeper.rest()
  }

  /** Runs a handler in the Scope of the tasks, without the span and the Scope of its request. */
  #start(
    run: TaskRun,
    { codec, party }: Origin,
    effect: Effect.Effect<CallToolResult, Refusal>
  ): Effect.Effect<void> {
    const { record: { taskId } } = run
    this.#runs.set(taskId, run)
    const running = Effect.onExit(
      Effect.interruptible(effect),
      (exit) => Effect.suspend(() => this.#ended(run, codec, exit))
    )
    const forked = Effect.forkIn(Effect.updateContext(running, lasting), this.#scope)
    return Effect.map(forked, (fiber) => {
      run.fiber = fiber
      fiber.addObserver(() => {
        // Its last state may have to wait for the journal, and until then nobody else may take it over.
        this.fork(Effect.map(run.settled, () => {
          this.#release(party)
          // Another run of it may stand there by now.
          if (this.#runs.get(taskId) === run) this.#runs.delete(taskId)
        }))
      })
      // It may have been cancelled, or its server closed, before it ran.
      if (run.isOver || this.#isClosing) run.stop()
    })
  }

  #forget({ record: { epoch, taskId } }: TaskRun): Effect.Effect<void> {
    this.#runs.delete(taskId)
    return this.#journal.drop(taskId, epoch)
  }

  #ended(
    run: TaskRun,
    codec: RevisionCodec,
    exit: Exit.Exit<CallToolResult, Refusal>
  ): Effect.Effect<void> {
    const isStopped = this.#isClosing && Exit.hasInterrupts(exit)
    // One that may run again does so elsewhere: its state stays as it is.
    const ending = isStopped && run.record.call !== undefined
      ? Effect.void
      : isStopped
      ? Effect.sync(() => run.finish(stopped))
      : Effect.map(
        endingOf(this.#host, codec, run.record, exit, run.isOver, this.#bounds.resultSize),
        (ending) => run.finish(ending)
      )
    return Effect.andThen(ending, Effect.asVoid(Effect.timeoutOption(run.settled, patience)))
  }

  /** A task that has not ended, and that some process attends to. */
  #attended(placed: Placed): Effect.Effect<Placed, ErrorResponse.ErrorResponse> {
    const { node } = placed.record
    const alive = Effect.mapError(this.#journal.aliveUntil(node), unkept)
    return Effect.flatMap(alive, (until) =>
      node !== this.#node && until > this.#clock.currentTimeMillisUnsafe()
        ? Effect.succeed(placed)
        : this.#alone(placed.record.taskId, Effect.uninterruptible(this.#takeOver(placed))))
  }

  #takeOver(orphan: Placed): Effect.Effect<Placed, ErrorResponse.ErrorResponse> {
    return Effect.gen({ self: this }, function*() {
      const { taskId } = orphan.record
      const run = this.runOf(taskId)
      if (run !== undefined) return run
      const epoch = epochAfter(orphan.record.epoch, this.#clock.currentTimeMillisUnsafe())
      yield* this.#journal.fence(taskId, epoch)
      const placed = yield* this.#journal.read(taskId)
      // One that still runs elsewhere is fenced by now, and nobody else attends to it.
      if (placed === undefined || TaskRecord.isOver(placed.record)) return placed ?? orphan
      const { call, learned, principal, tool: name } = placed.record
      const tool = this.#host.toolOf(name)
      const { asks: _, ...rest } = placed.record
      const updatedAt = this.#clock.currentTimeMillisUnsafe()
      const record: TaskRecord.TaskRecord = { ...rest, node: this.#node, epoch, updatedAt, status: "working" }
      const lost = Excerpt.line(taskId)
      if (call === undefined || tool === undefined || resumable(tool.option) !== true) {
        const { call: _, learned: __, ...left } = record
        yield* Effect.logWarning(`the process that ran the task ${lost} has ended, and with it the task`)
        const ended = { ...left, ...stopped }
        return { record: ended, position: yield* this.#journal.write(ended) }
      }
      yield* Effect.logWarning(`the process that ran the task ${lost} has ended: the task runs again here`)
      const origin = originOf(call, principal)
      return yield* this.#reserved(origin.party, () =>
        Effect.gen({ self: this }, function*() {
          yield* this.#keeper.awake
          const run = new TaskRun(this.#home, record, yield* this.#journal.write(record), learned ?? TaskRecord.nothing)
          yield* this.#keeper.keep(taskId, TaskRecord.endOf(record), epoch, origin.party)
          yield* this.#start(run, origin, this.#effectOf({ serve: tool.serve, arguments: call.arguments, origin }, run))
          return run
        }))
    }).pipe(
      // Another process has taken it over, or there is no room here: it is as it was found.
      Effect.catchTags({ Fenced: () => Effect.succeed(orphan), ErrorResponse: () => Effect.succeed(orphan) }),
      Effect.mapError(unkept)
    )
  }
}

/** Only our options come back as options of our extension. */
const resumable = (option: unknown) => (option as TaskOption | undefined)?.resumable

/** The services of a run, which goes on without the span and the Scope of its request. */
const lasting = (context: Context.Context<never>): Context.Context<never> =>
  Context.omit(Tracer.ParentSpan, Scope.Scope)(context)

const cancelled = { status: "cancelled", message: "The task was cancelled by request" } as const

const expired = {
  status: "failed",
  error: { code: ErrorCode.InternalError, message: "The task took too long" }
} as const

/** Characters of an id of ours, and more. */
const mostCharacters = 64

/** How long the end of a task waits for its journal. */
const patience = Duration.seconds(5)

const millis = (input: Duration.Input): number =>
  Math.max(1, Math.round(Duration.toMillis(Duration.fromInputUnsafe(input))))

/** Of two processes that take a task over in one millisecond, one has the greater epoch; whatever their clocks say. */
const epochAfter = (epoch: number, now: number): number =>
  Math.max(now * 1_024, epoch + 1) + (crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) % 1_024
