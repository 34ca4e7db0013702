/**
 * The end of a task, when its handler has ended, and the reasons for which a call becomes none.
 */
import type { CallToolResult } from "@parley/mcp/payload/Results"
import type { ExtensionHost, Refusal } from "@parley/mcp/server/ToolExtension"
import type { Shares } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, ErrorObject, Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { TaskRecord } from "./journal/TaskRecord.ts"

/** @internal */
export type Ending = Pick<TaskRecord, "status" | "result" | "error">

/** The end of a task whose process ends before it. @internal */
export const stopped: Ending = {
  status: "failed",
  error: {
    code: McpError.OwnerGone,
    message: "The process that ran this task has ended; the task may have run in part"
  }
}

/** The end of a task; a defect is told to our log alone. `isOver` says that nobody will see it. @internal */
export const endingOf = (
  { answerTo }: ExtensionHost,
  codec: RevisionCodec,
  record: TaskRecord,
  exit: Exit.Exit<CallToolResult, Refusal>,
  isOver: boolean,
  resultSize: number
): Effect.Effect<Ending> => {
  if (Exit.isSuccess(exit)) return written(record, exit.value, resultSize)
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return written(record, answerTo(codec, failure.error), resultSize)
  const { taskId, tool } = record
  return isOver ? defect : Effect.andThen(
    Effect.logError(
      `the handler of the task ${Excerpt.line(taskId)} of the tool ${
        Excerpt.line(tool)
      } failed in a way it did not declare`,
      Excerpt.cause(exit.cause)
    ),
    defect
  )
}

/** The end of a task as it is written for the journal, and for each client that asks. */
const written = (
  { taskId, tool }: TaskRecord,
  answer: CallToolResult | ErrorResponse.ErrorResponse,
  resultSize: number
): Effect.Effect<Ending> => {
  const ending: Ending = answer instanceof ErrorResponse.ErrorResponse
    ? { status: "failed", error: ErrorObject.make(answer.code, answer.message, answer.data) }
    : { status: "completed", result: answer }
  const text = Result.try(() => String(JSON.stringify(ending.result ?? ending.error)))
  if (Result.isSuccess(text)) {
    const { length } = text.success
    return Effect.succeed(length <= resultSize ? ending : tooLarge(tool, length, resultSize))
  }
  return Effect.andThen(
    Effect.logError(
      `the result of the task ${Excerpt.line(taskId)} of the tool ${Excerpt.line(tool)} cannot be written as JSON`,
      Excerpt.cause(Cause.die(text.failure))
    ),
    defect
  )
}

const tooLarge = (tool: string, length: number, resultSize: number): Ending => ({
  status: "failed",
  error: {
    code: ErrorCode.InternalError,
    message: `The result or error of ${tool} has ${length} characters, and this server keeps ${resultSize}`
  }
})

const defect = Effect.succeed<Ending>({ status: "failed", error: ErrorObject.internalError })

/** Arguments that the tool does not take, where that is known before it runs. @internal */
export const refusedArguments = (effect: Effect.Effect<unknown, Refusal>) => {
  if (!Exit.isExit(effect) || Exit.isSuccess(effect)) return undefined
  const failure = effect.cause.reasons.find(Cause.isFailReason)
  // The error of an exit is that of the effect.
  const error = failure?.error as Refusal | undefined
  return error?._tag === "InvalidToolArguments" ? error : undefined
}

/** @internal */
export const full = (what: string) =>
  ErrorResponse.make(McpError.Overloaded, `This server ${what}, and takes no more now`)

/** The bound of tasks that is used up, of all or of one party. @internal */
export const fullOf = (what: string, shares: Shares.Shares, beyond: Shares.Full) =>
  full(
    `${what} ${shares.boundOf(beyond)} tasks${
      beyond === "own" ? " of yours" : beyond === "all" ? "" : " of callers without a principal"
    }`
  )

/** @internal */
export const tooLong = (length: number, most: number) =>
  ErrorResponse.make(McpError.Overloaded, `This call has ${length} characters, and this server keeps ${most} of a task`)

/** A journal that does not take or give what it is asked for. @internal */
export const unkept = (cause: unknown) =>
  ErrorResponse.fromObject({ code: McpError.Overloaded, message: "Tasks cannot be kept now; try again" }, cause)
