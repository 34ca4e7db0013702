import * as McpClientError from "@parley/mcp/client/McpClientError"
import * as ClientRequestError from "@parley/mcp/server/ClientRequestError"
import * as SealedState from "@parley/mcp/server/SealedState"
import type { Examples } from "../../../tools/errors/Example.ts"
import { UnsuitableForm } from "../src/internal/schema/form.ts"
import { InvalidToolArguments } from "../src/internal/server/definition/toolHandler.ts"
import { ResourceNotFound } from "../src/McpResource.ts"

export default {
  InputRefused: (foreign) =>
    new McpClientError.InputRefused({ method: "tools/call", asked: "elicitation/create", rule: foreign }),
  InvalidAnswer: (foreign) =>
    new ClientRequestError.InvalidAnswer({
      key: "confirm",
      method: "elicitation/create",
      issues: [{ path: ["content", "name"], message: foreign }]
    }),
  InvalidResult: (foreign) =>
    new McpClientError.InvalidResult({ method: "tools/call", path: ["content", 0, foreign], rule: foreign }),
  InvalidToolArguments: () =>
    new InvalidToolArguments({ tool: "add", issues: [{ path: ["a"], message: "Expected number" }] }),
  NoCommonRevision: (foreign) => new McpClientError.NoCommonRevision({ offered: [foreign], ours: ["2025-06-18"] }),
  ProtocolError: (foreign) =>
    new McpClientError.ProtocolError({ method: "tools/call", id: 2, code: -32602, text: foreign }),
  ResourceNotFound: (foreign) => new ResourceNotFound({ uri: foreign }),
  SessionExpired: () => new McpClientError.SessionExpired({ method: "tools/list" }),
  StateRefused: () => new SealedState.StateRefused({ reason: "Expired" }),
  TooLarge: () => new SealedState.TooLarge({ bytes: 70_000, maxBytes: 65_536 }),
  ToolError: (foreign) =>
    new McpClientError.ToolError({
      tool: "add",
      result: { content: [{ type: "text", text: foreign }], isError: true }
    }),
  ClientCapabilityMissing: (foreign) =>
    new ClientRequestError.ClientCapabilityMissing({
      method: "elicitation/create",
      requiredCapabilities: {},
      issue: foreign
    }),
  UnsuitableForm: () => new UnsuitableForm("colour"),
  UnsupportedCapability: () =>
    new McpClientError.UnsupportedCapability({ method: "prompts/list", capability: "prompts" })
} satisfies Examples
