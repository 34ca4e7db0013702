/**
 * The offer of a server: its four lists, each only if the server has it.
 */
import type { McpCallError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "@parley/mcp/payload/Listing"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"

export interface Offer {
  readonly tools?: ReadonlyArray<ToolInfo>
  readonly resources?: ReadonlyArray<ResourceInfo>
  readonly resourceTemplates?: ReadonlyArray<ResourceTemplateInfo>
  readonly prompts?: ReadonlyArray<PromptInfo>
}

/** Asks for the tools, if there are such. */
export const tools = (client: McpClient): Effect.Effect<ReadonlyArray<ToolInfo> | undefined, McpCallError> =>
  ifThere(client.listTools())

/** Requests every list that the server has. */
export const all = (client: McpClient): Effect.Effect<Offer, McpCallError> =>
  Effect.map(
    Effect.all([
      tools(client),
      ifThere(client.listResources()),
      ifThere(client.listResourceTemplates()),
      ifThere(client.listPrompts())
    ], { concurrency: "unbounded" }),
    ([tools, resources, resourceTemplates, prompts]) => ({
      ...tools !== undefined && { tools },
      ...resources !== undefined && { resources },
      ...resourceTemplates !== undefined && { resourceTemplates },
      ...prompts !== undefined && { prompts }
    })
  )

/** A server that does not have a list says so beforehand, or when it is asked. */
const ifThere = <A>(list: Effect.Effect<A, McpCallError>): Effect.Effect<A | undefined, McpCallError> =>
  Effect.catch(list, (error) =>
    error._tag === "UnsupportedCapability"
      || (error._tag === "ProtocolError" && error.code === ErrorCode.MethodNotFound)
      ? Effect.undefined
      : Effect.fail(error))
