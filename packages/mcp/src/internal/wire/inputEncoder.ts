/**
 * What servers ask and clients answer, in the words of a revision.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import {
  blocks,
  type ElicitForm,
  type ElicitResult,
  type ElicitUrl,
  type RootsResult,
  type SampleMessage,
  type SampleRequest,
  type SampleResult
} from "../../payload/Asks.ts"
import type { Traits } from "../../wire/RevisionFeatures.ts"
import * as Misfit from "../../wire/WireIssue.ts"
import { change, isObject, mapSame, omit } from "../Json.ts"
import { type Said, sampleContent } from "./contentEncoder.ts"
import { tool } from "./listingEncoder.ts"

type Asked = Result.Result<Schema.JsonObject, Misfit.Misfit>

const isTitled = (json: Schema.Json): json is { readonly const: string; readonly title: string } =>
  isObject(json) && typeof json["const"] === "string" && typeof json["title"] === "string"

/** Choices with titles, as `enum` and `enumNames`. */
const named = (field: Schema.Json): Schema.Json => {
  if (!isObject(field) || !Array.isArray(field["oneOf"]) || !field["oneOf"].every(isTitled)) return field
  const choices = field["oneOf"]
  return {
    ...omit(field, "oneOf"),
    type: "string",
    enum: choices.map((choice) => choice.const),
    enumNames: choices.map((choice) => choice.title)
  }
}

/** A form. */
export const elicitForm = (traits: Traits) => (form: ElicitForm): Asked => {
  if (traits.elicitation === "none") return Result.fail(Misfit.make("this revision has no elicitation"))
  const schema = form.requestedSchema
  const fields = isObject(schema["properties"]) ? schema["properties"] : {}
  if (traits.elicitationLists) {
    const requestedSchema = isObject(schema["properties"]) ? schema : { ...schema, properties: fields }
    return Result.succeed({ mode: "form", ...form, requestedSchema })
  }
  const list = Object.keys(fields).find((key) => {
    const field = fields[key]
    return isObject(field) && field["type"] === "array"
  })
  if (list !== undefined) {
    return Result.fail(Misfit.make("this revision has no fields with several choices", [list]))
  }
  const properties = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, named(field)]))
  return Result.succeed({ ...form, requestedSchema: { ...schema, properties } })
}

/** A page to open. */
export const elicitUrl = (traits: Traits) => (ask: ElicitUrl): Asked => {
  if (traits.elicitation !== "formAndUrl") return Result.fail(Misfit.make("this revision opens no URLs"))
  if (!traits.elicitationId) return Result.succeed({ mode: "url", ...omit(ask, "elicitationId") })
  return ask.elicitationId === undefined
    ? Result.fail(Misfit.make("this revision needs an elicitationId", ["elicitationId"]))
    : Result.succeed({ mode: "url", ...ask })
}

/** What the person did. Lists cannot have been asked for where forms have none. */
export const elicitResult = (traits: Traits) => (result: ElicitResult): ElicitResult =>
  traits.elicitationLists ? result : change(
    result,
    "content",
    (content) => Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value)))
  )

/** Several blocks as one: the only one, or all of them as a text. */
const joined = (list: ReadonlyArray<Said>): Said => {
  const [first] = list
  if (list.length === 1 && first !== undefined) return first
  const texts = list.map((block) => block.type === "text" ? block.text : `[${block.type} ${block.mimeType}, not sent]`)
  return { type: "text", text: texts.join("\n") }
}

/** A message whose tool results are objects, where the revision wants that. */
const structured = <A extends SampleMessage | SampleResult>(message: A): A => {
  const list = blocks(message)
  const kept = mapSame(
    list,
    (block) =>
      block.type === "tool_result" && block.structuredContent !== undefined && !isObject(block.structuredContent)
        ? omit(block, "structuredContent")
        : block
  )
  return kept === list || (kept.length === 1 && kept[0] === list[0])
    ? message
    : { ...message, content: Array.isArray(message.content) ? kept : kept[0] }
}

/** A conversation. */
export const sampleRequest = (traits: Traits) => {
  const encodeTool = tool(traits)
  const said = sampleContent(traits)
  return (request: SampleRequest): Asked => {
    if (traits.samplingTools) {
      const messages = traits.structuredContent === "any" ? request.messages : mapSame(request.messages, structured)
      return Result.succeed({ ...change(request, "tools", (tools) => mapSame(tools, encodeTool)), messages })
    }
    if (request.tools !== undefined) {
      return Result.fail(Misfit.make("this revision gives models no tools", ["tools"]))
    }
    const messages = request.messages.flatMap((message) =>
      blocks(message).map((block) => ({ role: message.role, content: said(block) }))
    )
    return Result.succeed({ ...omit(request, "toolChoice"), messages })
  }
}

/** What the model said. */
export const sampleResult = (traits: Traits) => {
  const said = sampleContent(traits)
  return (result: SampleResult): SampleResult => {
    if (traits.samplingTools) return traits.structuredContent === "any" ? result : structured(result)
    return { ...result, content: joined(blocks(result).map(said)) }
  }
}

/** The places the client works in. */
export const rootsResult = (traits: Traits) => (result: RootsResult): RootsResult =>
  traits.meta ? result : change(result, "roots", (roots) => mapSame(roots, (root) => omit(root, "_meta")))
