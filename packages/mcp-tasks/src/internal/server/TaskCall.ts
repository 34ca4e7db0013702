/**
 * A call that is a task, as its handler sees it: without the request that it came by, which has been answered.
 */
import type { AuthInfo, Client, McpContext } from "@parley/mcp/McpContext"
import * as LogLevel from "@parley/mcp/payload/LogLevel"
import { type ClientRequestError, InvalidAnswer } from "@parley/mcp/server/ClientRequestError"
import * as ClientRequests from "@parley/mcp/server/ClientRequests"
import type { ServerChanges } from "@parley/mcp/server/ServerChanges"
import { Shares } from "@parley/mcp/shared"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import type { Caller } from "@parley/peer/Caller"
import type { RequestId } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TaskCodec from "../TaskCodec.ts"
import type { StoredCall } from "./journal/TaskRecord.ts"
import type { TaskRun } from "./TaskRun.ts"

/** The call that became a task. @internal */
export interface Origin {
  readonly client: Client
  readonly codec: RevisionCodec.RevisionCodec
  readonly auth: AuthInfo
  readonly party: McpContext["party"]
  readonly header: McpContext["header"]
  readonly id: RequestId.RequestId | undefined
  readonly method: string
  readonly meta: Schema.JsonObject
  readonly logLevel: McpContext["logLevel"]
  readonly session: McpContext["session"]
  /** The way to the client of a session, for what belongs to no request; `undefined` where there is none now. */
  readonly line: () => Caller | undefined
}

/** The call of a task that runs again, for its principal who has asked for the task. No request of it is left. @internal */
export const originOf = (call: StoredCall, auth: AuthInfo): Origin => ({
  client: { info: call.clientInfo, capabilities: call.clientCapabilities },
  codec: RevisionCodec.of(call.revision),
  auth,
  party: auth.principal === undefined ? undefined : Shares.ofPrincipal(auth.principal),
  header: () => undefined,
  id: undefined,
  method: "tools/call",
  meta: call.meta,
  logLevel: undefined,
  session: undefined,
  line: () => undefined
})

/** @internal */
export class TaskCall extends ClientRequests.Questions implements McpContext {
  readonly #origin: Origin
  readonly #run: TaskRun
  readonly server: ServerChanges
  readonly task: { readonly id: string; readonly epoch: number }
  #progress = Number.NEGATIVE_INFINITY

  constructor(origin: Origin, run: TaskRun, server: ServerChanges) {
    super(new TaskAsker(run), origin.codec, origin.client.capabilities)
    this.#origin = origin
    this.#run = run
    this.server = server
    this.task = { id: run.record.taskId, epoch: run.record.epoch }
  }

  get client() {
    return this.#origin.client
  }

  get protocolVersion() {
    return this.#origin.codec.revision
  }

  get auth() {
    return this.#origin.auth
  }

  get principal() {
    return this.auth.principal
  }

  get party() {
    return this.#origin.party
  }

  get header() {
    return this.#origin.header
  }

  get id() {
    return this.#origin.id
  }

  get method() {
    return this.#origin.method
  }

  get meta() {
    return this.#origin.meta
  }

  get logLevel() {
    return this.#origin.logLevel
  }

  get session() {
    return this.#origin.session
  }

  get closeStream(): Effect.Effect<void> {
    return Effect.void
  }

  get progress(): McpContext["progress"] {
    return ({ message, progress, total }) =>
      Effect.suspend(() => {
        if (!(progress > this.#progress) || !Number.isFinite(progress)) return Effect.void
        this.#progress = progress
        const isKnown = total !== undefined && Number.isFinite(total)
        this.#run.say(message ?? (isKnown ? `${progress} of ${total}` : String(progress)))
        const { progressToken } = this.meta
        return progressToken === undefined ? Effect.void : this.notify("notifications/progress", {
          progressToken,
          progress,
          ...(isKnown ? { total } : undefined),
          ...(message === undefined ? undefined : { message })
        })
      })
  }

  get log(): McpContext["log"] {
    const { logLevel } = this.#origin
    return (level, data, logger) =>
      logLevel === undefined || !LogLevel.isAtLeast(level, logLevel)
        ? Effect.void
        : this.notify("notifications/message", { level, data, ...(logger === undefined ? undefined : { logger }) })
  }

  /** Sends a notification that belongs to the task and to no request. The extension has no way for it. */
  get notify(): McpContext["notify"] {
    return (method, params) =>
      Effect.suspend(() => {
        const line = this.#origin.line()
        if (line === undefined) return Effect.void
        return Effect.ignore(line.notify(method, TaskCodec.related(params ?? {}, this.task.id)))
      })
  }
}

/** Asks by the state of a task. */
class TaskAsker implements ClientRequests.Asker {
  readonly #run: TaskRun
  readonly #keys = new ClientRequests.Keys()

  constructor(run: TaskRun) {
    this.#run = run
  }

  readonly detach: Effect.Effect<void> = Effect.void

  ask<A>(key: string, { read, request }: ClientRequests.Question<A>): Effect.Effect<A, ClientRequestError> {
    return this.#keys.during(
      key,
      Effect.suspend(() => {
        const run = this.#run
        const known = run.answers.get(key)
        const answered = known === undefined ? run.ask(key, request) : Exit.succeed(known)
        return Effect.flatMap(answered, (answer) => {
          const result = read(answer)
          if (Result.isFailure(result)) {
            run.answers.delete(key)
            return Effect.fail(new InvalidAnswer({ key, method: request.method, issues: result.failure.issues }))
          }
          run.answers.set(key, answer)
          run.learn()
          return Effect.succeed(result.success)
        })
      })
    )
  }

  /** The value stands in the journal before the handler goes on, where the handler may run again. */
  memo<A, I, E, R>(key: string, schema: Schema.Codec<A, I>, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const run = this.#run
    const codec = Schema.toCodecJson(schema)
    return this.#keys.during(
      key,
      Effect.suspend(() => {
        const known = run.results.get(key)
        // A result that the current Schema refuses is a defect, because the effect must not run again.
        if (known !== undefined) return Effect.orDie(Schema.decodeUnknownEffect(codec)(known))
        return Effect.tap(
          effect,
          (value) =>
            Effect.flatMap(Effect.orDie(Schema.encodeEffect(codec)(value)), (result) => {
              // The codec's other side is JSON.
              run.results.set(key, result as Schema.Json)
              run.learn()
              return run.settled
            })
        )
      })
    )
  }
}
