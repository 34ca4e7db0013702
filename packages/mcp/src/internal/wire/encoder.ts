/**
 * Everything a revision encodes. The Schemas say what becomes of their records; here stands what depends on more than one
 * record, or has no place in a Schema.
 */
import { Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Capabilities from "../../payload/Capabilities.ts"
import * as Content from "../../payload/Content.ts"
import * as Elicitation from "../../payload/Elicitation.ts"
import * as Listing from "../../payload/Listing.ts"
import * as Requests from "../../payload/Requests.ts"
import * as Results from "../../payload/Results.ts"
import * as Roots from "../../payload/Roots.ts"
import * as Sampling from "../../payload/Sampling.ts"
import { serverInfo as serverInfoKey } from "../../wire/Envelope.ts"
import type { Revision } from "../../wire/Revision.ts"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"
import * as WireIssue from "../../wire/WireIssue.ts"
import { change, isArray, isObject, omit } from "../Json.ts"
import { notNegative } from "./decoder.ts"
import { encoder } from "./History.ts"

type Asked = Result.Result<Schema.JsonObject, WireIssue.WireIssue>

/**
 * Encodes our records as the JSON of the revision. It may give the record itself, where nothing has to change. A result is
 * complete when it is sealed.
 */
export const make = (revision: Revision, features: RevisionFeatures) => {
  const of = <A extends object>(schema: Schema.Codec<A>) => encoder(schema, revision)
  const hint = hinted(features)
  const contents = of(Results.ReadResourceResult)
  const discovered = of(Results.DiscoverResult)
  return {
    content: of<Content.Content>(Content.Content),
    tool: of(Listing.ToolInfo),
    resource: of(Listing.ResourceInfo),
    resourceTemplate: of(Listing.ResourceTemplateInfo),
    prompt: of(Listing.PromptInfo),
    /** A page of a list, from entries that are encoded already. */
    page: (
      list: "tools" | "resources" | "resourceTemplates" | "prompts",
      entries: ReadonlyArray<Schema.Json>,
      options?: { readonly nextCursor?: string | undefined; readonly cache?: Listing.CacheHint | undefined }
    ) =>
      hint({
        [list]: entries,
        ...(options?.nextCursor === undefined ? {} : { nextCursor: options.nextCursor }),
        ...options?.cache
      }),
    callToolResult: of(Results.CallToolResult),
    readResourceResult: (result: Results.ReadResourceResult) => hint(contents(result)),
    getPromptResult: of(Results.GetPromptResult),
    /** The result of a method of an extension, with its cache hint where the revision has such hints. */
    extensionResult: (result: Schema.JsonObject, cache: Listing.CacheHint | undefined) =>
      cache === undefined ? result : hint({ ...cache, ...result }),
    /** At most `maxCompletions` values, and then `hasMore`. */
    completeResult: (result: Results.CompleteResult) => change(result, "completion", cut),
    initializeResult: of(Results.InitializeResult),
    discoverResult: (result: Results.DiscoverResult) => hint(discovered(result)),
    /** Only where the feature `clientRequests` is `results`. */
    inputRequired: (result: Omit<Results.InputRequired, "resultType">): Schema.JsonObject => ({
      ...result,
      resultType: "input_required"
    }),
    ...questions(revision, features),
    elicitResult: of(Elicitation.ElicitResult),
    rootsResult: of(Roots.RootsResult),
    implementation: of(Capabilities.Implementation),
    clientCapabilities: of(Capabilities.ClientCapabilities),
    serverCapabilities: of(Capabilities.ServerCapabilities),
    completeParams: of(Requests.CompleteParams),
    progress: of(Requests.ProgressParams)
  }
}

/** The cache hint of a result: what it says, or that nobody may keep it. */
const hinted = ({ cacheHints }: RevisionFeatures) => (result: Schema.JsonObject): Schema.JsonObject =>
  cacheHints
    ? change(Relayed.carry({ ttlMs: 0, cacheScope: "private", ...result }, result), "ttlMs", notNegative)
    : omit(result, "ttlMs", "cacheScope")

const cut = (completion: Results.CompleteResult["completion"]): Results.CompleteResult["completion"] =>
  completion.values.length <= Results.maxCompletions ? completion : {
    total: completion.values.length,
    ...completion,
    values: completion.values.slice(0, Results.maxCompletions),
    hasMore: true
  }

/** What servers ask, and what a model answers. */
const questions = (revision: Revision, features: RevisionFeatures) => {
  const sampleRequest = encoder(Sampling.SampleRequest, revision)
  const sampleResult = encoder(Sampling.SampleResult, revision)
  return {
    /** Fails where the revision has no forms, or none with such a field. */
    elicitForm: (form: Elicitation.ElicitForm): Asked => {
      if (features.elicitation === "none") return Result.fail(WireIssue.make("this revision has no elicitation"))
      const fields = isObject(form.requestedSchema["properties"]) ? form.requestedSchema["properties"] : {}
      const list = Object.keys(fields).find((key) => isObject(fields[key]) && fields[key]["type"] === "array")
      if (list !== undefined && !features.elicitationLists) {
        return Result.fail(WireIssue.make("this revision has no fields with several choices", [list]))
      }
      const properties = features.elicitationLists ? fields : namedChoices(fields)
      const mode = features.elicitation === "form" ? {} : { mode: "form" }
      const requestedSchema = Relayed.carry({ ...form.requestedSchema, properties }, form.requestedSchema)
      return Result.succeed(Relayed.carry({ ...mode, ...form, requestedSchema }, form))
    },
    /** Fails where the revision opens no URLs, or wants an `elicitationId` and there is none. */
    elicitUrl: (ask: Elicitation.ElicitUrl): Asked => {
      if (features.elicitation !== "formAndUrl") return Result.fail(WireIssue.make("this revision opens no URLs"))
      if (!features.elicitationId) return Result.succeed({ mode: "url", ...omit(ask, "elicitationId") })
      return ask.elicitationId === undefined
        ? Result.fail(WireIssue.make("this revision needs an elicitationId", ["elicitationId"]))
        : Result.succeed({ mode: "url", ...ask })
    },
    /** Fails where the request has tools and the revision none for models. Where messages have one block, each is one. */
    sampleRequest: (request: Sampling.SampleRequest): Asked => {
      if (features.samplingTools) return Result.succeed(sampleRequest(request))
      if (request.tools !== undefined) {
        return Result.fail(WireIssue.make("this revision gives models no tools", ["tools"]))
      }
      const messages = request.messages.flatMap((message) =>
        Sampling.blocks(message).map((content) => ({ role: message.role, content }))
      )
      return Result.succeed(sampleRequest(Relayed.carry({ ...request, messages }, request)))
    },
    sampleResult: (result: Sampling.SampleResult): Schema.JsonObject =>
      features.samplingTools ? sampleResult(result) : change(sampleResult(result), "content", joined)
  }
}

/** Several blocks as one: the only one, or all of them as a text. */
const joined = (content: Schema.Json): Schema.Json => {
  if (!isArray(content)) return content
  const [first] = content
  if (content.length === 1 && first !== undefined) return first
  const texts = content.filter(isObject).map((block) =>
    block["type"] === "text" ? block["text"] : `[${String(block["type"])} ${String(block["mimeType"])}, not sent]`
  )
  return { type: "text", text: texts.join("\n") }
}

/** Fields whose choices have titles, with `enum` and `enumNames`. */
const namedChoices = (fields: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([key, field]) => {
      const choices = isObject(field) ? field["oneOf"] : undefined
      if (!isObject(field) || !Array.isArray(choices) || !choices.every(isTitled)) return [key, field]
      const [names, titles] = [choices.map((choice) => choice.const), choices.map((choice) => choice.title)]
      return [key, { ...omit(field, "oneOf"), type: "string", enum: names, enumNames: titles }]
    })
  )

const isTitled = (json: Schema.Json): json is { readonly const: string; readonly title: string } =>
  isObject(json) && typeof json["const"] === "string" && typeof json["title"] === "string"

/** Says what a result is and whose, where results do. Elsewhere it is the same object. */
export const seal = (
  features: RevisionFeatures
): (result: Schema.JsonObject, serverInfo: Schema.JsonObject) => Schema.JsonObject =>
  features.resultType
    ? (result, serverInfo) => {
      const meta = result["_meta"]
      const named = isObject(meta)
        ? Relayed.carry({ [serverInfoKey]: serverInfo, ...meta }, meta)
        : { [serverInfoKey]: serverInfo }
      return Relayed.carry({ resultType: "complete", ...result, _meta: named }, result)
    }
    : (result) => result
