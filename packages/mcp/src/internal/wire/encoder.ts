/**
 * Everything a revision encodes, put together from its features.
 *
 * Results of tools are on the way of every call: where nothing has to change,
 * they pass through.
 */
import { Relayed } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Content } from "../../payload/Content.ts"
import { type CallToolResult, type GetPromptResult, maxCompletions } from "../../payload/Results.ts"
import type { Encode, Seal } from "../../wire/Codec.ts"
import { serverInfo as serverInfoKey } from "../../wire/Envelope.ts"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"
import { change, isObject, mapSame, omit } from "../Json.ts"
import * as contentEncoder from "./contentEncoder.ts"
import * as inputEncoder from "./inputEncoder.ts"
import * as listingEncoder from "./listingEncoder.ts"

/** Drops structured content that the revision does not know, or knows as an object only. */
const structured = (features: RevisionFeatures) => (result: CallToolResult): CallToolResult => {
  const value = result.structuredContent
  if (value === undefined || features.structuredContent === "any") return result
  return features.structuredContent === "object" && isObject(value) ? result : omit(result, "structuredContent")
}

const callToolResult = (features: RevisionFeatures) => {
  const block = contentEncoder.content(features)
  const known = structured(features)
  if (block === undefined) return known
  return (result: CallToolResult) => {
    const content = mapSame(result.content, block)
    return known(content === result.content ? result : Relayed.carry({ ...result, content }, result))
  }
}

const getPromptResult = (features: RevisionFeatures) => {
  const block = contentEncoder.content(features)
  if (block === undefined) return (result: GetPromptResult) => result
  return (result: GetPromptResult): Schema.JsonObject =>
    change(result, "messages", (messages) => mapSame(messages, (message) => change(message, "content", block)))
}

interface Hinted extends Schema.JsonObject {
  readonly ttlMs?: number
}

/** The cache hint of a result: what it says, or that nobody may keep it. */
const hinted = (features: RevisionFeatures) => (result: Hinted): Schema.JsonObject =>
  features.cacheHints
    ? change(
      Relayed.carry({ ttlMs: 0, cacheScope: "private", ...result }, result),
      "ttlMs",
      listingEncoder.notNegative
    )
    : omit(result, "ttlMs", "cacheScope")

/** Every encoder of a revision. */
export const make = (features: RevisionFeatures): Encode => {
  const hint = hinted(features)
  const contentsOf = contentEncoder.resourceContents(features)
  const block = contentEncoder.content(features)
  const implementation = listingEncoder.implementation(features)
  const serverCapabilities = listingEncoder.serverCapabilities(features)
  return {
    content: block ?? ((content: Content) => content),
    tool: listingEncoder.tool(features),
    resource: listingEncoder.resource(features),
    resourceTemplate: listingEncoder.resource(features),
    prompt: listingEncoder.prompt(features),
    page: (list, entries, options) =>
      hint({
        [list]: entries,
        ...(options?.nextCursor === undefined ? {} : { nextCursor: options.nextCursor }),
        ...options?.cache
      }),
    callToolResult: callToolResult(features),
    readResourceResult: (result) => hint(change(result, "contents", (list) => mapSame(list, contentsOf))),
    getPromptResult: getPromptResult(features),
    extensionResult: (result, cache) => cache === undefined ? result : hint({ ...cache, ...result }),
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
    elicitForm: inputEncoder.elicitForm(features),
    elicitUrl: inputEncoder.elicitUrl(features),
    sampleRequest: inputEncoder.sampleRequest(features),
    elicitResult: inputEncoder.elicitResult(features),
    sampleResult: inputEncoder.sampleResult(features),
    rootsResult: inputEncoder.rootsResult(features),
    implementation,
    clientCapabilities: listingEncoder.clientCapabilities(features),
    serverCapabilities,
    completeParams: (params) => {
      const ref = features.titles ? params : change(params, "ref", (value) => omit(value, "title"))
      return features.completionContext ? ref : omit(ref, "context")
    },
    progress: (params) => features.progressMessages ? params : omit(params, "message")
  }
}

/** Says what a result is and whose, where results do. */
export const seal = (features: RevisionFeatures): Seal =>
  features.resultType
    ? (result, serverInfo) => {
      const meta = result["_meta"]
      const named = isObject(meta)
        ? Relayed.carry({ [serverInfoKey]: serverInfo, ...meta }, meta)
        : { [serverInfoKey]: serverInfo }
      return Relayed.carry({ resultType: "complete", ...result, _meta: named }, result)
    }
    : (result) => result
