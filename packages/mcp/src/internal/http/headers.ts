/**
 * The headers of HTTP that both sides of MCP know: those of sessions and revisions, and those that a tool asks for.
 */
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as HeaderValue from "../../http/HeaderValue.ts"
import type { ToolInfo } from "../../payload/Listing.ts"

/** The header with the id of a session. @internal */
export const sessionHeader = "mcp-session-id"

/** The header with the revision in use. @internal */
export const versionHeader = "mcp-protocol-version"

/**
 * The headers that the input schema of a tool asks for. A tool whose schema breaks the rules is not offered, and has
 * none. The schema is read once for each tool.
 *
 * @internal
 */
export const headersOf = memoize((tool: ToolInfo): ReadonlyArray<HeaderValue.ParamHeader> =>
  Result.getOrElse(HeaderValue.headersOf(tool.inputSchema), () => [])
)

/** What the headers that a tool asks for say else than its arguments. @internal */
export const mismatchOf = (
  tool: ToolInfo,
  args: Schema.Json | undefined,
  header: (name: string) => string | undefined
): string | undefined => {
  const headers = headersOf(tool)
  return headers.length === 0
    ? undefined
    : HeaderValue.mismatchOf(headers, args, (name) => header(name.toLowerCase()))
}
