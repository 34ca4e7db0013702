/**
 * A call of a tool that may become a task: what it says, what answers it, and the progress that it makes.
 *
 * In the core generation the client asks for a task, where the tool needs or takes that. In the extension the server
 * decides, once the client has declared the extension.
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Progress, ToolOptions } from "../../../client/ClientOptions.ts"
import type { ToolExecution } from "../../../payload/Listing.ts"
import type { CallToolResult, InputRequired } from "../../../payload/Results.ts"
import type * as Tasks from "../../../payload/Tasks.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import * as WireIssue from "../../../wire/WireIssue.ts"
import { isArray, isObject } from "../../Json.ts"
import type { Notices } from "../changes/Notices.ts"
import { reading } from "../requests/Sender.ts"

/** A task, in the place of a result. @internal */
export class Created {
  readonly result: Tasks.CreateTaskResult

  constructor(result: Tasks.CreateTaskResult) {
    this.result = result
  }
}

/** The member by which a call asks for a task: where the tool requires it, or where the caller wants it and may. @internal */
export const request = (
  codec: RevisionCodec,
  support: ToolExecution["taskSupport"],
  wanted: ToolOptions["task"]
): Schema.JsonObject | undefined => {
  if (support !== "required" && (support !== "optional" || wanted === undefined)) return undefined
  const ttl = wanted?.ttl === undefined ? Infinity : Duration.toMillis(Duration.fromInputUnsafe(wanted.ttl))
  return codec.encode.taskRequest(Number.isFinite(ttl) ? { ttlMs: Math.ceil(ttl) } : {})
}

/** Reads a result, a question or a task. @internal */
export const decoder = (
  { decode, features }: RevisionCodec,
  declares: boolean
): Decoder<CallToolResult | InputRequired | Created> => {
  if (features.tasks === "none" || (features.tasks === "extension" && !declares)) return decode.callToolResult
  const isTask = features.tasks === "core" ? isWrapped : isFlat
  return (json) =>
    isObject(json) && isTask(json)
      ? Result.flatMap(decode.createTaskResult(json), created)
      : decode.callToolResult(json)
}

/** An id is a header of every later request, where they go over HTTP. */
const longestId = 1_024

const created = (result: Tasks.CreateTaskResult): Result.Result<Created, WireIssue.WireIssue> => {
  const { length } = result.task.taskId
  return length > 0 && length <= longestId
    ? Result.succeed(new Created(result))
    : Result.fail(WireIssue.make(`Expected 1 to ${longestId} characters`, ["taskId"]))
}

const isFlat = (json: Schema.JsonObject): boolean => json["resultType"] === "task"

/** A result with content is one, whatever else it has. */
const isWrapped = ({ content, task }: Schema.JsonObject): boolean =>
  isObject(task) && !(isArray(content) && content.length > 0)

/**
 * The progress of a call that becomes a task. In the core generation its token outlives the response of the call; what a
 * server says by it counts, and otherwise the status messages of the task do.
 *
 * @internal
 */
export class TaskProgress {
  /** The token that asks for progress. */
  readonly token = `task-${crypto.randomUUID()}`
  readonly #onProgress: (progress: Progress) => void
  /** Ends the hearing. */
  readonly end: () => void
  #messages = 0
  #message: string | undefined
  #hasOwn = false

  constructor(notices: Notices, onProgress: (progress: Progress) => void) {
    this.#onProgress = onProgress
    const read = reading(onProgress)
    this.end = notices.on("notifications/progress", (params) => {
      if (!isObject(params) || params["progressToken"] !== this.token) return
      this.#hasOwn = true
      read(params)
    })
  }

  /** Gives the status message of a state, where it is another one. */
  hear({ statusMessage: message }: Tasks.Task): void {
    if (this.#hasOwn || message === undefined || message === this.#message) return
    this.#message = message
    this.#onProgress({ progress: ++this.#messages, message })
  }
}
