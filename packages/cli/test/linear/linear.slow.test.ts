/** Every function of a foreign text takes linear time, whatever the text is. */
import { assert, describe, it } from "@effect/vitest"
import * as Digits from "@parley/contract/Digits"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { Access, Cors, EventStream, MediaType, RequestRules } from "@parley/http/shared"
import { AnswerReader } from "@parley/http/shared/client"
import * as JsonSchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Skill from "@parley/mcp-apps/Skill"
import * as HeaderValue from "@parley/mcp/http/HeaderValue"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpTool from "@parley/mcp/McpTool"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import * as TokenVerifier from "@parley/oauth/TokenVerifier"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import * as Batch from "@parley/protocol/Batch"
import type * as Dialect from "@parley/protocol/Dialect"
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import { Envelope, ExactNumber, Excerpt, RequestId, SourceText, Splice, Weight } from "@parley/protocol/shared"
import { Recorder, Redaction } from "@parley/traffic"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Logger, Result, Schema } from "effect"
import * as digits from "../../../contract/src/internal/codec/digits.ts"
import * as lenient from "../../../contract/src/internal/codec/lenient.ts"
import * as Pattern from "../../../json-schema/src/internal/pattern/pattern.ts"
import { Steps } from "../../../json-schema/src/internal/Steps.ts"
import * as Frontmatter from "../../../mcp-apps/src/internal/skill/frontmatter.ts"
import * as Location from "../../../mcp-apps/src/internal/skill/location.ts"
import * as ResultReader from "../../../mcp/src/internal/client/negotiation/ResultReader.ts"
import * as uriTemplate from "../../../mcp/src/internal/server/feature/uriTemplate.ts"
import * as TraceContext from "../../../middleware/src/internal/TraceContext.ts"
import * as Challenge from "../../../oauth/src/internal/client/Challenge.ts"
import * as jws from "../../../oauth/src/internal/server/jws.ts"
import * as json from "../../../transport/src/internal/json.ts"
import * as words from "../../src/internal/arguments/words.ts"
import * as Endpoint from "../../src/internal/Endpoint.ts"
import * as content from "../../src/internal/mcp/content.ts"
import * as extension from "../../src/internal/mcp/files/extension.ts"
import * as listing from "../../src/internal/mcp/offer/listing.ts"
import * as ambiguity from "../../src/internal/proxy/ambiguity.ts"
import { Story } from "../../src/internal/tap/Story.ts"
import * as Place from "../../src/internal/wire/Place.ts"
import { growth } from "./growth.ts"
import {
  eventShapes,
  framingShapes,
  jsonShapes,
  misfittingShapes,
  numberShapes,
  settingShapes,
  type Shape,
  textOf,
  wordShapes
} from "./shapes.ts"

/** One beyond what any of the texts has, so that nothing is refused for its size alone. */
const limits = Limits.make({ frame: 2 ** 25, header: 2 ** 25, batch: 2 ** 25, depth: 2 ** 24 })

type Function = (text: string) => unknown

const ids = (text: string): Result.Result<RequestId.RequestId | undefined, unknown> =>
  Result.try(() => RequestId.fromParsed(JSON.parse(text), () => text))

const parsed = (text: string): unknown => Result.getOrUndefined(Result.try(() => JSON.parse(text)))

/** The declarations of the packages leave out what is internal; it is here as the sources have it. */
const { matcher } = uriTemplate as unknown as { readonly matcher: (template: string) => Function }
const { keeper } = digits as unknown as { readonly keeper: (schema: Schema.Top) => (json: unknown) => unknown }
const { reader } = lenient as unknown as {
  readonly reader: (
    options: { readonly elements: "drop" | "refuse" }
  ) => (schema: Schema.Top, what: string) => (json: unknown) => Effect.Effect<unknown, unknown>
}
const readResult = (ResultReader as unknown as {
  readonly lenient: (log: () => void) => (method: string, decode: unknown, json: unknown) => unknown
}).lenient(() => {})
const { decode } = RevisionCodec.latest
const { read: traceOf } = TraceContext as unknown as {
  readonly read: (place: Dialect.TraceContext, json: Schema.Json) => unknown
}

const resources = McpResource.template("file:///{+path}{?q}", { name: "files" }, () => Effect.succeed(""))
const uriOf = matcher("files:///{+path}/{name}.{extension}{?query*}")
/** More than any text here takes, so that none is left undecided. */
const manySteps = () => new Steps(2 ** 40)

/** Tests that run in linear time whatever the text is. */
const ofPattern = (source: string): Function => {
  const pattern = Pattern.make(source, manySteps())
  if (typeof pattern === "string") throw new Error(pattern)
  return (text) => pattern.test(text, manySteps())
}

/** Holds what a text is against a schema: as a value, as names of members, and as its items. */
const holds = (schema: Schema.Json): Function => {
  const check = JsonSchemaCheck.make(schema)
  return (text) => {
    const words = text.split(" ")
    return [text, words, Object.fromEntries(words.map((word) => [word, word]))]
      .map((value) => check(value, manySteps()))
  }
}
const gate = RequestRules.make({ limits })

const admitted = (headers: { readonly [name: string]: string }) =>
  gate.admit({
    method: "POST",
    url: "/",
    address: "127.0.0.1",
    header: (name) => ({ host: "localhost", "content-type": "application/json", ...headers })[name]
  })

const cors = Cors.make({ origins: ["http://localhost"] }, ["POST"])
const open = Cors.make({ origins: "any" }, ["POST"])
const forwarded = HttpEndpoint.clientAddress({ trusted: ["0.0.0.0/0", "::/0"], header: "forwarded" })
const forwardedFor = HttpEndpoint.clientAddress({ trusted: ["0.0.0.0/0", "::/0"], header: "x-forwarded-for" })

const headOf = (text: string): Handshake.Head => ({
  method: "OPTIONS",
  url: text,
  header: (name) => name === "origin" ? "http://localhost" : text,
  address: undefined
})

const { headerOf } = jws as unknown as {
  readonly headerOf: (
    text: string,
    allowed: { readonly algorithms: ReadonlyArray<string>; readonly types: ReadonlyArray<string> }
  ) => unknown
}
const resource = ResourceServer.make({
  resource: "https://mcp.example.org/mcp",
  verifier: { issuers: [], verify: () => Effect.fail(TokenVerifier.refused("Malformed")) }
})
const authorized = (text: string) => Effect.runSync(Effect.exit(resource.authorize(headOf(text))))

const traceparent = `00-${"1".repeat(32)}-${"1".repeat(16)}-01`
const traceContext: Dialect.TraceContext = { in: "message", path: ["_meta"] }

const exactly = (schema: Schema.Codec<unknown, unknown>): Function => {
  const keep = keeper(schema)
  const decode = Schema.decodeUnknownExit(Schema.toCodecJson(schema))
  return (text) => decode(keep(ExactNumber.parseUnsafe(text)))
}

interface Item {
  readonly name?: string
  readonly by?: { readonly [name: string]: number }
  readonly in?: ReadonlyArray<Item>
}

const Item: Schema.Codec<Item> = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  by: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)),
  in: Schema.optionalKey(Schema.Array(Schema.suspend(() => Item)))
})

/** Reads what of these items fits. */
const leniently = (elements: "drop" | "refuse"): Function => {
  const read = reader({ elements })(Schema.Array(Item), "an item")
  return (text) => Effect.runSync(Effect.provide(Effect.exit(read(parsed(text))), Logger.layer([])))
}

const told: Function = (text) =>
  new Story({ ...limits, waiting: 8 }).tell({ _tag: "Received", connection: 1, time: 0, text })

/** A tool reads arguments, and says of those that it does not have which were meant. */
const called = McpTool.make(
  "t",
  { params: { a: Schema.optionalKey(Schema.String), userId: Schema.optionalKey(Schema.Int) } },
  () => Effect.succeed("")
).bind(Context.empty())

const call: Function = (text) => {
  const args = parsed(text)
  // A tool gets objects only; the handler does not look at its call.
  const given = typeof args === "object" && args !== null && !Array.isArray(args) ? args : { [text]: 1 }
  return Effect.runSync(Effect.exit(called(given as Schema.JsonObject, undefined as never)))
}

const onJson: Readonly<Record<string, Function>> = {
  "Message.decode": (text) => Message.decode(text, limits),
  "Batch.decode": (text) => Batch.decode(text, limits),
  "Batch.decode, within the usual depth": (text) => Batch.decode(text, { ...limits, depth: 512 }),
  "Batch.finite": (text) => Batch.finite(Batch.decode(text, limits), text),
  "Splice.mapIds": (text) => Splice.mapIds(text, () => "1"),
  "Splice.parts": Splice.parts,
  "Splice.names": Splice.names,
  "the ambiguity of names": (text) =>
    parsed(text) === undefined || Splice.names(text).map((names) => ambiguity.of(names)),
  "SourceText.scan": (text) => {
    SourceText.scan(text)
    const response = `{"jsonrpc":"2.0","id":1,"result":${text}}`
    const json = parsed(response)
    return json === undefined ? undefined : SourceText.keep(SourceText.scan(response), Object(json).result)
  },
  "Weight.ofText": Weight.ofText,
  "Envelope.ofText": Envelope.ofText,
  "RequestId.fromParsed": ids,
  "RequestId.keyOf": (text) => Result.map(ids(text), (id) => id === undefined ? "" : RequestId.keyOf(id)),
  "Excerpt.lines": Excerpt.lines,
  "a posted value": (text) => json.textOf(parsed(text), 2 ** 25),
  "Recorder.fromLine": Recorder.fromLine,
  "HeaderValue.headersOf": (text) => HeaderValue.headersOf((parsed(text) ?? null) as Schema.Json),
  "OpenRpcDocument.decode": (text) => OpenRpc.decode(parsed(text)),
  "what a tap tells": told,
  "the arguments of a tool": call
}

const ifJson = (run: Function): Function => (text) => parsed(text) === undefined ? undefined : run(text)

const onNumbers: Readonly<Record<string, Function>> = {
  "ExactNumber.parseUnsafe": ifJson(ExactNumber.parseUnsafe),
  "Digits.BigInteger": ifJson(exactly(Schema.Array(Digits.BigInteger))),
  "Digits.Int64": ifJson(exactly(Schema.Array(Digits.Int64))),
  "Digits.Decimal": ifJson(exactly(Schema.Array(Digits.Decimal))),
  "Digits.Text": ifJson(exactly(Schema.Array(Digits.Text))),
  "digits that no Schema asks for": ifJson(exactly(Schema.Json))
}

const onMisfits: Readonly<Record<string, Function>> = {
  "ResultReader.lenient of entries": (text) => readResult("tools/list", decode.toolPage, { tools: parsed(text) }),
  "ResultReader.lenient of a page": (text) => readResult("tools/list", decode.toolPage, parsed(text)),
  "a contract that drops elements": leniently("drop"),
  "a contract that refuses elements": leniently("refuse")
}

const onWords: Readonly<Record<string, Function>> = {
  "Excerpt.line": Excerpt.line,
  "MediaType.isJson": MediaType.isJson,
  "MediaType.isUtf8": MediaType.isUtf8,
  "MediaType.essenceOf": MediaType.essenceOf,
  "MediaType.acceptsEvents": MediaType.acceptsEvents,
  "EventStream.encode": EventStream.encode,
  "EventStream.encodeFields": (text) => EventStream.encodeFields({ data: text, id: text, event: text }),
  "AnswerReader.make": (text) =>
    AnswerReader.make(
      { status: 200, contentType: text, contentEncoding: undefined, contentLength: text },
      limits.frame
    ),
  "Access.make, of a host": (text) => Access.make({}, true)({ host: text }),
  "Access.make, of an origin": (text) =>
    Access.make({ origins: "loopback" }, true)({ host: "localhost", origin: text }),
  "ClientAddress.reader, of Forwarded": (text) => forwarded({ address: "127.0.0.1", header: () => text }),
  "ClientAddress.reader, of X-Forwarded-For": (text) => forwardedFor({ address: "127.0.0.1", header: () => text }),
  "Handshake.cookiesOf": (text) => Handshake.cookiesOf(headOf(text)),
  "Handshake.protocolsOf": (text) => Handshake.protocolsOf(headOf(text)),
  "Handshake.pathOf": (text) => Handshake.pathOf(headOf(text)),
  "Handshake.hostOf": (text) => Handshake.hostOf(headOf(text)),
  "Handshake.queryOf": (text) => Handshake.queryOf(headOf(text)),
  "Cors.make, of an origin": (text) => [cors.admits(text), cors.headersOf({ ...headOf(""), header: () => text })],
  "Cors.make, of a preflight": (text) => [cors.preflight(headOf(text)), open.preflight(headOf(text))],
  "a traceparent": (text) => traceOf(traceContext, { _meta: { traceparent: text } }),
  "a traceparent with more": (text) =>
    traceOf(traceContext, { _meta: { traceparent: `01-${text}-${"1".repeat(16)}-01-${text}` } }),
  "a tracestate": (text) => traceOf(traceContext, { _meta: { traceparent, tracestate: text } }),
  "RequestRules, of a content type": (text) => admitted({ "content-type": text }),
  "RequestRules, of an origin": (text) => admitted({ origin: text }),
  "RequestRules, of a host": (text) => admitted({ host: text }),
  "Challenge.ofToken": (text) => Challenge.ofToken(text.slice(0, 16_384)),
  "ResourceServer.authorize": (text) => authorized(text),
  "ResourceServer.authorize with a bearer's token": (text) => authorized(`Bearer ${text}`),
  "the header of a signed token": (text) => headerOf(text, { algorithms: ["ES256"], types: [""] }),
  "the header of a signed token with other parts": (text) =>
    headerOf(`${text}.${text}.${text}`, { algorithms: ["ES256"], types: [""] }),
  "HeaderValue.decode": HeaderValue.decode,
  "HeaderValue.encode": HeaderValue.encode,
  "HeaderValue.matches": (text) => HeaderValue.matches(text, text),
  "the frontmatter of a skill": (text) => Frontmatter.read(`---\n${text.slice(0, 16_384)}\n---`),
  "a skill without frontmatter": (text) => Frontmatter.read(`---\n${text}`),
  "the entry of a skill": (text) =>
    Skill.decode({ uri: `skill://${text}/SKILL.md`, frontmatter: { name: text, description: text }, resources: [] }),
  "a file of a skill": (text) => Location.isWithin("skill://a", `skill://a/${text}`),
  "a resource template": resources.match,
  "an entry of a list": (text) =>
    listing.sectionsOf({ tools: [{ name: text, description: text, inputSchema: { type: "object" } }] })
      .map(({ entries }) => [listing.tree(entries), listing.tree(entries, { margin: "", width: 80, coloured: true })]),
  "a URI template": uriOf,
  "a pattern of a schema": (text) => Pattern.make(text.slice(0, 4_096), manySteps()),
  "a text for a pattern": ofPattern("^[a-z]*(?:ab)?c$"),
  "a text for a pattern that repeats": ofPattern("(?:[a-z]+,? ?)*(a|a)*=$"),
  "a text for a pattern that looks around": ofPattern("(?<=a *)(?!.*(?:=[^=]*)*x)[^]*x"),
  "a schema of a text": holds({ type: "string", minLength: 3, maxLength: 40_000, pattern: "^a", enum: ["a"] }),
  "a schema of items": holds({ uniqueItems: true, contains: { const: "x" }, unevaluatedItems: { maxLength: 5 } }),
  "a schema of members": holds({
    propertyNames: { pattern: "^[^=]+$" },
    patternProperties: { "^(?:[a-z]+-?)+$": true },
    unevaluatedProperties: { type: "string" }
  }),
  "a schema": (text) => JsonSchemaCheck.make(parsed(text) as Schema.Json, manySteps()),
  "a schema's references": (text) =>
    JsonSchemaCheck.make({ $ref: `#/${text}`, $id: text }, manySteps())(1, manySteps()),
  "Redaction.text of words": Redaction.text,
  "words of a command line": words.split,
  "the ending of a file": extension.ofType,
  "Endpoint.fromText": Endpoint.fromText,
  "Endpoint.withoutSecrets": Endpoint.withoutSecrets,
  "Place.fromText": Place.fromText,
  "content that is text": (text) => content.block({ type: "text", text }),
  "content that is a picture": (text) => content.block({ type: "image", data: text, mimeType: text })
}

const encoder = new TextEncoder()

/** All bytes in chunks of this size, and the end. */
const split = (framing: Framing.Framing, chunk: number): Function => (text) => {
  const bytes = encoder.encode(text)
  const splitter = framing.splitter(limits)
  for (let at = 0; at < bytes.length; at += chunk) splitter.push(bytes.subarray(at, at + chunk))
  return splitter.end()
}

const decodeEvents = (chunk: number): Function => (text) => {
  const bytes = encoder.encode(text)
  const decoder = EventStream.makeEventDecoder(limits.frame)
  for (let at = 0; at < bytes.length; at += chunk) {
    if (typeof decoder.push(bytes.subarray(at, at + chunk)) === "string") return
  }
}

const whole = 2 ** 30

const onBytes: Readonly<Record<string, Function>> = Object.fromEntries(
  [Framing.line, Framing.contentLength, Framing.concatenated, Framing.none].flatMap((framing) =>
    (framing === Framing.none ? [whole] : [whole, 997, 7]).map((chunk) => [
      `Framing.${framing.name} ${chunk === whole ? "at once" : `by ${chunk}`}`,
      split(framing, chunk)
    ])
  )
)

const onEvents: Readonly<Record<string, Function>> = {
  "EventStream.makeEventDecoder at once": decodeEvents(whole),
  "EventStream.makeEventDecoder by 997": decodeEvents(997),
  "EventStream.makeEventDecoder by 7": decodeEvents(7)
}

const measured = (all: Readonly<Record<string, Function>>, shapes: ReadonlyArray<Shape>) => {
  for (const [name, run] of Object.entries(all)) {
    it(name, () => {
      for (const shape of shapes) {
        const grown = growth((size) => {
          const text = textOf(shape, size)
          return () => run(text)
        })
        assert.isUndefined(grown, `${JSON.stringify(shape)} takes ${grown} times as long where it is 16 times as long`)
      }
    })
  }
}

describe("linear in the length of JSON", () => {
  measured(onJson, jsonShapes)
  measured({ "Redaction.text": Redaction.text }, [...jsonShapes, ...settingShapes])
})

describe("linear in the length of numbers", () => {
  measured(onNumbers, numberShapes)
})

describe("linear in the length of what does not fit", () => {
  measured(onMisfits, misfittingShapes)
})

describe("linear in the length of words", () => {
  measured(onWords, wordShapes)
})

describe("linear in the length of streams", () => {
  measured(onBytes, framingShapes)
})

describe("linear in the length of events", () => {
  measured(onEvents, eventShapes)
})

describe("the measurement", () => {
  it("finds what is quadratic", () => {
    assert.isDefined(growth((size) => {
      // Long enough that its sixteenth is no noise.
      const text = "x".repeat(size / 2)
      return () => {
        let found = 0
        for (let from = 0; from < text.length; from++) {
          for (let at = from; at < text.length; at++) if (text.charCodeAt(at) === from) found++
        }
        return found
      }
    }))
  })

  it("finds nothing in what is linear", () => {
    assert.isUndefined(growth((size) => {
      const text = JSON.stringify(Array.from({ length: size / 8 }, (_, at) => ({ at })))
      return () => JSON.parse(text)
    }))
  })
})
