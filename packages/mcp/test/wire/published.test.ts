import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, type Schema } from "effect"
import * as Envelope from "../../src/wire/Envelope.ts"
import * as McpError from "../../src/wire/McpError.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as Wire from "../../src/wire/RevisionCodec.ts"
import * as Published from "./support/published.ts"
import * as Values from "./support/values.ts"

/** A kind of message or result: where it comes from, what it becomes, and what others call that. */
interface Kind {
  readonly name: string
  readonly sdk: string | undefined
  /** The value that a revision sends; `undefined` where it cannot say it. */
  readonly sent: Arbitrary.Arbitrary<(wire: Wire.Wire) => unknown>
  readonly eras: ReadonlyArray<Revision.Era>
}

const both: ReadonlyArray<Revision.Era> = ["legacy", "modern"]

const kind = <A>(
  name: string,
  values: Arbitrary.Arbitrary<A>,
  encode: (wire: Wire.Wire, value: A) => unknown,
  options: { readonly eras?: ReadonlyArray<Revision.Era>; readonly sdk?: string | undefined } = {}
): Kind => ({
  name,
  sdk: Object.hasOwn(options, "sdk") ? options.sdk : name,
  sent: Arbitrary.map(values, (value) => (wire: Wire.Wire) => encode(wire, value)),
  eras: options.eras ?? both
})

const info: Schema.JsonObject = { name: "a server", version: "1" }

const request = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params })

const asked = (method: string, params: Result.Result<Schema.JsonObject, unknown>): unknown =>
  Result.isSuccess(params) ? request(method, params.success) : undefined

const some = <A>(values: Arbitrary.Arbitrary<A>) => Arbitrary.array(values, { maxLength: 3 })

const kinds: ReadonlyArray<Kind> = [
  kind(
    "ListToolsResult",
    some(Values.tool),
    (wire, list) => wire.seal(wire.encode.page("tools", list.map(wire.encode.tool), { nextCursor: "x" }), info)
  ),
  kind(
    "ListResourcesResult",
    some(Values.resource),
    (wire, list) =>
      wire.seal(
        wire.encode.page("resources", list.map(wire.encode.resource), { cache: { ttlMs: 1, cacheScope: "public" } }),
        info
      )
  ),
  kind(
    "ListResourceTemplatesResult",
    some(Values.resourceTemplate),
    (wire, list) => wire.seal(wire.encode.page("resourceTemplates", list.map(wire.encode.resourceTemplate)), info)
  ),
  kind(
    "ListPromptsResult",
    some(Values.prompt),
    (wire, list) => wire.seal(wire.encode.page("prompts", list.map(wire.encode.prompt)), info)
  ),
  kind("CallToolResult", Values.callToolResult, (wire, result) => wire.seal(wire.encode.callToolResult(result), info)),
  kind(
    "ReadResourceResult",
    Values.readResourceResult,
    (wire, result) => wire.seal(wire.encode.readResourceResult(result), info)
  ),
  kind(
    "GetPromptResult",
    Values.getPromptResult,
    (wire, result) => wire.seal(wire.encode.getPromptResult(result), info)
  ),
  kind("CompleteResult", Values.completeResult, (wire, result) => wire.seal(wire.encode.completeResult(result), info)),
  kind("InitializeResult", Values.initializeResult, (wire, result) => wire.encode.initializeResult(result), {
    eras: ["legacy"]
  }),
  kind("DiscoverResult", Values.discoverResult, (wire, result) => wire.seal(wire.encode.discoverResult(result), info), {
    eras: ["modern"]
  }),
  kind(
    "InputRequiredResult",
    Arbitrary.all([Values.elicitForm, Values.elicitUrl, Values.sampleRequest]),
    (wire, [form, url, sample]) => {
      const params = (encoded: Result.Result<Schema.JsonObject, unknown>) => Result.getOrThrow(encoded)
      return wire.seal(
        wire.encode.inputRequired({
          requestState: "s",
          inputRequests: {
            form: { method: "elicitation/create", params: params(wire.encode.elicitForm(form)) },
            url: { method: "elicitation/create", params: params(wire.encode.elicitUrl(url)) },
            sample: { method: "sampling/createMessage", params: params(wire.encode.sampleRequest(sample)) },
            roots: { method: "roots/list" }
          }
        }),
        info
      )
    },
    { eras: ["modern"], sdk: undefined }
  ),
  kind(
    "CreateMessageRequest",
    Values.sampleRequest,
    (wire, value) => asked("sampling/createMessage", wire.encode.sampleRequest(value))
  ),
  kind("ElicitRequest", Values.elicitForm, (wire, value) => asked("elicitation/create", wire.encode.elicitForm(value))),
  kind("ElicitRequest", Values.elicitUrl, (wire, value) => asked("elicitation/create", wire.encode.elicitUrl(value)), {
    eras: ["legacy"]
  }),
  // The SDK wants the elicitationId of 2025-11-25 here; the specification dropped it.
  kind("ElicitRequest", Values.elicitUrl, (wire, value) => asked("elicitation/create", wire.encode.elicitUrl(value)), {
    eras: ["modern"],
    sdk: undefined
  }),
  kind("CreateMessageResult", Values.sampleResult, (wire, result) => wire.encode.sampleResult(result), {
    sdk: "CreateMessageResultWithTools"
  }),
  kind(
    "ElicitResult",
    Values.elicitResult,
    (wire, result) => wire.traits.elicitation === "none" ? undefined : wire.encode.elicitResult(result)
  ),
  kind("ListRootsResult", Values.rootsResult, (wire, result) => wire.encode.rootsResult(result)),
  kind(
    "InitializeRequest",
    Arbitrary.all([Values.clientCapabilities, Values.implementation]),
    (wire, [capabilities, client]) =>
      request("initialize", {
        protocolVersion: wire.revision,
        capabilities: wire.encode.clientCapabilities(capabilities),
        clientInfo: wire.encode.implementation(client)
      }),
    { eras: ["legacy"] }
  ),
  kind(
    "CallToolRequest",
    Arbitrary.all([Values.clientCapabilities, Values.implementation]),
    (wire, [capabilities, client]) =>
      request(
        "tools/call",
        Envelope.writeEnvelope(
          { name: "echo", arguments: {}, _meta: { progressToken: 1 } },
          Envelope.make({
            revision: wire.revision,
            clientCapabilities: wire.encode.clientCapabilities(capabilities),
            clientInfo: wire.encode.implementation(client),
            logLevel: "info"
          })
        )
      ),
    { eras: ["modern"] }
  ),
  kind("CompleteRequest", Values.completeParams, (wire, params) => {
    const encoded = wire.encode.completeParams(params)
    const envelope = Envelope.make({ revision: wire.revision, clientCapabilities: {} })
    return request("completion/complete", wire.era === "modern" ? Envelope.writeEnvelope(encoded, envelope) : encoded)
  }),
  kind("ProgressNotification", Values.progress, (wire, params) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: wire.encode.progress(params)
  })),
  kind("ServerCapabilities", Values.serverCapabilities, (wire, value) => wire.encode.serverCapabilities(value)),
  kind("ClientCapabilities", Values.clientCapabilities, (wire, value) => wire.encode.clientCapabilities(value)),
  kind("Implementation", Values.implementation, (wire, value) => wire.encode.implementation(value))
]

describe.each(Revision.all)("revision %s", (revision) => {
  const wire = Wire.of(revision)
  for (const [index, { eras, name, sdk, sent }] of kinds.entries()) {
    if (!eras.includes(wire.era)) continue
    it.effect.prop(
      `every message we send fits what is published, as ${index} ${name}: ${Published.source}`,
      { sent },
      ({ sent }) =>
        Effect.sync(() => {
          const json = sent(wire)
          const fault = json === undefined ? undefined : Published.fault(revision, { published: name, sdk }, json)
          assert.isUndefined(fault, JSON.stringify(json))
        }),
      // The slow tests try four times as many.
      { arbitrary: { runs: process.env["SLOW"] === "1" ? 40 : 10 } }
    )
  }
})

/** An error object as it travels. */
const onWire = ({ code, data, message }: { code: number; message: string; data?: Schema.Json }) => ({
  code,
  message,
  data
})

describe("errors", () => {
  const ask = { message: "m", url: "https://example.test/", elicitationId: "e" }
  it.each<[Revision.Revision, string, object]>([
    [
      "2026-07-28",
      "UnsupportedProtocolVersionError",
      onWire(McpError.unsupportedRevision("2030-01-01", Revision.ofEra("modern")))
    ],
    [
      "2026-07-28",
      "MissingRequiredClientCapabilityError",
      onWire(McpError.missingClientCapability({ sampling: { tools: {} } }))
    ],
    ["2026-07-28", "HeaderMismatchError", onWire(McpError.headerMismatch("h"))],
    ["2025-11-25", "URLElicitationRequiredError", onWire(McpError.urlElicitationRequired([ask]))]
  ])(`every error we send fits what is published: %s %s: ${Published.source}`, (revision, published, error) => {
    const value = { jsonrpc: "2.0", id: 1, error }
    assert.isUndefined(Published.fault(revision, { published, sdk: "JSONRPCErrorResponse" }, value))
  })
})
