/**
 * The kinds of features that a server behind this one has, and whether it still answers.
 */
import * as Effect from "effect/Effect"
import type { McpConnectError } from "../../client/McpClientError.ts"
import type { McpClient } from "../../McpClient.ts"
import type { ServerCapabilities } from "../../payload/Capabilities.ts"
import * as RevisionCodec from "../../wire/RevisionCodec.ts"
import * as failures from "./failures.ts"

/** An answer of any kind is a sign of life. @internal */
export const check = (client: McpClient): Effect.Effect<void, McpConnectError> => {
  const { features, serverServes } = RevisionCodec.of(client.revision)
  const asked = serverServes("ping") ? client.ping : features.metaEnvelope ? client.discover : Effect.void
  return Effect.catch(Effect.asVoid(asked), (error) => failures.isOfLine(error) ? Effect.fail(error) : Effect.void)
}

/** The capabilities that are ours, too. Lists change here at least when the server goes and comes back. @internal */
export const capabilities = ({ completions, prompts, resources, tools }: ServerCapabilities): ServerCapabilities => ({
  ...(tools !== undefined && { tools: { listChanged: true } }),
  ...(resources !== undefined && { resources: { listChanged: true, subscribe: resources.subscribe === true } }),
  ...(prompts !== undefined && { prompts: { listChanged: true } }),
  ...(completions !== undefined && { completions })
})
