/**
 * Everything a revision decodes. The Schemas are compiled when the module is
 * loaded, once for all revisions, which differ only in what a result may be.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Asks from "../../payload/Asks.ts"
import * as Capabilities from "../../payload/Capabilities.ts"
import * as Catalog from "../../payload/Listing.ts"
import * as Requests from "../../payload/Requests.ts"
import * as Results from "../../payload/Results.ts"
import type { Decode, Decoder } from "../../wire/Codec.ts"
import type { Traits } from "../../wire/RevisionFeatures.ts"
import * as Misfit from "../../wire/WireIssue.ts"
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

const callToolResult = quick(isPlainResult, Misfit.decoder(Results.CallToolResult))

const inputRequired = Misfit.decoder(Results.InputRequired)

/** A result that must be complete; one that does not say what it is, is that. */
const complete = <A extends object>(traits: Traits, decode: Decoder<A>): Decoder<A> => (json) => {
  if (!isObject(json) || !Object.hasOwn(json, "resultType")) return decode(json)
  const { resultType, ...rest } = json
  return traits.resultType && resultType !== "complete"
    ? Result.fail(Misfit.make(`unknown resultType ${JSON.stringify(resultType)}`, ["resultType"]))
    : decode(rest)
}

/** A result that may be a question instead. */
const answer = <A extends object>(traits: Traits, decode: Decoder<A>): Decoder<A | Results.InputRequired> => {
  const whole = complete(traits, decode)
  return (json) =>
    traits.resultType && isObject(json) && json["resultType"] === "input_required" ? inputRequired(json) : whole(json)
}

const form = Misfit.decoder(Asks.ElicitForm)
const url = Misfit.decoder(Asks.ElicitUrl)

const elicit: Decoder<Asks.ElicitForm | Asks.ElicitUrl> = (json) => {
  if (!isObject(json)) return form(json)
  const known = omit(json, "mode")
  switch (json["mode"]) {
    case undefined:
    case "form":
      return form(known)
    case "url":
      return url(known)
    default:
      return Result.fail(Misfit.make(`unknown mode ${JSON.stringify(json["mode"])}`, ["mode"]))
  }
}

/** Elicitation that names no way is by form. */
const explicit = (capabilities: Capabilities.ClientCapabilities): Capabilities.ClientCapabilities =>
  Capabilities.canElicitForm(capabilities) && capabilities.elicitation?.form === undefined
    ? { ...capabilities, elicitation: { ...capabilities.elicitation, form: {} } }
    : capabilities

const clientCapabilitiesSchema = quick(isPlainOffer, Misfit.decoder(Capabilities.ClientCapabilities))
const initializeSchema = Misfit.decoder(Requests.InitializeParams)

const initializeParams: Decoder<Requests.InitializeParams> = (json) =>
  Result.map(initializeSchema(json), (params) => ({ ...params, capabilities: explicit(params.capabilities) }))

/** What a client offers, however its revision writes it. */
export const clientCapabilities: Decoder<Capabilities.ClientCapabilities> = (json) =>
  Result.map(clientCapabilitiesSchema(json), explicit)

/** Who a program says it is. */
export const implementation: Decoder<Capabilities.Implementation> = quick(
  isPlainInfo,
  Misfit.decoder(Capabilities.Implementation)
)

const list = Misfit.decoder(Requests.ListParams)

const same = {
  elicit,
  sampleRequest: Misfit.decoder(Asks.SampleRequest),
  elicitResult: Misfit.decoder(Asks.ElicitResult),
  sampleResult: Misfit.decoder(Asks.SampleResult),
  rootsResult: Misfit.decoder(Asks.RootsResult),
  clientCapabilities,
  serverCapabilities: Misfit.decoder(Capabilities.ServerCapabilities),
  initializeParams,
  listParams: (json: unknown) => list(json ?? {}),
  callToolParams: quick(isPlainCall, Misfit.decoder(Requests.CallToolParams)),
  readResourceParams: Misfit.decoder(Requests.ReadResourceParams),
  subscribeParams: Misfit.decoder(Requests.SubscribeParams),
  getPromptParams: Misfit.decoder(Requests.GetPromptParams),
  completeParams: Misfit.decoder(Requests.CompleteParams),
  setLevelParams: Misfit.decoder(Requests.SetLevelParams),
  listenParams: Misfit.decoder(Requests.ListenParams),
  progress: Misfit.decoder(Requests.ProgressParams),
  log: Misfit.decoder(Requests.LogParams)
}

/** A result with a cache hint, where a negative time is none. */
const cacheable = <A extends { readonly ttlMs?: number }>(schema: Schema.Codec<A>): Decoder<A> => {
  const decode = Misfit.decoder(schema)
  return (json) => Result.map(decode(json), (result) => change<A, "ttlMs">(result, "ttlMs", notNegative))
}

const results = {
  toolPage: cacheable(Catalog.ToolPage),
  resourcePage: cacheable(Catalog.ResourcePage),
  resourceTemplatePage: cacheable(Catalog.ResourceTemplatePage),
  promptPage: cacheable(Catalog.PromptPage),
  readResourceResult: cacheable(Results.ReadResourceResult),
  getPromptResult: Misfit.decoder(Results.GetPromptResult),
  completeResult: Misfit.decoder(Results.CompleteResult),
  initializeResult: Misfit.decoder(Results.InitializeResult),
  discoverResult: cacheable(Results.DiscoverResult),
  emptyResult: Misfit.decoder(Schema.JsonObject)
}

/** Every decoder of a revision. */
export const make = (traits: Traits): Decode => ({
  ...same,
  toolPage: complete(traits, results.toolPage),
  resourcePage: complete(traits, results.resourcePage),
  resourceTemplatePage: complete(traits, results.resourceTemplatePage),
  promptPage: complete(traits, results.promptPage),
  callToolResult: answer(traits, callToolResult),
  readResourceResult: answer(traits, results.readResourceResult),
  getPromptResult: answer(traits, results.getPromptResult),
  completeResult: complete(traits, results.completeResult),
  initializeResult: complete(traits, results.initializeResult),
  discoverResult: complete(traits, results.discoverResult),
  emptyResult: complete(traits, results.emptyResult)
})
