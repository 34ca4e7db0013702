/**
 * Tasks of the core generation, and their clients: what a task asks is sent as a request of the server, by the stream of the
 * session or while the client waits for the result. Where it goes is never certain before, so each question is on one way
 * at a time.
 */
import type { InputRequest } from "@parley/mcp/payload/Results"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import type { Caller, CallError } from "@parley/peer/Caller"
import { ErrorCode, ErrorObject, JsonObject } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import type { Claimant, Claims } from "./Claims.ts"
import type { Message } from "./journal/TaskJournal.ts"
import * as TaskRecord from "./journal/TaskRecord.ts"
import type { TaskRun } from "./TaskRun.ts"

/** Hears what a client has answered, or why it has not. @internal */
export type Tell = (message: Message) => Effect.Effect<unknown, unknown>

/** @internal */
export interface Way {
  readonly taskId: string
  readonly caller: Caller
  readonly timeout: Duration.Input
  readonly tell: Tell
  readonly fork: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
}

/** The questions of a task that are sent on one way. @internal */
export class Deliveries implements Claimant {
  readonly #way: Way
  readonly #claims: Claims
  /** The fibers of the questions that were sent; `undefined` while one begins. */
  readonly #sent = new Map<string, Fiber.Fiber<unknown> | undefined>()
  #asks: { readonly [key: string]: InputRequest } = {}

  constructor(way: Way, claims: Claims) {
    this.#way = way
    this.#claims = claims
  }

  /** Sends what is asked and was not sent, and takes back what is asked no longer. */
  match(asks: { readonly [key: string]: InputRequest } = {}) {
    this.#asks = asks
    for (const [key, fiber] of this.#sent) if (!Object.hasOwn(asks, key)) fiber?.interruptUnsafe()
    if (Object.keys(asks).length === 0) return this.retire()
    this.#claims.join(this)
    this.retry()
  }

  retry() {
    for (const [key, request] of Object.entries(this.#asks)) {
      if (this.#sent.has(key) || !this.#claims.take(key)) continue
      const given = Effect.ensuring(this.#ask(key, request), Effect.sync(() => this.#claims.free(key)))
      // A line that is gone fails at once, and the question comes back here: it must be known to have been sent.
      this.#sent.set(key, undefined)
      this.#sent.set(key, this.#way.fork(given))
    }
  }

  /** Sends nothing more. What was sent may still be answered. */
  retire() {
    this.#claims.leave(this)
  }

  #ask(key: string, { method, params }: InputRequest): Effect.Effect<void> {
    const { caller, taskId, tell, timeout } = this.#way
    const asked = caller.request(method, TaskCodec.related(params ?? {}, taskId), { timeout })
    return Effect.matchEffect(asked, {
      onSuccess: (answer) =>
        Effect.ignore(
          JsonObject.isObject(answer)
            ? tell({ taskId, answers: { [key]: answer } })
            : tell({ taskId, refusals: { [key]: noObject(method) } })
        ),
      onFailure: (error) => {
        const refusal = refusalOf(error)
        return refusal === undefined ? Effect.void : Effect.ignore(tell({ taskId, refusals: { [key]: refusal } }))
      }
    })
  }
}

const noObject = (method: string): Tasks.TaskError => ({
  code: ErrorCode.InternalError,
  message: `The client answered ${method} with something else than an object`
})

/** A client that has gone may come back, and be asked another way. */
const refusalOf = (error: CallError): Tasks.TaskError | undefined =>
  error._tag !== "RemoteError" ? undefined : ErrorObject.make(error.code, error.text, error.data)

/**
 * Tells the client of a session of the states of a task, and sends what it asks, by the stream of the session: as soon as the
 * client has asked for the task. Before that, the answer that names the task may not have reached it.
 *
 * @internal
 */
export const attach = (
  run: TaskRun,
  codec: RevisionCodec,
  line: () => Caller | undefined,
  way: Omit<Way, "caller" | "taskId">
) => {
  const { taskId } = run.record
  let deliveries: { readonly caller: Caller; readonly of: Deliveries } | undefined
  let told: TaskRecord.TaskRecord | undefined
  let isTelling = false
  const tellState: Effect.Effect<void> = Effect.suspend(() => {
    const { record } = run
    const caller = line()
    if (told === record || caller === undefined) {
      isTelling = false
      return Effect.void
    }
    told = record
    const params = TaskCodec.of(codec).encode.task(TaskRecord.taskOf(codec, record))
    return Effect.andThen(Effect.ignore(caller.notify("notifications/tasks/status", params)), tellState)
  })
  const onState = () => {
    const caller = line()
    if (caller !== undefined) {
      if (deliveries?.caller !== caller) {
        deliveries?.of.retire()
        deliveries = { caller, of: new Deliveries({ ...way, caller, taskId }, run.claims) }
      }
      deliveries.of.match(run.record.asks)
      if (!isTelling) {
        isTelling = true
        way.fork(tellState)
      }
    }
    if (run.isOver && TaskRecord.isOver(run.record)) stop()
  }
  const stop = run.listen(onState)
  // A client that does not ask for its task has the answer by now.
  way.fork(Effect.delay(Effect.sync(() => run.know()), patience))
}

/** How long a client has to read the answer that names its task. */
const patience = Duration.seconds(1)
