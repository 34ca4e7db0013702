/**
 * Why a call becomes no task, or a task cannot be looked at.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as McpError from "../../../wire/McpError.ts"
import { isExit } from "../definition/handler.ts"
import * as ToolHandler from "../definition/toolHandler.ts"

/** Arguments that the tool does not take, where that is known before it runs. @internal */
export const refusedArguments = (effect: Effect.Effect<unknown, ToolHandler.Refusal>) => {
  if (!isExit(effect) || Exit.isSuccess(effect)) return undefined
  const failure = effect.cause.reasons.find((reason) => reason._tag === "Fail")
  return failure?.error instanceof ToolHandler.InvalidToolArguments ? failure.error : undefined
}

/** @internal */
export const full = (what: string) =>
  ErrorResponse.make(McpError.Overloaded, `This server ${what}, and takes no more now`)

/** @internal */
export const tooLong = (length: number, most: number) =>
  ErrorResponse.make(McpError.Overloaded, `This call has ${length} characters, and this server keeps ${most} of a task`)

/** A journal that does not take or give what it is asked for. @internal */
export const unkept = (cause: unknown) =>
  ErrorResponse.fromObject({ code: McpError.Overloaded, message: "Tasks cannot be kept now; try again" }, cause)
