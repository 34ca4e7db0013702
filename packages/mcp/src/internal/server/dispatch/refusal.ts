/**
 * How refusals of features are told to clients: as the error of the request, or as a result that the model sees.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, ErrorObject } from "@parley/protocol/shared"
import { ResourceNotFound } from "../../../McpResource.ts"
import type { CallToolResult } from "../../../payload/Results.ts"
import * as ClientRequestError from "../../../server/ClientRequestError.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import * as ToolHandler from "../feature/toolHandler.ts"

/** @internal */
export type Refusal = ToolHandler.Refusal | ResourceNotFound

/** The result that the refusal of a tool becomes; `undefined` where it stays one. @internal */
export const toolResultOf = ({ features }: RevisionCodec, refusal: Refusal): CallToolResult | undefined => {
  const isForModel = refusal instanceof ToolHandler.InvalidToolArguments
    ? features.invalidArguments === "toolError"
    : ClientRequestError.isUnanswered(refusal) && features.clientRequests === "requests"
  return isForModel ? ToolHandler.failed(refusal.message) : undefined
}

/** An error as it leaves in a revision, which may forbid its code. @internal */
export const allowed = (codec: RevisionCodec, error: ErrorResponse.ErrorResponse): ErrorResponse.ErrorResponse => {
  const code = codec.errorCode(error.code)
  return code === error.code
    ? error
    : ErrorResponse.fromObject(ErrorObject.make(code, error.message, error.data), error.cause)
}

/** @internal */
export const responseOf = (codec: RevisionCodec, error: Refusal): ErrorResponse.ErrorResponse => {
  if (error instanceof ErrorResponse.ErrorResponse) return error
  if (error instanceof ResourceNotFound) return McpError.resourceNotFound(codec, error.uri)
  if (error instanceof ToolHandler.InvalidToolArguments) return McpError.invalidParams(error)
  return codec.features.clientRequests === "results"
    ? ClientRequestError.toErrorResponse(error)
    : ErrorResponse.make(ErrorCode.InternalError, error.message)
}
