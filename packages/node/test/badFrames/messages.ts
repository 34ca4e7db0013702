/** Messages with a place to spoil, and the ways to spoil them. */
import { Dialect, Framing, Limits } from "@parley/protocol"

/** `none`: never answered. `id`: with the id of the message where it is only too large. `null`: without an id. */
type Answer = "none" | "id" | "null"

/** Whole messages. The `~` stands in a string. */
export const messages: Readonly<Record<string, readonly [text: string, answer: Answer]>> = {
  request: [`{"jsonrpc":"2.0","id":7,"method":"echo","params":["~"]}`, "id"],
  "a request with its id behind": [`{"jsonrpc":"2.0","method":"echo","params":["~"],"id":7}`, "id"],
  "a request, spoilt in its method": [`{"jsonrpc":"2.0","id":7,"method":"~","params":[]}`, "id"],
  "a request, spoilt in its id": [`{"jsonrpc":"2.0","id":"~","method":"echo","params":[]}`, "null"],
  "a notification": [`{"jsonrpc":"2.0","method":"echo","params":["~"]}`, "none"],
  "a result": [`{"jsonrpc":"2.0","id":7,"result":"~"}`, "none"],
  "an error": [`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"~"}}`, "none"],
  "a batch of requests": [`[{"jsonrpc":"2.0","id":7,"method":"echo","params":["~"]}]`, "null"],
  "a batch of responses": [`[{"jsonrpc":"2.0","id":7,"result":"~"}]`, "none"],
  "nothing that is known": [`{"jsonrpc":"2.0","~":7}`, "null"]
}

/** Dialects that answer in different ways. */
export const dialects: ReadonlyArray<Dialect.Dialect> = [
  Dialect.jsonRpc,
  Dialect.jsonRpc1,
  Dialect.lenient,
  Dialect.lsp,
  Dialect.ethereum,
  Dialect.make({ name: "without an id", unreadableId: "omit", tooLargeCode: -31_005 }),
  Dialect.make({ name: "without an answer", unreadableId: "silent", framing: "contentLength" })
]

/** Bytes of a frame of the sides under test. */
export const frame = 400

/** What is done at the place, as bytes. */
export const spoils = {
  "no UTF-8": Uint8Array.of(0xff),
  "no UTF-8 but a surrogate": Uint8Array.of(0xed, 0xa0, 0x80),
  "no JSON but a tab": Uint8Array.of(0x09),
  "too large": new Uint8Array(2 * frame).fill(0x78),
  /** A header says that the text is no UTF-8. */
  "another charset": Uint8Array.of(0x78)
} as const

/** @see spoils */
export type Spoil = keyof typeof spoils

/** All reasons. */
// The names of reasons are the keys of the object.
export const reasons = Object.keys(spoils) as ReadonlyArray<Spoil>

/** Whether the bytes of such a text are UTF-8. */
export const isText = (spoil: Spoil): boolean => !spoil.startsWith("no UTF-8")

/** Whether such a text needs no header. */
export const isPlain = (spoil: Spoil): boolean => spoil !== "another charset"

/** The value of the header that says what such a text is. */
export const typeOf = (spoil: Spoil | undefined, type: string): string =>
  spoil === "another charset" ? `${type}; charset=utf-16` : type

const place = 0x7e

export const spoilt = (text: string, spoil: Spoil): Uint8Array => {
  const bytes = [...new TextEncoder().encode(text)]
  return Uint8Array.from(bytes.flatMap((byte) => byte === place ? [...spoils[spoil]] : [byte]))
}

/** The reply of a peer, parsed; nothing where there is none. */
export const replyTo = (
  answer: Answer,
  spoil: Spoil,
  { responses, tooLargeCode, unreadableId, version }: Dialect.Dialect
): ReadonlyArray<unknown> => {
  if (answer === "none") return []
  const isTooLarge = spoil === "too large"
  const form = { ...(version !== "omit" && { jsonrpc: "2.0" }), ...(responses === "both" && { result: null }) }
  const error = isTooLarge
    ? { code: tooLargeCode, message: "Request too large" }
    : { code: -32700, message: "Parse error" }
  if (isTooLarge && answer === "id") return [{ ...form, id: 7, error }]
  return unreadableId === "silent" ? [] : [{ ...form, ...(unreadableId === "null" && { id: null }), error }]
}

/** The bytes that carry a text of any bytes. */
export const framed = ({ name }: Framing.Framing, text: Uint8Array, spoil?: Spoil): Uint8Array => {
  if (name === "contentLength") {
    const type = typeOf(spoil, "application/vscode-jsonrpc")
    return Buffer.concat([Buffer.from(`Content-Type: ${type}\r\nContent-Length: ${text.length}\r\n\r\n`), text])
  }
  return name === "line" ? Buffer.concat([text, Buffer.from("\n")]) : text
}

/** Reads the texts of a stream of bytes. */
export const reading = (framing: Framing.Framing) => {
  const splitter = framing.splitter(Limits.defaults)
  return (bytes: Uint8Array): ReadonlyArray<unknown> =>
    splitter.push(bytes).map((text) => typeof text === "string" ? JSON.parse(text) : text)
}

/** A request whose response ends what is heard. */
export const last = `{"jsonrpc":"2.0","id":"last","method":"echo","params":[]}`

export const isLast = (reply: unknown): boolean => Object(reply).id === "last"
