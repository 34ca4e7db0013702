import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, type Schema } from "effect"
import * as Envelope from "../../src/wire/Envelope.ts"
import * as McpError from "../../src/wire/McpError.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"
import * as Published from "./support/published.ts"
import * as Values from "./support/values.ts"

/** A kind of message or result: where it comes from, what it becomes, and what others call that. */
interface Kind {
  readonly name: string
  readonly sdk: string | undefined
  /** The value that a revision sends; `undefined` where it cannot say it. */
  readonly sent: Arbitrary.Arbitrary<(codec: RevisionCodec.RevisionCodec) => unknown>
  readonly eras: ReadonlyArray<Revision.Era>
}

const both: ReadonlyArray<Revision.Era> = ["legacy", "modern"]

const kind = <A>(
  name: string,
  values: Arbitrary.Arbitrary<A>,
  encode: (codec: RevisionCodec.RevisionCodec, value: A) => unknown,
  options: { readonly eras?: ReadonlyArray<Revision.Era>; readonly sdk?: string | undefined } = {}
): Kind => ({
  name,
  sdk: Object.hasOwn(options, "sdk") ? options.sdk : name,
  sent: Arbitrary.map(values, (value) => (codec: RevisionCodec.RevisionCodec) => encode(codec, value)),
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
    (codec, list) => codec.seal(codec.encode.page("tools", list.map(codec.encode.tool), { nextCursor: "x" }), info)
  ),
  kind(
    "ListResourcesResult",
    some(Values.resource),
    (codec, list) =>
      codec.seal(
        codec.encode.page("resources", list.map(codec.encode.resource), { cache: { ttlMs: 1, cacheScope: "public" } }),
        info
      )
  ),
  kind(
    "ListResourceTemplatesResult",
    some(Values.resourceTemplate),
    (codec, list) => codec.seal(codec.encode.page("resourceTemplates", list.map(codec.encode.resourceTemplate)), info)
  ),
  kind(
    "ListPromptsResult",
    some(Values.prompt),
    (codec, list) => codec.seal(codec.encode.page("prompts", list.map(codec.encode.prompt)), info)
  ),
  kind(
    "CallToolResult",
    Values.callToolResult,
    (codec, result) => codec.seal(codec.encode.callToolResult(result), info)
  ),
  kind(
    "ReadResourceResult",
    Values.readResourceResult,
    (codec, result) => codec.seal(codec.encode.readResourceResult(result), info)
  ),
  kind(
    "GetPromptResult",
    Values.getPromptResult,
    (codec, result) => codec.seal(codec.encode.getPromptResult(result), info)
  ),
  kind(
    "CompleteResult",
    Values.completeResult,
    (codec, result) => codec.seal(codec.encode.completeResult(result), info)
  ),
  kind("InitializeResult", Values.initializeResult, (codec, result) => codec.encode.initializeResult(result), {
    eras: ["legacy"]
  }),
  kind(
    "DiscoverResult",
    Values.discoverResult,
    (codec, result) => codec.seal(codec.encode.discoverResult(result), info),
    {
      eras: ["modern"]
    }
  ),
  kind(
    "InputRequiredResult",
    Arbitrary.all([Values.elicitForm, Values.elicitUrl, Values.sampleRequest]),
    (codec, [form, url, sample]) => {
      const params = (encoded: Result.Result<Schema.JsonObject, unknown>) => Result.getOrThrow(encoded)
      return codec.seal(
        codec.encode.inputRequired({
          requestState: "s",
          inputRequests: {
            form: { method: "elicitation/create", params: params(codec.encode.elicitForm(form)) },
            url: { method: "elicitation/create", params: params(codec.encode.elicitUrl(url)) },
            sample: { method: "sampling/createMessage", params: params(codec.encode.sampleRequest(sample)) },
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
    (codec, value) => asked("sampling/createMessage", codec.encode.sampleRequest(value))
  ),
  kind(
    "ElicitRequest",
    Values.elicitForm,
    (codec, value) => asked("elicitation/create", codec.encode.elicitForm(value))
  ),
  kind(
    "ElicitRequest",
    Values.elicitUrl,
    (codec, value) => asked("elicitation/create", codec.encode.elicitUrl(value)),
    {
      eras: ["legacy"]
    }
  ),
  // The SDK wants the elicitationId of 2025-11-25 here; the specification dropped it.
  kind(
    "ElicitRequest",
    Values.elicitUrl,
    (codec, value) => asked("elicitation/create", codec.encode.elicitUrl(value)),
    {
      eras: ["modern"],
      sdk: undefined
    }
  ),
  kind("CreateMessageResult", Values.sampleResult, (codec, result) => codec.encode.sampleResult(result), {
    sdk: "CreateMessageResultWithTools"
  }),
  kind(
    "ElicitResult",
    Values.elicitResult,
    (codec, result) => codec.features.elicitation === "none" ? undefined : codec.encode.elicitResult(result)
  ),
  kind("ListRootsResult", Values.rootsResult, (codec, result) => codec.encode.rootsResult(result)),
  kind(
    "InitializeRequest",
    Arbitrary.all([Values.clientCapabilities, Values.implementation]),
    (codec, [capabilities, client]) =>
      request("initialize", {
        protocolVersion: codec.revision,
        capabilities: codec.encode.clientCapabilities(capabilities),
        clientInfo: codec.encode.implementation(client)
      }),
    { eras: ["legacy"] }
  ),
  kind(
    "CallToolRequest",
    Arbitrary.all([Values.clientCapabilities, Values.implementation]),
    (codec, [capabilities, client]) =>
      request(
        "tools/call",
        Envelope.writeEnvelope(
          { name: "echo", arguments: {}, _meta: { progressToken: 1 } },
          Envelope.make({
            protocolVersion: codec.revision,
            clientCapabilities: codec.encode.clientCapabilities(capabilities),
            clientInfo: codec.encode.implementation(client),
            logLevel: "info"
          })
        )
      ),
    { eras: ["modern"] }
  ),
  kind("CompleteRequest", Values.completeParams, (codec, params) => {
    const encoded = codec.encode.completeParams(params)
    const envelope = Envelope.make({ protocolVersion: codec.revision, clientCapabilities: {} })
    return request("completion/complete", codec.era === "modern" ? Envelope.writeEnvelope(encoded, envelope) : encoded)
  }),
  kind("ProgressNotification", Values.progress, (codec, params) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: codec.encode.progress(params)
  })),
  kind("ServerCapabilities", Values.serverCapabilities, (codec, value) => codec.encode.serverCapabilities(value)),
  kind("ClientCapabilities", Values.clientCapabilities, (codec, value) => codec.encode.clientCapabilities(value)),
  kind("Implementation", Values.implementation, (codec, value) => codec.encode.implementation(value))
]

describe.each(Revision.all)("revision %s", (revision) => {
  const codec = RevisionCodec.of(revision)
  for (const [index, { eras, name, sdk, sent }] of kinds.entries()) {
    if (!eras.includes(codec.era)) continue
    it.effect.prop(
      `every message we send fits what is published, as ${index} ${name}: ${Published.source}`,
      { sent },
      ({ sent }) =>
        Effect.sync(() => {
          const json = sent(codec)
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
