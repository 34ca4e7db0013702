/**
 * Everything a revision decodes. The Schemas are compiled when the module is
 * loaded, once for all revisions, which differ only in what a result may be.
 */
import { Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Capabilities from "../../payload/Capabilities.ts"
import * as Elicitation from "../../payload/Elicitation.ts"
import * as Listing from "../../payload/Listing.ts"
import * as Requests from "../../payload/Requests.ts"
import * as Results from "../../payload/Results.ts"
import * as Roots from "../../payload/Roots.ts"
import * as Sampling from "../../payload/Sampling.ts"
import type { Decode, Decoder } from "../../wire/Codec.ts"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"
import * as WireIssue from "../../wire/WireIssue.ts"
import { change, isObject, omit } from "../Json.ts"
import { notNegative } from "./listingEncoder.ts"

const textMembers = new Set(["type", "text"])
const resultMembers = new Set(["content", "structuredContent", "isError", "_meta"])
const callMembers = new Set(["name", "arguments", "_meta"])

const isPlainText = (block: Schema.Json): boolean =>
  isObject(block) && block["type"] === "text" && typeof block["text"] === "string" &&
  Object.keys(block).every((key) => textMembers.has(key))

const isPresent = (json: Schema.JsonObject, key: string): boolean => Object.hasOwn(json, key)

const isObjectOrAbsent = (json: Schema.JsonObject, key: string): boolean => !isPresent(json, key) || isObject(json[key])

/** Tells what most tools answer: texts, and nothing that needs a closer look. Far quicker than the Schema. */
const isPlainResult = (json: Schema.JsonObject): boolean =>
  Array.isArray(json["content"]) && json["content"].every(isPlainText) &&
  (!isPresent(json, "isError") || typeof json["isError"] === "boolean") && isObjectOrAbsent(json, "_meta") &&
  Object.keys(json).every((key) => resultMembers.has(key))

/** Tells what most calls of tools are: a name, arguments, and nothing of an earlier turn. */
const isPlainCall = (json: Schema.JsonObject): boolean =>
  typeof json["name"] === "string" && isObjectOrAbsent(json, "arguments") && isObjectOrAbsent(json, "_meta") &&
  Object.keys(json).every((key) => callMembers.has(key))

const isBoolean = (json: unknown): boolean => typeof json === "boolean"

/** What clients offer, and what they say of each. */
const offers = new Map<string, ReadonlyMap<string, (json: unknown) => boolean>>([
  ["roots", new Map([["listChanged", isBoolean]])],
  ["sampling", new Map([["context", isObject], ["tools", isObject]])],
  ["elicitation", new Map([["form", isObject], ["url", isObject]])]
])

/** Tells what most clients offer, with every request of the modern era. */
const isPlainOffer = (json: Schema.JsonObject): boolean =>
  Object.keys(json).every((key) => {
    const says = offers.get(key)
    const offer = json[key]
    if (key === "extensions") return isObject(offer) && Object.values(offer).every(isObject)
    return says !== undefined && isObject(offer) &&
      Object.keys(offer).every((member) => says.get(member)?.(offer[member]) === true)
  })

const infoMembers = new Set(["name", "version", "title", "description", "websiteUrl"])

/** Tells who most clients say that they are: texts. */
const isPlainInfo = (json: Schema.JsonObject): boolean =>
  isPresent(json, "name") && isPresent(json, "version") &&
  Object.keys(json).every((key) => infoMembers.has(key) && typeof json[key] === "string")

/** A decoder that needs its Schema only where a quick look does not tell. */
const quick = <A>(isPlain: (json: Schema.JsonObject) => boolean, decode: Decoder<A>): Decoder<A> => (json) =>
  // A plain value has only members that the Schema names, with the types that it names.
  isObject(json) && isPlain(json) ? Result.succeed(json as A) : decode(json)

const callToolResult = quick(isPlainResult, WireIssue.decoder(Results.CallToolResult))

const inputRequired = WireIssue.decoder(Results.InputRequired)

/** A result that must be complete; one that does not say what it is, is that. */
const complete = <A extends object>(features: RevisionFeatures, decode: Decoder<A>): Decoder<A> => (json) => {
  if (!isObject(json) || !Object.hasOwn(json, "resultType")) return decode(json)
  const { resultType, ...rest } = json
  return features.resultType && resultType !== "complete"
    ? Result.fail(WireIssue.make(`unknown resultType ${JSON.stringify(resultType)}`, ["resultType"]))
    : decode(Relayed.carry(rest, json))
}

/** A result that may be a question instead. */
const answer = <A extends object>(
  features: RevisionFeatures,
  decode: Decoder<A>
): Decoder<A | Results.InputRequired> => {
  const whole = complete(features, decode)
  return (json) =>
    features.resultType && isObject(json) && json["resultType"] === "input_required" ? inputRequired(json) : whole(json)
}

const form = WireIssue.decoder(Elicitation.ElicitForm)
const url = WireIssue.decoder(Elicitation.ElicitUrl)

const elicit: Decoder<Elicitation.ElicitForm | Elicitation.ElicitUrl> = (json) => {
  if (!isObject(json)) return form(json)
  const known = omit(json, "mode")
  switch (json["mode"]) {
    case undefined:
    case "form":
      return form(known)
    case "url":
      return url(known)
    default:
      return Result.fail(WireIssue.make(`unknown mode ${JSON.stringify(json["mode"])}`, ["mode"]))
  }
}

/** Elicitation that names no way is by form. */
const explicit = (capabilities: Capabilities.ClientCapabilities): Capabilities.ClientCapabilities =>
  Capabilities.canElicitForm(capabilities) && capabilities.elicitation?.form === undefined
    ? { ...capabilities, elicitation: { ...capabilities.elicitation, form: {} } }
    : capabilities

const clientCapabilitiesSchema = quick(isPlainOffer, WireIssue.decoder(Capabilities.ClientCapabilities))
const initializeSchema = WireIssue.decoder(Requests.InitializeParams)

const initializeParams: Decoder<Requests.InitializeParams> = (json) =>
  Result.map(initializeSchema(json), (params) => ({ ...params, capabilities: explicit(params.capabilities) }))

/** What a client offers, however its revision writes it. */
export const clientCapabilities: Decoder<Capabilities.ClientCapabilities> = (json) =>
  Result.map(clientCapabilitiesSchema(json), explicit)

/** Who a program says it is. */
export const implementation: Decoder<Capabilities.Implementation> = quick(
  isPlainInfo,
  WireIssue.decoder(Capabilities.Implementation)
)

const list = WireIssue.decoder(Requests.ListParams)

const same = {
  elicit,
  sampleRequest: WireIssue.decoder(Sampling.SampleRequest),
  elicitResult: WireIssue.decoder(Elicitation.ElicitResult),
  sampleResult: WireIssue.decoder(Sampling.SampleResult),
  rootsResult: WireIssue.decoder(Roots.RootsResult),
  clientCapabilities,
  serverCapabilities: WireIssue.decoder(Capabilities.ServerCapabilities),
  initializeParams,
  listParams: (json: unknown) => list(json ?? {}),
  callToolParams: quick(isPlainCall, WireIssue.decoder(Requests.CallToolParams)),
  readResourceParams: WireIssue.decoder(Requests.ReadResourceParams),
  subscribeParams: WireIssue.decoder(Requests.SubscribeParams),
  getPromptParams: WireIssue.decoder(Requests.GetPromptParams),
  completeParams: WireIssue.decoder(Requests.CompleteParams),
  setLevelParams: WireIssue.decoder(Requests.SetLevelParams),
  listenParams: WireIssue.decoder(Requests.ListenParams),
  progress: WireIssue.decoder(Requests.ProgressParams),
  log: WireIssue.decoder(Requests.LogParams)
}

/** A result with a cache hint, where a negative time is none. */
const cacheable = <A extends { readonly ttlMs?: number }>(schema: Schema.Codec<A>): Decoder<A> => {
  const decode = WireIssue.decoder(schema)
  return (json) => Result.map(decode(json), (result) => change<A, "ttlMs">(result, "ttlMs", notNegative))
}

const results = {
  toolPage: cacheable(Listing.ToolPage),
  resourcePage: cacheable(Listing.ResourcePage),
  resourceTemplatePage: cacheable(Listing.ResourceTemplatePage),
  promptPage: cacheable(Listing.PromptPage),
  readResourceResult: cacheable(Results.ReadResourceResult),
  getPromptResult: WireIssue.decoder(Results.GetPromptResult),
  completeResult: WireIssue.decoder(Results.CompleteResult),
  initializeResult: WireIssue.decoder(Results.InitializeResult),
  discoverResult: cacheable(Results.DiscoverResult),
  emptyResult: WireIssue.decoder(Schema.JsonObject)
}

/** Every decoder of a revision. */
export const make = (features: RevisionFeatures): Decode => ({
  ...same,
  toolPage: complete(features, results.toolPage),
  resourcePage: complete(features, results.resourcePage),
  resourceTemplatePage: complete(features, results.resourceTemplatePage),
  promptPage: complete(features, results.promptPage),
  callToolResult: answer(features, callToolResult),
  readResourceResult: answer(features, results.readResourceResult),
  getPromptResult: answer(features, results.getPromptResult),
  completeResult: complete(features, results.completeResult),
  initializeResult: complete(features, results.initializeResult),
  discoverResult: complete(features, results.discoverResult),
  emptyResult: complete(features, results.emptyResult)
})
