/** Calls of tools: of those that say that they only read, or of all where writing is allowed. */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Finding, NotApplicable, Unverified } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import * as operations from "../../../protocol/mcp/operations.ts"
import type { Reply } from "../../../protocol/mcp/Wire.ts"
import * as Values from "../../../values/Values.ts"
import { typeOf } from "../../../values/write/value.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue, ToolCall } from "../Subject.ts"
import * as lists from "./lists.ts"
import { isRefusal } from "./tools.ts"

/** How many tools are called with arguments that do not fit. */
const most = 6

/** The tools that may be called, or why there are none. */
const callable = (dialogue: Dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "tools")
    const tools = yield* dialogue.callable
    return tools.length > 0 ? tools : yield* new NotApplicable({
      reason: "no tool says that it only reads (readOnlyHint), and calls of others are only made with --write"
    })
  })

/** The results of calls whose arguments fit, but questions to the client. */
const results = (dialogue: Dialogue) =>
  Effect.gen(function*() {
    yield* callable(dialogue)
    const calls = yield* dialogue.calls
    const found = calls.flatMap((call) => {
      const { outcome } = call.reply
      return outcome._tag === "Result" && JsonObject.member(outcome.result, "resultType") !== "input_required"
        ? [{ ...call, result: outcome.result }]
        : []
    })
    return found.length > 0 ? found : yield* new Unverified({ reason: "no call of a tool gave a result" })
  })

const shape = Rule.each({
  id: "mcp/tools/result",
  title: "The result of a call fits its shape",
  level: "must",
  section: Rule.section("2025-11-25", "server/tools#tool-result")
}, (dialogue) =>
  Effect.gen(function*() {
    const { decode, features } = dialogue.accord.codec
    return (yield* results(dialogue)).flatMap(({ reply: { exchange }, result, tool: { name } }) => {
      const decoded = decode.callToolResult(result)
      const structured = JsonObject.member(result, "structuredContent")
      const fault = Result.isFailure(decoded)
        ? decoded.failure.message
        : features.structuredContent === "object" && structured !== undefined && !JsonObject.isObject(structured)
        ? "structuredContent that is no object"
        : lists.encodedIn(result).filter(([, text]) => !lists.isBase64(text)).map(([path]) =>
          `${path}, which is no Base64`
        )[0]
      return fault === undefined ? [] : [Rule.finding(`a result of ${name} that fits its shape`, fault, exchange)]
    })
  }))

const output = Rule.each({
  id: "mcp/tools/output",
  title: "The structured content of a result fits the outputSchema of its tool",
  level: "must",
  section: Rule.section("2025-11-25", "server/tools#output-schema")
}, (dialogue) =>
  Effect.gen(function*() {
    const tools = yield* callable(dialogue)
    if (
      dialogue.accord.codec.features.structuredContent === "none" || tools.every(({ output }) => output === undefined)
    ) {
      return yield* new NotApplicable({ reason: "no tool that may be called has an outputSchema" })
    }
    const made = (yield* results(dialogue)).filter(({ result, tool }) =>
      tool.output !== undefined && JsonObject.member(result, "isError") !== true
    )
    if (made.length === 0) return yield* new Unverified({ reason: "no tool with an outputSchema has accepted a call" })
    return made.flatMap((call) => unfit(call, call.result))
  }))

const unfit = (
  { reply: { exchange }, tool: { name, output } }: ToolCall,
  result: Schema.Json
): ReadonlyArray<Finding> => {
  const expected = `structuredContent that fits the outputSchema of ${name}`
  const structured = JsonObject.member(result, "structuredContent")
  if (structured === undefined) return [Rule.finding(expected, "a result without structuredContent", exchange)]
  const issue = SchemaCheck.make(output ?? true)(structured)
  return issue === undefined || issue.isUndecided === true
    ? []
    : [Rule.finding(expected, `at ${JSON.stringify(issue.path)}: ${issue.rule}`, exchange)]
}

const copied = Rule.each({
  id: "mcp/tools/structured-text",
  title: "Structured content comes as text, too",
  level: "should",
  section: Rule.section("2025-11-25", "server/tools#structured-content")
}, (dialogue) =>
  Effect.gen(function*() {
    const made = (yield* results(dialogue)).filter(({ result }) =>
      JsonObject.member(result, "structuredContent") !== undefined && JsonObject.member(result, "isError") !== true
    )
    if (made.length === 0) return yield* new NotApplicable({ reason: "no result has structuredContent" })
    return made.flatMap(({ reply: { exchange }, result, tool: { name } }) => {
      const content = JsonObject.member(result, "content")
      const structured = JsonObject.canonical(JsonObject.member(result, "structuredContent") ?? null)
      const isCopied = JsonObject.isArray(content) &&
        content.some((block) => isJson(JsonObject.member(block, "text"), structured))
      return isCopied ? [] : [Rule.finding(
        `the structured content of ${name} as the text of a block as well`,
        "no such text",
        exchange
      )]
    })
  }))

const isJson = (text: Schema.Json | undefined, canonical: string): boolean => {
  const json = typeof text === "string" ? Json.parse(text) : Option.none()
  return Option.isSome(json) && JsonObject.canonical(json.value) === canonical
}

/** Arguments of which a member is missing that is required, and arguments of which one has another type. */
const unfitting = ({ input }: operations.Tool) => {
  const misfits = Values.make(input, { mostEdges: most }).misfits.flatMap((misfit) =>
    JsonObject.isObject(misfit.value) ? [{ ...misfit, args: misfit.value }] : []
  )
  const missing = misfits.find(({ keyword }) => keyword === "required")
  const typed = misfits.find((misfit) => misfit.keyword === "type" && isFar(misfit))
  return [missing, typed].filter((misfit) => misfit !== undefined)
}

/** Texts, numbers and flags are not taken for each other: some servers convert them. */
const isFar = ({ fitting, pointer, value }: Values.Misfit): boolean => {
  const isWhole = (type: string) => type === "array" || type === "object"
  const here = Values.valueAt(value, pointer.split("/").slice(1))
  return here !== undefined && isWhole(fitting) !== isWhole(typeOf(here))
}

/** Calls with arguments that do not fit the schema of their tool. */
const misfits = Rule.once((dialogue) =>
  Effect.gen(function*() {
    const tools = yield* callable(dialogue)
    const wrong = tools.flatMap((tool) => unfitting(tool).map((one) => ({ ...one, tool }))).slice(0, most)
    if (wrong.length === 0) {
      return yield* new NotApplicable({ reason: "no tool that may be called refuses any arguments by its schema" })
    }
    const made: Array<{ readonly reply: Reply; readonly what: string }> = []
    for (const { args, keyword, pointer, tool } of wrong) {
      const reply = yield* operations.call(yield* dialogue.shared, tool, args)
      made.push({ reply, what: `a call of ${tool.name} that breaks ${keyword} at ${pointer || "its arguments"}` })
      // What has ended a server is not done to the next.
      if (reply.outcome._tag === "Ended" || reply.outcome._tag === "Silent") break
    }
    return made
  })
)

const validates = Rule.each(
  {
    id: "mcp/tools/arguments",
    title: "Arguments that do not fit the inputSchema are refused",
    level: "must",
    section: Rule.section("2025-11-25", "server/tools#security-considerations")
  },
  (dialogue) =>
    Effect.map(
      misfits(dialogue),
      (calls) =>
        calls.flatMap(({ reply, what }) => isRefusal(reply.outcome) ? [] : [Rule.breach(`a refusal of ${what}`, reply)])
    )
)

const form = Rule.each({
  id: "mcp/tools/arguments-error",
  title: "Arguments that do not fit are refused by a result with isError, which models read",
  level: "should",
  section: Rule.section("2025-11-25", "server/tools#error-handling")
}, (dialogue) =>
  Effect.gen(function*() {
    const { features, revision } = dialogue.accord.codec
    if (features.invalidArguments !== "toolError") {
      return yield* new NotApplicable({ reason: `${revision} leaves open how they are refused` })
    }
    return (yield* misfits(dialogue)).flatMap(({ reply, what }) =>
      reply.outcome._tag === "Error" ? [Rule.breach(`a result with isError for ${what}`, reply)] : []
    )
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [shape, output, copied, validates, form]
