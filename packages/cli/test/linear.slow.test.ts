/** Every function of a foreign text takes linear time, whatever the text is. */
import { assert, describe, it } from "@effect/vitest"
import * as AnswerReader from "@parley/http/AnswerReader"
import * as EventStream from "@parley/http/EventStream"
import * as MediaType from "@parley/http/MediaType"
import * as RequestRules from "@parley/http/RequestRules"
import * as HeaderValue from "@parley/mcp/http/HeaderValue"
import * as OpenRpcDocument from "@parley/openrpc/OpenRpcDocument"
import * as Batch from "@parley/protocol/Batch"
import * as Envelope from "@parley/protocol/Envelope"
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import * as Excerpt from "@parley/protocol/text/Excerpt"
import * as Splice from "@parley/protocol/text/Splice"
import * as Weight from "@parley/protocol/text/Weight"
import * as Access from "@parley/transport/host/Access"
import * as Recorder from "@parley/transport/traffic/Recorder"
import { Result } from "effect"
import * as JsonSchemaCheck from "../../mcp/src/internal/schema/check.ts"
import * as Pattern from "../../mcp/src/internal/schema/pattern.ts"
import * as uriTemplate from "../../mcp/src/internal/server/definition/uriTemplate.ts"
import * as json from "../../transport/src/internal/json.ts"
import * as Endpoint from "../src/Endpoint.ts"
import * as words from "../src/internal/arguments/words.ts"
import * as content from "../src/internal/mcp/content.ts"
import * as ambiguity from "../src/internal/proxy/ambiguity.ts"
import * as Place from "../src/internal/wire/Place.ts"
import { growth } from "./growth.ts"

/** A text of about so many characters: the unit again and again, between a beginning and an end. */
interface Shape {
  readonly begin: string
  readonly unit: string
  readonly end: string
}

const textOf = ({ begin, end, unit }: Shape, size: number): string =>
  begin + unit.repeat(Math.ceil(size / unit.length)) + end

const shapes = (begins: ReadonlyArray<string>, units: ReadonlyArray<string>, ends: ReadonlyArray<string>) =>
  begins.flatMap((begin) => units.flatMap((unit) => ends.map((end): Shape => ({ begin, unit, end }))))

/** Texts that are JSON, nearly, or not at all. */
const jsonShapes = [
  ...shapes(
    ["", `{"jsonrpc":"2.0","id":1,"method":"m","params":[`],
    [
      "[",
      "{",
      `{"a":`,
      "[]",
      "{},",
      `"",`,
      "1,",
      "1",
      "9e9",
      `"\\\\`,
      "\\",
      "\"",
      " ",
      "\n",
      ",",
      ":",
      "\u0000",
      "é",
      "x"
    ],
    [""]
  ),
  ...shapes([`{"jsonrpc":"2.0","id":1,"method":"m","params":[`], ["{},", "1,", `"a",`, `{"a":1},`, "[[]],"], ["1]}"]),
  ...shapes([`{"jsonrpc":"2.0","id":1,"method":"m","params":{`], [`"":1,`, `"id":1,`, `"\\u0069d":1,`], [`"z":1}}`]),
  ...shapes([`{"jsonrpc":"2.0","method":"m",`], [`"id":1,`, `"id":1.0,`, `"a":1,`, `"\\u0069d":[],`], [`"id":1.0}`]),
  ...shapes([`{"jsonrpc":"2.0","id":`], ["1", "0"], [`,"method":"m"}`, `e9,"method":"m"}`, ""]),
  ...shapes([`{"jsonrpc":"2.0","id":"`, `{"jsonrpc":"2.0","id":1,"method":"`, `"`], [
    "x",
    "\\\\",
    "\\u0041",
    "\\\"",
    "id\\\""
  ], [
    `","method":"m"}`,
    ""
  ]),
  ...shapes(["["], [
    `{"jsonrpc":"2.0","id":1.0,"method":"m"},`,
    `{"jsonrpc":"2.0","id":"\\u0041","result":{}},`,
    `{"jsonrpc":"2.0","method":"m","params":[1e999]},`,
    "[],",
    "1,"
  ], [`1]`, ""]),
  ...shapes([`{"a":`], [`{"a":`, "["], [`1${"}".repeat(99)}`])
]

/** Texts of headers, command lines, URLs and prose. */
const wordShapes = shapes(
  ["", "a", "http://", "=?base64?"],
  [
    " ",
    "\t",
    "=",
    "a",
    "/",
    ",",
    ";",
    "\"",
    "'",
    "\\",
    ":",
    "?",
    "@",
    "%41",
    "1",
    ".",
    "\r\n",
    "a ",
    " =",
    "; q=1",
    "\u001b"
  ],
  ["", "x", "?="]
)

const eventShapes = shapes(
  ["", "data: ", ": ", "id: "],
  ["a", "\n", "\r", "data:\n", "data: a\n\n", "id: 1\r\n", ":\n", "event: x\n", "retry: 1\n", "\u00e9"],
  ["", "\n\n"]
)

/** One beyond what any of the texts has, so that nothing is refused for its size alone. */
const limits = Limits.make({ frame: 2 ** 25, header: 2 ** 25, batch: 2 ** 25, depth: 2 ** 24 })

type Function = (text: string) => unknown

const ids = (text: string): Result.Result<RequestId.RequestId | undefined, unknown> =>
  Result.try(() => RequestId.fromParsed(JSON.parse(text), () => text))

const parsed = (text: string): unknown => Result.getOrUndefined(Result.try(() => JSON.parse(text)))

/** The declarations of the package leave out what is internal. */
const { matcher } = uriTemplate as unknown as { readonly matcher: (template: string) => Function } // As its source has it.

const uriOf = matcher("files:///{+path}/{name}.{extension}{?query*}")
const pattern = Pattern.make("^[a-z]*(?:ab)?c$")
const gate = RequestRules.make({ limits })

const admitted = (headers: { readonly [name: string]: string }) =>
  gate.admit({
    method: "POST",
    url: "/",
    address: "127.0.0.1",
    header: (name) => ({ host: "localhost", "content-type": "application/json", ...headers })[name]
  })

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
  "Weight.ofText": Weight.ofText,
  "Envelope.ofText": Envelope.ofText,
  "RequestId.fromParsed": ids,
  "RequestId.keyOf": (text) => Result.map(ids(text), (id) => id === undefined ? "" : RequestId.keyOf(id)),
  "Excerpt.lines": Excerpt.lines,
  "a posted value": (text) => json.textOf(parsed(text), 2 ** 25),
  "Recorder.fromLine": Recorder.fromLine,
  "OpenRpcDocument.decode": (text) => OpenRpcDocument.decode(parsed(text))
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
  "RequestRules, of a content type": (text) => admitted({ "content-type": text }),
  "RequestRules, of an origin": (text) => admitted({ origin: text }),
  "RequestRules, of a host": (text) => admitted({ host: text }),
  "HeaderValue.decode": HeaderValue.decode,
  "HeaderValue.encode": HeaderValue.encode,
  "a URI template": uriOf,
  "a pattern of a schema": (text) => Pattern.make(text).test("a"),
  "a text that a pattern is for": pattern.test,
  "a schema's value": JsonSchemaCheck.make({ type: "string", minLength: 3, pattern: "^a" }),
  "words of a command line": words.split,
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

const framingShapes = [
  ...jsonShapes,
  ...shapes(["", "Content-Length: "], [
    "a: b\r\n",
    "Content-Length: 1\r\n",
    "1",
    "a",
    ":",
    "GET",
    "Content-Length: 2\r\n\r\n{}"
  ], ["", "\r\n\r\n"]),
  ...shapes(["GET /"], ["x", " ", "\ufeff"], ["", " HTTP/1.1\r\n"])
]

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
      const text = "x".repeat(size / 4)
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
