/**
 * Everything a revision encodes, put together from its traits.
 *
 * Results of tools are on the way of every call: where nothing has to change,
 * they pass through.
 */
import type * as Schema from "effect/Schema"
import type { Content } from "../../payload/Content.ts"
import { type CallToolResult, type GetPromptResult, maxCompletions } from "../../payload/Results.ts"
import type { Encode, Seal } from "../../wire/Codec.ts"
import { serverInfo as serverInfoKey } from "../../wire/Envelope.ts"
import type { Traits } from "../../wire/RevisionFeatures.ts"
import { change, isObject, mapSame, omit } from "../Json.ts"
import * as contents from "./contentEncoder.ts"
import * as asks from "./inputEncoder.ts"
import * as catalog from "./listingEncoder.ts"

/** Drops structured content that the revision does not know, or knows as an object only. */
const structured = (traits: Traits) => (result: CallToolResult): CallToolResult => {
  const value = result.structuredContent
  if (value === undefined || traits.structuredContent === "any") return result
  return traits.structuredContent === "object" && isObject(value) ? result : omit(result, "structuredContent")
}

const callToolResult = (traits: Traits) => {
  const block = contents.content(traits)
  const known = structured(traits)
  if (block === undefined) return known
  return (result: CallToolResult) => {
    const content = mapSame(result.content, block)
    return known(content === result.content ? result : { ...result, content })
  }
}

const getPromptResult = (traits: Traits) => {
  const block = contents.content(traits)
  if (block === undefined) return (result: GetPromptResult) => result
  return (result: GetPromptResult): Schema.JsonObject => ({
    ...result,
    messages: mapSame(result.messages, (message) => change(message, "content", block))
  })
}

interface Hinted extends Schema.JsonObject {
  readonly ttlMs?: number
}

/** The cache hint of a result: what it says, or that nobody may keep it. */
const hinted = (traits: Traits) => (result: Hinted): Schema.JsonObject =>
  traits.cacheHints
    ? change({ ttlMs: 0, cacheScope: "private", ...result }, "ttlMs", catalog.notNegative)
    : omit(result, "ttlMs", "cacheScope")

/** Every encoder of a revision. */
export const make = (traits: Traits): Encode => {
  const hint = hinted(traits)
  const contentsOf = contents.resourceContents(traits)
  const block = contents.content(traits)
  const implementation = catalog.implementation(traits)
  const serverCapabilities = catalog.serverCapabilities(traits)
  return {
    content: block ?? ((content: Content) => content),
    tool: catalog.tool(traits),
    resource: catalog.resource(traits),
    resourceTemplate: catalog.resource(traits),
    prompt: catalog.prompt(traits),
    page: (list, entries, options) =>
      hint({
        [list]: entries,
        ...(options?.nextCursor === undefined ? {} : { nextCursor: options.nextCursor }),
        ...options?.cache
      }),
    callToolResult: callToolResult(traits),
    readResourceResult: (result) => hint(change(result, "contents", (list) => mapSame(list, contentsOf))),
    getPromptResult: getPromptResult(traits),
    completeResult: (result) =>
      result.completion.values.length <= maxCompletions ? result : {
        ...result,
        completion: {
          total: result.completion.values.length,
          ...result.completion,
          values: result.completion.values.slice(0, maxCompletions),
          hasMore: true
        }
      },
    initializeResult: (result) => ({
      ...result,
      capabilities: serverCapabilities(result.capabilities),
      serverInfo: implementation(result.serverInfo)
    }),
    discoverResult: (result) => hint({ ...result, capabilities: serverCapabilities(result.capabilities) }),
    inputRequired: (result) => ({ ...result, resultType: "input_required" }),
    elicitForm: asks.elicitForm(traits),
    elicitUrl: asks.elicitUrl(traits),
    sampleRequest: asks.sampleRequest(traits),
    elicitResult: asks.elicitResult(traits),
    sampleResult: asks.sampleResult(traits),
    rootsResult: asks.rootsResult(traits),
    implementation,
    clientCapabilities: catalog.clientCapabilities(traits),
    serverCapabilities,
    completeParams: (params) => {
      const ref = traits.titles ? params : change(params, "ref", (value) => omit(value, "title"))
      return traits.completionContext ? ref : omit(ref, "context")
    },
    progress: (params) => traits.progressMessages ? params : omit(params, "message")
  }
}

/** Says what a result is and whose, where results do. */
export const seal = (traits: Traits): Seal =>
  traits.resultType
    ? (result, serverInfo) => {
      const meta = result["_meta"]
      return {
        resultType: "complete",
        ...result,
        _meta: isObject(meta) ? { [serverInfoKey]: serverInfo, ...meta } : { [serverInfoKey]: serverInfo }
      }
    }
    : (result) => result
