/** Tools and a prompt that ask their client, in every way there is. */
import type { Elicited, McpContext } from "@parley/mcp/McpContext"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpTool from "@parley/mcp/McpTool"
import type { ClientCapabilities } from "@parley/mcp/payload/Capabilities"
import * as Content from "@parley/mcp/payload/Content"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const question = (text: string, maxTokens: number) => ({
  messages: [{ role: "user" as const, content: Content.text(text) }],
  maxTokens
})

/** The text of a model's message, if it has one. */
const said = ({ content }: { readonly content: unknown }): string => {
  const block: unknown = Array.isArray(content) ? content[0] : content
  return typeof block === "object" && block !== null && "text" in block ? String(block.text) : "no text"
}

/** The action of a person, and the values that they filled in. */
const told = (elicited: Elicited<unknown>): string => {
  switch (elicited._tag) {
    case "Accepted":
      return `action=accept, content=${JSON.stringify(elicited.content)}`
    case "Declined":
      return "action=decline, content={}"
    case "Cancelled":
      return "action=cancel, content={}"
  }
}

/** The value that a person filled in, or a default. */
const filledIn = <A, B>(elicited: Elicited<A>, otherwise: B): A | B =>
  elicited._tag === "Accepted" ? elicited.content : otherwise

const sampling = McpTool.make(
  "test_sampling",
  {
    description: "Asks the client's model.",
    params: { prompt: Schema.String.annotate({ description: "What the model is asked" }) }
  },
  ({ prompt }, call) =>
    Effect.map(call.sample("prompt", question(prompt, 100)), (result) => `LLM response: ${said(result)}`)
)

const elicitation = McpTool.make(
  "test_elicitation",
  {
    description: "Asks the client's person.",
    params: { message: Schema.String.annotate({ description: "What the person is asked" }) }
  },
  ({ message }, call) =>
    Effect.map(
      call.elicit("response", {
        message,
        fields: { response: Schema.String.annotate({ description: "User's response" }) }
      }),
      (elicited) => `User response: ${told(elicited)}`
    )
)

const defaults = McpTool.make(
  "test_elicitation_sep1034_defaults",
  { description: "Asks with a form whose fields are filled in already." },
  (_, call) =>
    Effect.map(
      call.elicit("form", {
        message: "Please review and update the form fields with defaults",
        fields: {
          name: Schema.optionalKey(Schema.String.annotate({ description: "User name", default: "John Doe" })),
          age: Schema.optionalKey(Schema.Int.annotate({ description: "User age", default: 30 })),
          score: Schema.optionalKey(Schema.Finite.annotate({ description: "User score", default: 95.5 })),
          status: Schema.optionalKey(
            Schema.Literals(["active", "inactive", "pending"])
              .annotate({ description: "User status", default: "active" })
          ),
          verified: Schema.optionalKey(
            Schema.Boolean.annotate({ description: "Verification status", default: true })
          )
        }
      }),
      (elicited) => `Elicitation completed: ${told(elicited)}`
    )
)

const titled = (titles: { readonly [value: string]: string }) =>
  Object.entries(titles).map(([value, title]) => ({ const: value, title }))

const enums = McpTool.make(
  "test_elicitation_sep1330_enums",
  { description: "Asks with a form that has every way to choose." },
  (_, call) =>
    Effect.map(
      call.elicit("choices", {
        message: "Please select options from the enum fields",
        fields: {
          untitledSingle: Schema.optionalKey(Schema.String),
          titledSingle: Schema.optionalKey(Schema.String),
          legacyEnum: Schema.optionalKey(Schema.String),
          untitledMulti: Schema.optionalKey(Schema.Array(Schema.String)),
          titledMulti: Schema.optionalKey(Schema.Array(Schema.String))
        },
        // Titles beside an `enum` are words of an older revision, which no Schema makes.
        requestedSchema: {
          type: "object",
          properties: {
            untitledSingle: {
              type: "string",
              description: "Select one option",
              enum: ["option1", "option2", "option3"]
            },
            titledSingle: {
              type: "string",
              description: "Select one option with titles",
              oneOf: titled({ value1: "First Option", value2: "Second Option", value3: "Third Option" })
            },
            legacyEnum: {
              type: "string",
              description: "Select one option (legacy)",
              enum: ["opt1", "opt2", "opt3"],
              enumNames: ["Option One", "Option Two", "Option Three"]
            },
            untitledMulti: {
              type: "array",
              description: "Select multiple options",
              minItems: 1,
              maxItems: 3,
              items: { type: "string", enum: ["option1", "option2", "option3"] }
            },
            titledMulti: {
              type: "array",
              description: "Select multiple options with titles",
              minItems: 1,
              maxItems: 3,
              items: { anyOf: titled({ value1: "First Choice", value2: "Second Choice", value3: "Third Choice" }) }
            }
          },
          required: []
        }
      }),
      (elicited) => `Elicitation completed: ${told(elicited)}`
    )
)

const askName = (call: McpContext, key: string) =>
  Effect.map(
    call.elicit(key, { message: "What is your name?", fields: { name: Schema.String } }),
    (elicited) => filledIn(elicited, { name: "stranger" }).name
  )

const confirmed = (call: McpContext) =>
  Effect.map(
    call.elicit("confirm", { message: "Please confirm", fields: { ok: Schema.Boolean } }),
    (elicited) => filledIn(elicited, { ok: false }).ok
  )

const oneQuestion = McpTool.make(
  "test_input_required_result_elicitation",
  { description: "Asks the client's person for their name." },
  (_, call) => Effect.map(askName(call, "user_name"), (name) => `Hello, ${name}!`)
)

const oneSample = McpTool.make(
  "test_input_required_result_sampling",
  { description: "Asks the client's model for a capital." },
  (_, call) =>
    Effect.map(
      call.sample("capital_question", question("What is the capital of France?", 100)),
      (result) => `Sampling result: ${said(result)}`
    )
)

const roots = McpTool.make(
  "test_input_required_result_list_roots",
  { description: "Asks the client where it works." },
  (_, call) => Effect.map(call.listRoots("client_roots"), (roots) => `Found ${roots.length} root(s)`)
)

const remembered = McpTool.make(
  "test_input_required_result_request_state",
  { description: "Remembers something while the client is asked." },
  (_, call) =>
    Effect.map(
      Effect.andThen(call.memo("kind", Schema.String, Effect.succeed("request-state")), confirmed(call)),
      (ok) => ok ? "state-ok: requestState validated" : "state-ok, but not confirmed"
    )
)

const atOnce = McpTool.make(
  "test_input_required_result_multiple_inputs",
  { description: "Asks three questions at once." },
  (_, call) =>
    Effect.map(
      Effect.all([
        askName(call, "user_name"),
        call.sample("greeting", question("Generate a greeting", 50)),
        call.listRoots("client_roots")
      ], { concurrency: "unbounded" }),
      ([name, greeting, roots]) => `Name: ${name}; Greeting: ${said(greeting)}; Roots: ${roots.length}`
    )
)

const rounds = McpTool.make(
  "test_input_required_result_multi_round",
  { description: "Asks two questions, one after the other." },
  (_, call) =>
    Effect.gen(function*() {
      const first = yield* call.elicit("step1", {
        message: "Step 1: What is your name?",
        fields: { name: Schema.String }
      })
      const second = yield* call.elicit("step2", {
        message: "Step 2: What is your favorite color?",
        fields: { color: Schema.String }
      })
      const { name } = filledIn(first, { name: "friend" })
      return `Multi-round complete for ${name} who likes ${filledIn(second, { color: "no color" }).color}`
    })
)

const tampered = McpTool.make(
  "test_input_required_result_tampered_state",
  { description: "Refuses what it remembers where that was changed on its way." },
  (_, call) => Effect.as(confirmed(call), "integrity-ok: state verified")
)

const canElicit = ({ elicitation }: ClientCapabilities) => elicitation !== undefined

const ofCapabilities = McpTool.make(
  "test_input_required_result_capabilities",
  { description: "Asks only what the client can answer." },
  (_, call) =>
    Effect.map(
      Effect.all([
        canElicit(call.client.capabilities)
          ? Effect.as(
            call.elicit("elicit_input", { message: "Elicitation input", fields: { value: Schema.String } }),
            ["elicit_input"]
          )
          : Effect.succeed([]),
        call.client.capabilities.sampling === undefined
          ? Effect.succeed([])
          : Effect.as(call.sample("sample_input", question("Sample request", 50)), ["sample_input"])
      ], { concurrency: "unbounded" }),
      (answered) => `capabilities-ok: received ${answered.flat().join(",") || "nothing"}`
    )
)

const missing = McpTool.make(
  "test_missing_capability",
  { description: "Needs a client that has a model." },
  (_, call) => Effect.as(call.sample("needed", question("Anything", 10)), "Success")
)

const prompt = McpPrompt.make(
  "test_input_required_result_prompt",
  { description: "A prompt that asks before it is written." },
  (_, call) =>
    Effect.map(
      call.elicit("user_context", {
        message: "What context should the prompt use?",
        fields: { context: Schema.String }
      }),
      (elicited) => `Prompt with context: ${filledIn(elicited, { context: "none" }).context}`
    )
)

export const tools = [
  sampling,
  elicitation,
  defaults,
  enums,
  oneQuestion,
  oneSample,
  roots,
  remembered,
  atOnce,
  rounds,
  tampered,
  ofCapabilities,
  missing
]

export const prompts = [prompt]
