/**
 * The Model Context Protocol: client and server, all revisions.
 *
 * These are the modules that programs begin with. The others are imported by their path, such as `@parley/mcp/wire/RevisionCodec`.
 *
 * @since 0.1.0
 */
export * as McpClientError from "./client/McpClientError.ts"
export * as McpClientTransport from "./client/McpClientTransport.ts"
export * as McpHandlers from "./client/McpHandlers.ts"
export * as McpExtension from "./extension/McpExtension.ts"
export * as HostConfig from "./host/HostConfig.ts"
export * as ModelTools from "./host/ModelTools.ts"
export * as SessionStore from "./http/SessionStore.ts"
export * as McpClient from "./McpClient.ts"
export * as McpClientToolkit from "./McpClientToolkit.ts"
export * as McpContext from "./McpContext.ts"
export * as McpHttp from "./McpHttp.ts"
export * as McpHttpClient from "./McpHttpClient.ts"
export * as McpMemoryClient from "./McpMemoryClient.ts"
export * as McpPrompt from "./McpPrompt.ts"
export * as McpResource from "./McpResource.ts"
export * as McpServer from "./McpServer.ts"
export * as McpStdioClient from "./McpStdioClient.ts"
export * as McpTool from "./McpTool.ts"
export * as McpToolkit from "./McpToolkit.ts"
export * as Content from "./payload/Content.ts"
export * as StandardSchema from "./schema/StandardSchema.ts"
export * as ClientRequestError from "./server/ClientRequestError.ts"
export * as PromiseHandler from "./server/PromiseHandler.ts"
