/** Values at the edges of what the modules tell apart. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Batch from "../src/Batch.ts"
import * as Framing from "../src/Framing.ts"
import * as Limits from "../src/Limits.ts"
import * as Message from "../src/Message.ts"
import * as ErrorCode from "../src/shared/ErrorCode.ts"
import * as ErrorObject from "../src/shared/ErrorObject.ts"
import * as Splice from "../src/shared/text/Splice.ts"
import { bytes, frames, invalidUtf8, raw, tooLarge } from "./framing/framings.ts"

const text = (chunk: Uint8Array): string => new TextDecoder().decode(chunk)

describe("messages", () => {
  const decoded = (text: string, options?: Message.DecodeOptions) => Message.decode(text, options)

  it("an error that names no request is general, and nothing else is", () => {
    const isGeneral = (text: string) => Batch.isGeneral(decoded(text))
    assert.isTrue(isGeneral(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`))
    assert.isFalse(isGeneral(`{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":""}}`))
    assert.isFalse(isGeneral(`{"jsonrpc":"2.0","id":null,"result":1}`))
    assert.isFalse(isGeneral(`{"jsonrpc":"2.0","id":null,"method":"a"}`))
    assert.isFalse(isGeneral(`{"jsonrpc":"2.0","method":"a"}`))
    assert.isFalse(isGeneral(`{`))
  })

  it("a message without method, result and error is empty, and one that breaks another rule is not", () => {
    const isEmpty = (text: string) => {
      const result = decoded(text)
      assert.isTrue(Result.isFailure(result))
      return Result.isFailure(result) && result.failure._tag === "InvalidRequest" && Message.isEmpty(result.failure)
    }
    assert.isTrue(isEmpty(`{"jsonrpc":"2.0","id":1}`))
    assert.isFalse(isEmpty(`{"jsonrpc":"2.0","id":1,"method":2}`))
  })

  it("a call with id null is a request, a notification or refused, as the dialect has it; other ids are requests", () => {
    const tagOf = (id: string, nullId: "request" | "notification" | "refuse") =>
      Result.match(decoded(`{"jsonrpc":"2.0","id":${id},"method":"a"}`, { nullId }), {
        onFailure: ({ _tag }) => _tag,
        onSuccess: ({ _tag }) => _tag
      })
    assert.strictEqual(tagOf("null", "request"), "Request")
    assert.strictEqual(tagOf("null", "notification"), "Notification")
    assert.strictEqual(tagOf("null", "refuse"), "InvalidRequest")
    for (const nullId of ["request", "notification", "refuse"] as const) {
      assert.strictEqual(tagOf("0", nullId), "Request")
    }
  })

  it("extra members that are none change nothing, and those with one named member are refused", () => {
    const plain = `{"jsonrpc":"2.0","id":1,"method":"a"}`
    assert.strictEqual(Message.requestText("1", "a", undefined, {}), plain)
    const is = Schema.is(Message.Request)
    assert.isTrue(is({ _tag: "Request", id: 1, method: "a", extra: { more: 1 } }))
    assert.isFalse(is({ _tag: "Request", id: 1, method: "a", extra: { more: 1, params: [] } }))
  })

  it("an id with any digits is read from a text that holds one message, as from a batch", () => {
    const call = `{"jsonrpc":"2.0","id":12345678901234567890123,"method":"a"}`
    const read = Batch.decode(call)
    assert.isFalse(Batch.isMembers(read))
    const batch = Batch.decode(`[${call}]`)
    assert.isTrue(Batch.isMembers(batch))
    for (const decoded of [read, ...(Batch.isMembers(batch) ? batch : [])]) {
      const message = Result.getOrThrow(decoded as Result.Result<Message.Message, Message.Malformed>)
      assert.strictEqual(Message.encodeUnsafe(message), call)
    }
  })

  it("any result is written after a long one", () => {
    for (const result of [null, "text", 7, true, [], {}]) {
      Message.successText("1", ["x".repeat(100_000)])
      assert.strictEqual(
        Message.successText("2", result),
        `{"jsonrpc":"2.0","id":2,"result":${JSON.stringify(result)}}`
      )
    }
  })

  it("a name may be behind any blank", () => {
    for (const blank of [" ", "\n", "\r", "\t"]) {
      const json = ["{", "\"id\"", ":", "1", ",", "\"method\"", ":", "\"a\"", "}"].join(blank)
      assert.strictEqual(Splice.mapIds(`${blank}${json}`, () => "2"), `${blank}${json.replace("1", "2")}`)
    }
  })
})

describe("errors", () => {
  it("the reserved codes include both ends", () => {
    const codes = [-32769, -32768, -32000, -31999]
    assert.deepStrictEqual(codes.map(ErrorCode.isReserved), [false, true, true, false])
  })

  it("a code that is no server's says which are", () => {
    const error = new ErrorObject.InvalidServerCode({ code: 7 })
    assert.strictEqual(error.message, "the code 7 of a server error is not a whole number from -32099 to -32000")
  })
})

const all = [Framing.line, Framing.contentLength, Framing.concatenated]

describe("framings", () => {
  it("hold no part of a text before there is any", () => {
    for (const framing of all) assert.isFalse(framing.splitter(Limits.make({})).partial(), framing.name)
  })

  it("close on the whole beginning of a foreign protocol, before more of it comes", () => {
    for (const framing of all) {
      for (const start of ["GET / HTTP/", "\n\r\nfoo *\tHTTP/", "<16><03>"]) {
        const [frame] = framing.splitter(Limits.make({})).push(raw(start))
        assert.deepInclude(frame, { _tag: "LostPlace", reason: "ForeignProtocol" }, `${framing.name} ${start}`)
      }
    }
  })

  it("say nothing after their place is lost", () => {
    for (const framing of all) {
      const splitter = framing.splitter(Limits.make({}))
      assert.lengthOf(splitter.push(bytes("GET / HTTP/1.1\r\n")), 1)
      assert.deepStrictEqual(splitter.push(bytes("{}\n")), [], framing.name)
      assert.isFalse(splitter.partial())
      assert.deepStrictEqual(splitter.end(), [])
    }
  })

  it("look for a byte order mark behind empty chunks, too", () => {
    assert.deepStrictEqual(frames(Framing.line, [bytes(""), raw("<ef><bb><bf>{}\n")]), ["{}"])
  })
})

describe("Framing.line", () => {
  it("writes a text with line ends of any kind as one line", () => {
    for (const end of ["\n", "\r", "\r\n"]) {
      const written = text(Framing.line.join([`[1,${end}2]`, "3"]))
      assert.strictEqual(written, `[1,${" ".repeat(end.length)}2]\n3\n`)
    }
  })

  it("shows the beginning of a line that came in a small and a large part before it was too large", () => {
    const chunks = [bytes("[1,2,3,4"), bytes("x".repeat(5_000)), bytes("y".repeat(2_000)), bytes("\n{}\n")]
    assert.deepStrictEqual(frames(Framing.line, chunks, { frame: 6_000 }), [
      tooLarge(`[1,2,3,4${"x".repeat(56)}`),
      "{}"
    ])
  })

  it("shows a DEL as a byte", () => {
    assert.deepStrictEqual(frames(Framing.line, [raw("~<7f><ff>\n")]), [invalidUtf8("~\\x7f\\xff")])
  })
})

describe("Framing.concatenated", () => {
  it("knows every digit, at the beginning of a number and within", () => {
    for (let digit = 0; digit <= 9; digit++) {
      assert.deepStrictEqual(frames(Framing.concatenated, [bytes(`${digit} 1${digit} {}`)]), [
        `${digit}`,
        `1${digit}`,
        "{}"
      ])
    }
  })
})

describe("Framing.contentLength", () => {
  const reasonOf = (header: string) => frames(Framing.contentLength, [bytes(`${header}\r\n\r\n{}`)])[0]

  it("keeps a CR at the end of a body that comes in parts", () => {
    assert.deepStrictEqual(frames(Framing.contentLength, [bytes("Content-Length: 3\r\n\r\n{"), bytes("}\r")]), ["{}\r"])
  })

  it("loses its place where the length is missing, or is no safe number", () => {
    for (const length of ["", "9".repeat(16), "1".repeat(30)]) {
      assert.deepInclude(reasonOf(`Content-Length: ${length}`), { _tag: "LostPlace" }, length)
    }
  })

  it("asks the type of the content alone for its charset, and knows UTF-8 by its whole name", () => {
    assert.strictEqual(reasonOf("Content-Length: 2\r\nX-Other: a; charset=latin1"), "{}")
    for (const charset of ["latin1", "xutf-8", "utf-8x"]) {
      const frame = reasonOf(`Content-Length: 2\r\nContent-Type: a/b; charset=${charset}`)
      assert.deepInclude(frame, { _tag: "BadFrame", reason: "InvalidUtf8" }, charset)
    }
  })
})

describe("Framing.none", () => {
  it("takes off a byte order mark, and nothing that has some of its bytes", () => {
    assert.deepStrictEqual(frames(Framing.none, [raw("<ef><bb><bf>1")]), ["1"])
    for (const text of ["\u{fec0}1", "\u{f03f}1", "\u{1eff}1"]) {
      assert.deepStrictEqual(frames(Framing.none, [bytes(text)]), [text])
    }
  })

  it("is invalid where it has just the limit's bytes, and too large beyond", () => {
    assert.deepStrictEqual(frames(Framing.none, [raw("1<ff>")], { frame: 2 }), [invalidUtf8("1\\xff")])
    assert.deepStrictEqual(frames(Framing.none, [raw("12<ff>")], { frame: 2 }), [tooLarge("12\\xff")])
  })
})
