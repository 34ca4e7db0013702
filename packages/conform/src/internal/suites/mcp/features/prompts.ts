/** Prompts, and the completion of their arguments. */
import { maxCompletions } from "@parley/mcp/payload/Results"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { NotApplicable, Unverified } from "../../../../Suite.ts"
import * as List from "../../../protocol/mcp/List.ts"
import * as Rule from "../Rule.ts"
import { type Dialogue, requiredOf } from "../Subject.ts"
import * as lists from "./lists.ts"

const shape = lists.shape({
  id: "mcp/prompts/list",
  title: "prompts/list gives prompts, each with a name",
  level: "must",
  section: Rule.section("2025-11-25", "server/prompts#listing-prompts")
}, List.prompts)

const refusals: ReadonlySet<number | undefined> = new Set([ErrorCode.InvalidParams, ErrorCode.MethodNotFound])

const got = Rule.each({
  id: "mcp/prompts/get",
  title: "A prompt that is listed can be got, and its messages fit their shape",
  level: "must",
  section: Rule.section("2025-11-25", "server/prompts#getting-a-prompt")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.some(yield* lists.entriesOf(dialogue, List.prompts), "prompts")
    const gets = yield* dialogue.gets
    const found = gets.flatMap(({ entry, reply }) => {
      const { exchange, outcome } = reply
      if (outcome._tag === "Error") {
        // A prompt with arguments may refuse the texts that a probe makes up.
        const isPlain = requiredOf(entry).length === 0 && refusals.has(outcome.code)
        return isPlain ? [Rule.breach(`the messages of ${JSON.stringify(entry["name"])}, which is listed`, reply)] : []
      }
      if (outcome._tag !== "Result" || JsonObject.member(outcome.result, "resultType") === "input_required") return []
      const decoded = dialogue.accord.codec.decode.getPromptResult(outcome.result)
      const fault = Result.isFailure(decoded)
        ? decoded.failure.message
        : lists.encodedIn(outcome.result).filter(([, text]) => !lists.isBase64(text))
          .map(([path]) => `${path}, which is no Base64`)[0]
      return fault === undefined
        ? []
        : [Rule.finding(`messages of ${JSON.stringify(entry["name"])} that fit their shape`, fault, exchange)]
    })
    if (found.length > 0 || gets.some(({ reply }) => reply.outcome._tag === "Result")) return found
    return yield* new Unverified({ reason: "no prompt could be got" })
  }))

/** A prompt that no server has. */
const nobody = "parley_conform_unknown_prompt"

const getUnknown = Rule.once((dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "prompts")
    return yield* (yield* dialogue.shared).request("prompts/get", { name: nobody })
  })
)

const refusesUnknown = Rule.each({
  id: "mcp/prompts/unknown-refused",
  title: "A prompt that does not exist is refused",
  level: "must",
  section: Rule.section("2025-11-25", "server/prompts#security")
}, (dialogue) =>
  Effect.map(
    getUnknown(dialogue),
    (reply) => reply.outcome._tag === "Error" ? [] : [Rule.breach("an error of JSON-RPC", reply)]
  ))

const codeOfUnknown = Rule.each(
  {
    id: "mcp/prompts/unknown-code",
    title: "A prompt that does not exist is refused with -32602",
    level: "should",
    section: Rule.section("2025-11-25", "server/prompts#error-handling")
  },
  (dialogue) =>
    Effect.map(
      getUnknown(dialogue),
      (reply) =>
        reply.outcome._tag !== "Error" || reply.outcome.code === ErrorCode.InvalidParams
          ? []
          : [Rule.breach("the error -32602", reply)]
    )
)

const missing = Rule.each({
  id: "mcp/prompts/missing-argument",
  title: "A prompt without an argument that it requires is refused with -32602",
  level: "should",
  section: Rule.section("2025-11-25", "server/prompts#error-handling")
}, (dialogue) =>
  Effect.gen(function*() {
    const entries = yield* lists.entriesOf(dialogue, List.prompts)
    const strict = yield* Rule.some(
      entries.filter((entry) => requiredOf(entry).length > 0),
      "prompts with an argument that they require",
      4
    )
    const found = yield* Effect.forEach(strict, ({ name }) =>
      Effect.gen(function*() {
        const params = { name: name ?? null, arguments: {} }
        const reply = yield* (yield* dialogue.shared).request("prompts/get", params)
        const { outcome } = reply
        return outcome._tag === "Error" && outcome.code === ErrorCode.InvalidParams
          ? []
          : [Rule.breach(`the error -32602 for ${JSON.stringify(name)} without its arguments`, reply)]
      }))
    return found.flat()
  }))

const completes = Rule.each({
  id: "mcp/completion/result",
  title: "completion/complete gives at most 100 values, in their shape",
  level: "must",
  section: Rule.section("2025-11-25", "server/utilities/completion#completion-results")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "completions")
    const asked = yield* Rule.some(
      yield* references(dialogue),
      "prompts with arguments and templates with variables",
      6
    )
    const found = yield* Effect.forEach(asked, (params) =>
      Effect.gen(function*() {
        const { exchange, outcome } = yield* (yield* dialogue.shared).request("completion/complete", params)
        if (outcome._tag !== "Result") return []
        const decoded = dialogue.accord.codec.decode.completeResult(outcome.result)
        const values = JsonObject.member(JsonObject.member(outcome.result, "completion"), "values")
        const fault = Result.isFailure(decoded)
          ? decoded.failure.message
          : JsonObject.isArray(values) && values.length > maxCompletions
          ? `${values.length} values`
          : undefined
        return fault === undefined
          ? []
          : [Rule.finding(`at most ${maxCompletions} values in their shape`, fault, exchange)]
      }))
    return found.flat()
  }))

/** What can be completed: the arguments of prompts, and the variables of templates. */
const references = (dialogue: Dialogue) =>
  Effect.gen(function*() {
    const entries = (list: List.List) =>
      Effect.match(dialogue.listed(list), { onFailure: () => [], onSuccess: ({ entries }) => entries })
    const prompts = (yield* entries(List.prompts)).flatMap((entry): ReadonlyArray<Schema.JsonObject> => {
      const argument = JsonObject.isArray(entry["arguments"]) ? entry["arguments"][0] : undefined
      const name = JsonObject.member(argument, "name")
      return typeof name === "string"
        ? [{ ref: { type: "ref/prompt", name: entry["name"] ?? null }, argument: { name, value: "" } }]
        : []
    })
    const templates = (yield* entries(List.templates)).flatMap(({ uriTemplate }): ReadonlyArray<Schema.JsonObject> => {
      const [, name] = typeof uriTemplate === "string" ? /\{([A-Za-z0-9_]+)\}/.exec(uriTemplate) ?? [] : []
      return name === undefined
        ? []
        : [{ ref: { type: "ref/resource", uri: uriTemplate ?? null }, argument: { name, value: "" } }]
    })
    return [...prompts.slice(0, 3), ...templates.slice(0, 3)]
  })

const refusesCompletion = Rule.each({
  id: "mcp/completion/unknown",
  title: "The completion of a prompt that does not exist is refused with -32602",
  level: "should",
  section: Rule.section("2025-11-25", "server/utilities/completion#error-handling")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "completions")
    if (!dialogue.has("prompts")) return yield* new NotApplicable({ reason: "the server has no prompts" })
    const reply = yield* (yield* dialogue.shared).request("completion/complete", {
      ref: { type: "ref/prompt", name: nobody },
      argument: { name: "parley", value: "" }
    })
    return reply.outcome._tag === "Error" && reply.outcome.code === ErrorCode.InvalidParams
      ? []
      : [Rule.breach("the error -32602", reply)]
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [
  shape,
  got,
  refusesUnknown,
  codeOfUnknown,
  missing,
  completes,
  refusesCompletion
]
