/** Tools that answer with each kind of content, and with errors, progress and logs. */
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { pixel, silence } from "./samples.ts"

const simpleText = McpTool.make(
  "test_simple_text",
  { description: "Answers with a line of text." },
  () => Effect.succeed("This is a simple text response for testing.")
)

const image = McpTool.make(
  "test_image_content",
  { description: "Answers with a picture." },
  () => Effect.succeed(Content.image(pixel, "image/png"))
)

const audio = McpTool.make(
  "test_audio_content",
  { description: "Answers with sound." },
  () => Effect.succeed(Content.audio(silence, "audio/wav"))
)

const embedded = McpTool.make(
  "test_embedded_resource",
  { description: "Answers with a resource and its content." },
  () =>
    Effect.succeed(Content.resource(
      Content.textContents("test://embedded-resource", "This is an embedded resource content.", "text/plain")
    ))
)

const several = McpTool.make(
  "test_multiple_content_types",
  { description: "Answers with text, a picture and a resource." },
  () =>
    Effect.succeed([
      Content.text("Multiple content types test:"),
      Content.image(pixel, "image/png"),
      Content.resource(
        Content.textContents(
          "test://mixed-content-resource",
          JSON.stringify({ test: "data", value: 123 }),
          "application/json"
        )
      )
    ])
)

const failing = McpTool.make(
  "test_error_handling",
  { description: "Fails, so that its answer is an error." },
  () => Effect.succeed(McpTool.failure("This tool intentionally returns an error for testing"))
)

const pause = Effect.sleep("50 millis")

const logging = McpTool.make(
  "test_tool_with_logging",
  { description: "Logs three lines to the client while it runs." },
  (_, call) =>
    Effect.gen(function*() {
      yield* call.log("info", "Tool execution started")
      yield* pause
      yield* call.log("info", "Tool processing data")
      yield* pause
      yield* call.log("info", "Tool execution completed")
      return "Tool with logging executed successfully"
    })
)

const quietly = McpTool.make(
  "test_logging_tool",
  { description: "Logs a line, which only those see who asked for logs." },
  (_, call) => Effect.as(call.log("info", "Diagnostic trace logging activated"), "Logging evaluated")
)

const progress = McpTool.make(
  "test_tool_with_progress",
  { description: "Tells three times how far it is." },
  (_, call) =>
    Effect.gen(function*() {
      yield* call.progress({ progress: 0, total: 100, message: "Completed step 0 of 100" })
      yield* pause
      yield* call.progress({ progress: 50, total: 100, message: "Completed step 50 of 100" })
      yield* pause
      yield* call.progress({ progress: 100, total: 100, message: "Completed step 100 of 100" })
      const token = call.meta["progressToken"]
      return typeof token === "string" || typeof token === "number" ? String(token) : "Nobody asked for progress"
    })
)

const streaming = McpTool.make(
  "test_streaming_elicitation",
  { description: "Tells how far it is, so that its answer is a stream." },
  (_, call) => Effect.as(call.progress({ progress: 50, total: 100 }), "Streaming complete")
)

const reconnection = McpTool.make(
  "test_reconnection",
  { description: "Closes the stream of its answer, so that the client has to come back for it." },
  (_, call) =>
    Effect.as(
      Effect.andThen(call.closeStream, Effect.sleep("100 millis")),
      "Reconnection test completed: the answer came by another stream than the one that was closed."
    )
)

const schema2020 = McpTool.raw(
  "json_schema_2020_12_tool",
  {
    description: "Takes arguments that are described by what JSON Schema 2020-12 has and older versions have not.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } }
        }
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" }
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false
    }
  },
  (args) => Effect.succeed(`JSON Schema 2020-12 tool called with: ${JSON.stringify(args)}`)
)

const header = McpTool.make(
  "test_x_mcp_header",
  {
    description: "Takes an argument that HTTP requests repeat in a header.",
    params: { region: Schema.optionalKey(Schema.String) },
    headers: { region: "Region" }
  },
  ({ region }) => Effect.succeed(`region=${region ?? "none"}`)
)

export const tools = [
  simpleText,
  image,
  audio,
  embedded,
  several,
  failing,
  logging,
  quietly,
  progress,
  streaming,
  reconnection,
  schema2020,
  header
]
