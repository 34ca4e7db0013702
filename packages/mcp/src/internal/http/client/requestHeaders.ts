/**
 * The headers that repeat what stands in the params of a request, in the era that has them.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as HeaderValue from "../../../http/HeaderValue.ts"
import type { ToolInfo } from "../../../payload/Listing.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import { type Headers, none, versionHeader } from "./HttpLine.ts"

/** A request says itself which revision it is of; one that does not is of the legacy era, and has none of these. */
export const headersOf = (
  method: string,
  params: Schema.JsonObject | undefined,
  tool: ToolInfo | undefined
): Headers => {
  const version = Envelope.metaOf(params)?.[Envelope.protocolVersion]
  if (typeof version !== "string") return none
  const headers: Record<string, string> = { [versionHeader]: version, "mcp-method": method }
  const name = HeaderValue.nameOf(method, params)
  if (name !== undefined) headers["mcp-name"] = HeaderValue.encode(name)
  return tool === undefined ? headers : { ...headers, ...HeaderValue.valuesOf(markedOf(tool), params?.["arguments"]) }
}

/** What the schema of a tool asks for. A tool whose schema breaks the rules is not offered, and has none. */
const markedOf = (tool: ToolInfo): ReadonlyArray<HeaderValue.ParamHeader> => {
  const known = marked.get(tool)
  if (known !== undefined) return known
  const found = Result.getOrElse(HeaderValue.headersOf(tool.inputSchema), () => [])
    .map(({ header, path }) => ({ header: header.toLowerCase(), path }))
  marked.set(tool, found)
  return found
}

const marked = new WeakMap<ToolInfo, ReadonlyArray<HeaderValue.ParamHeader>>()
