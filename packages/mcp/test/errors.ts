import * as McpClientError from "@parley/mcp/client/McpClientError"
import { HostConfigError } from "@parley/mcp/host/HostConfig"
import * as ClientRequestError from "@parley/mcp/server/ClientRequestError"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"
import { UnsuitableForm } from "../src/internal/schema/form.ts"
import { InvalidToolArguments, InvalidToolResult } from "../src/internal/server/feature/toolHandler.ts"
import { ResourceNotFound } from "../src/McpResource.ts"

export default {
  HostConfigError: {
    names: { path: `${foreign}.command: `, rule: "Expected string" },
    make: (foreign) => new HostConfigError({ issues: [{ path: [foreign, "command"], message: "Expected string" }] })
  },
  InputRefused: {
    names: { method: "tools/call", asked: "elicitation/create", rule: foreign },
    make: (foreign) =>
      new McpClientError.InputRefused({ method: "tools/call", asked: "elicitation/create", rule: foreign })
  },
  InvalidAnswer: {
    names: { key: `"confirm"`, method: "elicitation/create", path: "content.name", rule: foreign },
    make: (foreign) =>
      new ClientRequestError.InvalidAnswer({
        key: "confirm",
        method: "elicitation/create",
        issues: [{ path: ["content", "name"], message: foreign }]
      })
  },
  InvalidResult: {
    names: { method: "tools/call", path: `content.0.${foreign}: `, rule: `: ${foreign}` },
    make: (foreign) =>
      new McpClientError.InvalidResult({ method: "tools/call", path: ["content", 0, foreign], rule: foreign })
  },
  InvalidToolArguments: {
    names: { tool: "the tool add", path: " a: ", expected: "Expected number" },
    make: () => new InvalidToolArguments({ tool: "add", issues: [{ path: ["a"], message: "Expected number" }] })
  },
  InvalidToolResult: {
    names: { tool: "the tool add", path: `structuredContent.${foreign}: `, rule: foreign },
    make: (foreign) => new InvalidToolResult({ tool: "add", path: ["structuredContent", foreign], rule: foreign })
  },
  NoCommonRevision: {
    names: { theirs: foreign, ours: "2025-06-18" },
    make: (foreign) => new McpClientError.NoCommonRevision({ offered: [foreign], ours: ["2025-06-18"] })
  },
  ProtocolError: {
    names: { method: "tools/call", id: "(id 2)", code: "error -32602", text: foreign },
    make: (foreign) => new McpClientError.ProtocolError({ method: "tools/call", id: 2, code: -32602, text: foreign })
  },
  ResourceNotFound: {
    names: { uri: foreign },
    make: (foreign) => new ResourceNotFound({ uri: foreign })
  },
  SessionExpired: {
    names: { method: "tools/list" },
    make: () => new McpClientError.SessionExpired({ method: "tools/list" })
  },
  TaskError: {
    names: { task: "the task 786512e2", tool: "the tool research", code: "error -32603", text: foreign },
    make: (foreign) =>
      new McpClientError.TaskError({
        task: "786512e2",
        tool: "research",
        reason: { _tag: "Failed", error: { code: -32603, message: foreign } }
      })
  },
  ToolError: {
    names: { tool: "the tool add", text: foreign },
    make: (foreign) =>
      new McpClientError.ToolError({
        tool: "add",
        result: { content: [{ type: "text", text: foreign }], isError: true }
      })
  },
  ClientCapabilityMissing: {
    names: { method: "elicitation/create", issue: foreign },
    make: (foreign) =>
      new ClientRequestError.ClientCapabilityMissing({
        method: "elicitation/create",
        requiredCapabilities: {},
        issue: foreign
      })
  },
  UnsuitableForm: {
    names: { field: `"colour"` },
    make: () => new UnsuitableForm("colour")
  },
  UnsupportedCapability: {
    names: { method: "prompts/list", capability: "declare prompts" },
    make: () => new McpClientError.UnsupportedCapability({ method: "prompts/list", capability: "prompts" })
  }
} satisfies Examples
