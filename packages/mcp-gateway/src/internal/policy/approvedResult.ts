/**
 * Results of tools against the output schemas that were approved. One of which nobody knows whether it fits does not go on.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import { InvalidResult } from "@parley/mcp/client/McpClientError"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import * as McpError from "@parley/mcp/wire/McpError"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import { Excerpt, JsonObject } from "@parley/protocol/shared"
import { memoize } from "effect/Function"

const checkOf = memoize((schema: ToolInfo["outputSchema"] & {}) => SchemaCheck.make(schema))

/** Why a result does not go on; `undefined` where it does. @internal */
export const misfitOf = (
  server: string,
  name: string,
  schema: ToolInfo["outputSchema"] & {},
  result: unknown
): ErrorResponse | undefined => {
  if (!JsonObject.isObject(result)) return undefined
  const content = result["structuredContent"]
  // A failed call may have none.
  if (content === undefined && result["isError"] === true) return undefined
  const issue = content === undefined ? { path: [], rule: "it is missing" } : checkOf(schema)(content)
  return issue && McpError.upstreamFailed(
    server,
    `gave a result of the tool ${Excerpt.name(name)} that does not fit its approved output schema`,
    new InvalidResult({ method: "tools/call", path: ["structuredContent", ...issue.path], rule: issue.rule })
  )
}
