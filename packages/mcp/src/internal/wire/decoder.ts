/**
 * Everything a revision decodes. Revisions differ only in what a result may be: their Schemas are those of the newest.
 */
import { Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Capabilities from "../../payload/Capabilities.ts"
import * as Elicitation from "../../payload/Elicitation.ts"
import * as Listing from "../../payload/Listing.ts"
import * as Requests from "../../payload/Requests.ts"
import * as Results from "../../payload/Results.ts"
import * as Roots from "../../payload/Roots.ts"
import * as Sampling from "../../payload/Sampling.ts"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"
import * as WireIssue from "../../wire/WireIssue.ts"
import { change, isObject, omit } from "../Json.ts"

type Decoder<A> = WireIssue.Decoder<A>

type Fits = (json: unknown) => boolean

const anything: Fits = () => true
const nothing: Fits = () => false

/**
 * Tells quickly of most values that they fit: of objects whose members all have a name in the Schema, and are texts, flags,
 * lists or again objects. It says nothing of the others, and does not look into what may be any JSON.
 */
const fits = (ast: SchemaAST.AST): Fits => {
  if (ast.checks !== undefined) return nothing
  switch (ast._tag) {
    case "String":
      return (json) => typeof json === "string"
    case "Boolean":
      return (json) => typeof json === "boolean"
    case "Literal":
      return (json) => json === ast.literal
    case "Declaration":
      return ast.annotations === Schema.Json.ast.annotations ? anything : nothing
    case "Arrays": {
      const element = ast.rest[0] === undefined ? nothing : fits(ast.rest[0])
      return (json) => Array.isArray(json) && json.every(element)
    }
    case "Union": {
      const types = ast.types.map(fits)
      return (json) => types.some((type) => type(json))
    }
    case "Objects":
      return fitsMembers(ast)
    default:
      return nothing
  }
}

const fitsMembers = ({ indexSignatures: [index], propertySignatures }: SchemaAST.Objects): Fits => {
  const members = new Map(propertySignatures.map(({ name, type }) => [name, fits(type)]))
  const required = new Set(propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).map(({ name }) => name))
  const other = index === undefined ? nothing : fits(index.type)
  if (members.size === 0 && other === anything) return isObject
  return (json) => {
    if (!isObject(json)) return false
    let found = 0
    // JSON inherits no members that this would list, and it takes half as long as a list of keys.
    for (const name in json) {
      if (!(members.get(name) ?? other)(json[name])) return false
      if (required.has(name)) found++
    }
    return found === required.size
  }
}

/** A decoder that needs its Schema only where a quick look does not tell: Schemas take many times as long. */
const of = <A>(schema: Schema.Codec<A>): Decoder<A> => {
  const isFit = fits(schema.ast)
  const decode = WireIssue.decoder(schema)
  // The Schema changes nothing.
  return (json) => isFit(json) ? Result.succeed(json as A) : decode(json)
}

/** For how long a result may be kept: a negative time is none. */
export const notNegative = (milliseconds: number): number => Math.max(0, milliseconds)

/** A result with a cache hint. */
const cacheable = <A extends { readonly ttlMs?: number }>(schema: Schema.Codec<A>): Decoder<A> => {
  const decode = of(schema)
  return (json) => Result.map(decode(json), (result) => change<A, "ttlMs">(result, "ttlMs", notNegative))
}

const form = of(Elicitation.ElicitForm)
const url = of(Elicitation.ElicitUrl)

const elicit: Decoder<Elicitation.ElicitForm | Elicitation.ElicitUrl> = (json) => {
  if (!isObject(json) || json["mode"] === undefined) return form(json)
  if (json["mode"] === "form") return form(omit(json, "mode"))
  if (json["mode"] === "url") return url(omit(json, "mode"))
  return Result.fail(WireIssue.make(`unknown mode ${JSON.stringify(json["mode"])}`, ["mode"]))
}

/** Elicitation that names no way is by form. */
const explicit = (capabilities: Capabilities.ClientCapabilities): Capabilities.ClientCapabilities =>
  Capabilities.canElicitForm(capabilities) && capabilities.elicitation?.form === undefined
    ? { ...capabilities, elicitation: { ...capabilities.elicitation, form: {} } }
    : capabilities

const offered = of(Capabilities.ClientCapabilities)
const initialize = of(Requests.InitializeParams)
const list = of(Requests.ListParams)

/** What a client offers, however its revision writes it. */
export const clientCapabilities: Decoder<Capabilities.ClientCapabilities> = (json) =>
  Result.map(offered(json), explicit)

/** Who a program says it is. */
export const implementation = of(Capabilities.Implementation)

/** What no revision reads otherwise. */
const common = {
  elicit,
  sampleRequest: of(Sampling.SampleRequest),
  elicitResult: of(Elicitation.ElicitResult),
  sampleResult: of(Sampling.SampleResult),
  rootsResult: of(Roots.RootsResult),
  clientCapabilities,
  serverCapabilities: of(Capabilities.ServerCapabilities),
  initializeParams: (json: unknown) =>
    Result.map(initialize(json), (params) => change(params, "capabilities", explicit)),
  /** Absent params are an empty object. */
  listParams: (json: unknown) => list(json ?? {}),
  callToolParams: of(Requests.CallToolParams),
  readResourceParams: of(Requests.ReadResourceParams),
  subscribeParams: of(Requests.SubscribeParams),
  getPromptParams: of(Requests.GetPromptParams),
  completeParams: of(Requests.CompleteParams),
  setLevelParams: of(Requests.SetLevelParams),
  listenParams: of(Requests.ListenParams),
  log: of(Requests.LogParams)
}

const inputRequired = of(Results.InputRequired)

/** Decodes the JSON of the revision as our records, or gives the reason for which it does not fit. */
export const make = (features: RevisionFeatures) => {
  /** A result that must be complete; one that does not say what it is, is that. */
  const complete = <A extends object>(decode: Decoder<A>): Decoder<A> => (json) => {
    if (!isObject(json) || !Object.hasOwn(json, "resultType")) return decode(json)
    const { resultType, ...rest } = json
    return features.resultType && resultType !== "complete"
      ? Result.fail(WireIssue.make(`unknown resultType ${JSON.stringify(resultType)}`, ["resultType"]))
      : decode(Relayed.carry(rest, json))
  }
  /** A result that may be a question instead. */
  const answer = <A extends object>(decode: Decoder<A>): Decoder<A | Results.InputRequired> => {
    const whole = complete(decode)
    return (json) =>
      features.resultType && isObject(json) && json["resultType"] === "input_required"
        ? inputRequired(json)
        : whole(json)
  }
  return {
    ...common,
    toolPage: complete(cacheable(Listing.ToolPage)),
    resourcePage: complete(cacheable(Listing.ResourcePage)),
    resourceTemplatePage: complete(cacheable(Listing.ResourceTemplatePage)),
    promptPage: complete(cacheable(Listing.PromptPage)),
    callToolResult: answer(of(Results.CallToolResult)),
    readResourceResult: answer(cacheable(Results.ReadResourceResult)),
    getPromptResult: answer(of(Results.GetPromptResult)),
    completeResult: complete(of(Results.CompleteResult)),
    initializeResult: complete(of(Results.InitializeResult)),
    discoverResult: complete(cacheable(Results.DiscoverResult)),
    /** Any object that says nothing in particular. */
    emptyResult: complete(of(Schema.JsonObject))
  }
}
