import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import * as Envelope from "../../src/wire/Envelope.ts"
import * as Revision from "../../src/wire/Revision.ts"

const key = (name: string): string => `io.modelcontextprotocol/${name}`

const whole: Schema.JsonObject = {
  [key("protocolVersion")]: Revision.latest,
  [key("clientCapabilities")]: { elicitation: {} },
  [key("clientInfo")]: { name: "c", version: "1" },
  [key("logLevel")]: "warning"
}

describe("Envelope", () => {
  it("makes a request with one of its keys modern, and leaves the others legacy", () => {
    for (const params of [undefined, {}, [1], { _meta: {} }, { _meta: null }, { _meta: { progressToken: 1 } }]) {
      assert.isUndefined(Envelope.readEnvelope(params))
    }
    for (const name of Object.keys(whole)) {
      assert.notStrictEqual(Envelope.readEnvelope({ _meta: { [name]: whole[name]! } }), undefined)
    }
  })

  it("reads what the request says of itself", () => {
    assert.deepStrictEqual(Envelope.readEnvelope({ name: "t", _meta: whole }), {
      _tag: "Envelope",
      protocolVersion: Revision.latest,
      clientCapabilities: { elicitation: { form: {} } },
      clientInfo: { name: "c", version: "1" },
      logLevel: "warning"
    })
  })

  it("names every key that a request must have and lacks", () => {
    assert.deepStrictEqual(Envelope.readEnvelope({ _meta: { [key("logLevel")]: "info" } }), {
      _tag: "MissingKeys",
      keys: [key("protocolVersion"), key("clientCapabilities")],
      requested: undefined
    })
    const { [key("clientCapabilities")]: _, ...less } = whole
    assert.deepStrictEqual(Envelope.readEnvelope({ _meta: less }), {
      _tag: "MissingKeys",
      keys: [key("clientCapabilities")],
      requested: Revision.latest
    })
    assert.deepStrictEqual(Envelope.absent.keys, [key("protocolVersion"), key("clientCapabilities")])
  })

  it.each(["2030-01-01", Revision.latestLegacy, "", "constructor"])("refuses as its revision %j", (requested) => {
    assert.deepStrictEqual(Envelope.readEnvelope({ _meta: { ...whole, [key("protocolVersion")]: requested } }), {
      _tag: "UnsupportedRevision",
      requested
    })
  })

  it.each<[string, Schema.Json]>([
    ["protocolVersion", 1],
    ["protocolVersion", null],
    ["clientCapabilities", null],
    ["clientCapabilities", { roots: true }],
    ["clientInfo", { name: "c" }],
    ["clientInfo", null],
    ["logLevel", "loud"],
    ["logLevel", null]
  ])("refuses a %s of %j, and says where it stands", (name, value) => {
    const read = Envelope.readEnvelope({ _meta: { ...whole, [key(name)]: value } })
    assert.strictEqual(read?._tag, "Malformed")
    assert.deepStrictEqual(read?._tag === "Malformed" ? read.issue.issues[0]?.path : [], ["_meta", key(name)])
  })

  it("is written beside what stands in _meta, and read again", () => {
    const envelope = Envelope.make({ protocolVersion: Revision.latest, clientCapabilities: {}, logLevel: "error" })
    const params = Envelope.writeEnvelope({ name: "t", _meta: { progressToken: 1 } }, envelope)
    assert.deepStrictEqual(params, { name: "t", _meta: { progressToken: 1, ...envelope } })
    assert.isFalse(Object.hasOwn(envelope, key("clientInfo")))
    const read = Envelope.readEnvelope(Envelope.writeEnvelope(undefined, envelope))
    assert.strictEqual(read?._tag === "Envelope" ? read.logLevel : undefined, "error")
  })

  it("finds the server of a result where it says who it is", () => {
    const info = { name: "s", version: "1", novel: true }
    assert.deepStrictEqual<unknown>(Envelope.serverOf({ _meta: { [key("serverInfo")]: info } }), info)
    assert.isUndefined(Envelope.serverOf({ _meta: { [key("serverInfo")]: "s" } }))
    assert.isUndefined(Envelope.serverOf({}))
  })
})
