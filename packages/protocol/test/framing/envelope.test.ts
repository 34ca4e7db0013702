/** What a frame that is not kept says about itself, against the decoder. */
import { assert, describe, it } from "@effect/vitest"
import { Mutation } from "@parley/conformance/shared"
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import { Result } from "effect"
import { Envelope, envelopeOf } from "../../src/internal/framing/envelope.ts"
import { bytes } from "./framings.ts"

interface Told {
  readonly kind: string | undefined
  readonly id: string | undefined
}

/** What the decoder makes of a text. The id of a response is its value there, so only its key is compared. */
const expected = (message: Message.Message): Told => {
  switch (message._tag) {
    case "Request":
      return { kind: "request", id: RequestId.toText(message.id) }
    case "Notification":
      return { kind: "notification", id: undefined }
    default:
      return { kind: "response", id: RequestId.keyOf(message.id) }
  }
}

const keyed = ({ id, kind }: ReturnType<typeof envelopeOf>): Told =>
  kind !== "response" || id === undefined
    ? { kind, id }
    : { kind, id: RequestId.keyOf(RequestId.fromResponse(JSON.parse(id), () => id) ?? null) }

describe("Envelope", () => {
  it.prop("a message is what the decoder makes of it", [Mutation.members], ([members]) => {
    const text = Mutation.textOf(members)
    const decoded = Message.decode(text)
    // Of two ids with equal values in different spellings the decoder may give either.
    if (Result.isFailure(decoded) || text.split(`"id":`).length > 2) return
    assert.deepStrictEqual(keyed(envelopeOf(bytes(text))), expected(decoded.success))
  }, { arbitrary: { runs: 500 } })

  it.prop("nothing throws, whatever is read", [Mutation.text], ([text]) => {
    assert.isObject(envelopeOf(bytes(text)))
  })

  it("whatever blanks stand beside an id, it is told", () => {
    const blanks = " \t\r\n".repeat(99)
    const ofText = (text: string) => envelopeOf(bytes(text.replaceAll("_", blanks)))
    assert.deepStrictEqual(ofText(`_{_"id"_:_1_,_"method"_:_"m"_}`), { kind: "request", id: "1" })
    assert.deepStrictEqual(ofText(`{"method":"m","id"_:_"a"_}`), { kind: "request", id: `"a"` })
    assert.deepStrictEqual(ofText(`{"id":1_2,"method":"m"}`), { kind: "request" })
  })

  it.each([
    [`{"id":1,"method":"m"}`, { kind: "request", id: "1" }],
    [` {"id":1.0 ,"method":"m"} `, { kind: "request", id: "1.0" }],
    [`{"id":"\\u0061\\"","method":"m"}`, { kind: "request", id: `"\\u0061\\""` }],
    [`{"\\u0069d":1,"m\\u0065thod":"m"}`, { kind: "request", id: "1" }],
    [`{"id":1,"method":"m","id":2}`, { kind: "request", id: "2" }],
    [`{"id":{"id":1},"method":"m"}`, { kind: "request" }],
    [`{"id":true,"method":"m"}`, { kind: "request" }],
    [`{"id":1 2,"method":"m"}`, { kind: "request" }],
    [`{"id":"${"x".repeat(254)}","method":"m"}`, { kind: "request", id: `"${"x".repeat(254)}"` }],
    [`{"id":"${"x".repeat(255)}","method":"m"}`, { kind: "request" }],
    [`{"method":"m"}`, { kind: "notification" }],
    [`{"method":"m","${"x".repeat(99)}":{"id":1}}`, { kind: "notification" }],
    [`{"result":1,"id":"a"}`, { kind: "response", id: `"a"` }],
    [`{"error":1,"id":null}`, { kind: "response", id: "null" }],
    [`{"error":1}`, { kind: "response" }],
    [`{"id":1}`, {}],
    [`{"params":{"method":"m","id":1}}`, {}],
    [`[{"method":"m","id":1}]`, { firstKind: "request" }],
    [`[ {"id":1,"result":[{"method":"m"}]},{"method":"m"}]`, { firstKind: "response" }],
    [`[1,{"method":"m"}]`, {}],
    [`[[{"method":"m"}]]`, {}],
    [`{"method":"m","id":1}{}`, {}],
    [`{x"method":"m","id":1}`, {}],
    [`{"method":"m",x"id":1}`, { kind: "notification" }],
    [`"method"`, {}],
    [``, {}]
  ])("%s", (text, outcome) => {
    const all = bytes(text)
    for (let cut = 0; cut <= all.length; cut++) {
      const envelope = new Envelope()
      envelope.push(all, 0, cut)
      envelope.push(all, cut, all.length)
      assert.deepStrictEqual(envelope.outcome(), outcome)
    }
  })
})
