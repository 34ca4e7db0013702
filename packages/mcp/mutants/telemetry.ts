import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/telemetry/spans.test.ts",
  mutants: [
    {
      name: "made-up-tool-names-a-span",
      promise: 14,
      find: `hasTarget = subject !== undefined && subject.attribute !== "mcp.resource.uri" && isOffered(subject)`,
      replace: `hasTarget = subject !== undefined && subject.attribute !== "mcp.resource.uri"`,
      title: "that the server does not have names no span"
    },
    {
      name: "failed-tool-looks-healthy",
      promise: 15,
      find: `return Of.isToolError(method, exit.value) ? toolFailed : undefined`,
      replace: `return undefined`,
      title: "of "
    },
    {
      name: "span-of-the-post-is-the-parent",
      promise: 11,
      find: `const named = kind === "server" ? Tracing.readContext(McpDialect.traceContext, params) : undefined`,
      replace: `const named = undefined as Tracer.AnySpan | undefined`,
      title: "is linked, where another span is open"
    },
    {
      name: "clients-handler-is-below-the-connecting-span",
      promise: 11,
      find: `const context = withoutCall(made)`,
      replace: `const context = made`,
      title: "inside a result is answered below the caller's span"
    },
    {
      name: "servers-question-stands-outside-the-trace",
      promise: 11,
      find: `caller: Operation.caller(this.exchange, this.call.peer)`,
      replace: `caller: this.call.peer`,
      title: "is in the trace of the call, as a request of the server"
    }
  ]
} satisfies Mutants
