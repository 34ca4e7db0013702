/**
 * What servers ask and clients answer, in the words of a revision.
 */
import { Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ElicitForm, ElicitResult, ElicitUrl } from "../../payload/Elicitation.ts"
import type { RootsResult } from "../../payload/Roots.ts"
import { blocks, type SampleMessage, type SampleRequest, type SampleResult } from "../../payload/Sampling.ts"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"
import * as WireIssue from "../../wire/WireIssue.ts"
import { change, isObject, mapSame, omit } from "../Json.ts"
import { type Said, sampleContent } from "./contentEncoder.ts"
import { tool } from "./listingEncoder.ts"

type Asked = Result.Result<Schema.JsonObject, WireIssue.WireIssue>

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
export const elicitForm = (features: RevisionFeatures) => (form: ElicitForm): Asked => {
  if (features.elicitation === "none") return Result.fail(WireIssue.make("this revision has no elicitation"))
  const schema = form.requestedSchema
  const fields = isObject(schema["properties"]) ? schema["properties"] : {}
  if (features.elicitationLists) {
    const requestedSchema = isObject(schema["properties"]) ? schema : { ...schema, properties: fields }
    return Result.succeed(Relayed.carry({ mode: "form", ...form, requestedSchema }, form))
  }
  const list = Object.keys(fields).find((key) => {
    const field = fields[key]
    return isObject(field) && field["type"] === "array"
  })
  if (list !== undefined) {
    return Result.fail(WireIssue.make("this revision has no fields with several choices", [list]))
  }
  const properties = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, named(field)]))
  const requestedSchema = Relayed.carry({ ...schema, properties }, schema)
  return Result.succeed(Relayed.carry({ ...form, requestedSchema }, form))
}

/** A page to open. */
export const elicitUrl = (features: RevisionFeatures) => (ask: ElicitUrl): Asked => {
  if (features.elicitation !== "formAndUrl") return Result.fail(WireIssue.make("this revision opens no URLs"))
  if (!features.elicitationId) return Result.succeed({ mode: "url", ...omit(ask, "elicitationId") })
  return ask.elicitationId === undefined
    ? Result.fail(WireIssue.make("this revision needs an elicitationId", ["elicitationId"]))
    : Result.succeed({ mode: "url", ...ask })
}

/** What the person did. Lists cannot have been asked for where forms have none. */
export const elicitResult = (features: RevisionFeatures) => (result: ElicitResult): ElicitResult =>
  features.elicitationLists ? result : change(
    result,
    "content",
    (content) => omit(content, ...Object.keys(content).filter((key) => Array.isArray(content[key])))
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
    : Relayed.carry({ ...message, content: Array.isArray(message.content) ? kept : kept[0] }, message)
}

/** A conversation. */
export const sampleRequest = (features: RevisionFeatures) => {
  const encodeTool = tool(features)
  const said = sampleContent(features)
  return (request: SampleRequest): Asked => {
    if (features.samplingTools) {
      const messages = features.structuredContent === "any" ? request.messages : mapSame(request.messages, structured)
      const offered = change(request, "tools", (tools) => mapSame(tools, encodeTool))
      return Result.succeed(change(offered, "messages", () => messages))
    }
    if (request.tools !== undefined) {
      return Result.fail(WireIssue.make("this revision gives models no tools", ["tools"]))
    }
    const messages = request.messages.flatMap((message) =>
      blocks(message).map((block) => ({ role: message.role, content: said(block) }))
    )
    return Result.succeed(change(omit(request, "toolChoice"), "messages", () => messages))
  }
}

/** What the model said. */
export const sampleResult = (features: RevisionFeatures) => {
  const said = sampleContent(features)
  return (result: SampleResult): SampleResult => {
    if (features.samplingTools) return features.structuredContent === "any" ? result : structured(result)
    return change(result, "content", () => joined(blocks(result).map(said)))
  }
}

/** The places the client works in. */
export const rootsResult = (features: RevisionFeatures) => (result: RootsResult): RootsResult =>
  features.meta ? result : change(result, "roots", (roots) => mapSame(roots, (root) => omit(root, "_meta")))
