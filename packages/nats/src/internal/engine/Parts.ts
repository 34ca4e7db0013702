/**
 * Texts that are larger than a message may be: they are cut, and put together again. The parts of a text follow each other,
 * since they leave in one turn, over one connection. A part that does not follow the one before is dropped, and so is a
 * text whose parts do not all come.
 */
import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The sender, its number for the text, the place of the part from 0 on, and how many there are. */
const Part = Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.Int, Schema.Int, Schema.Int]))

const decodePart = Schema.decodeUnknownOption(Part)

const header = "Parley-Part"

/** Bytes of the headers of a part. */
const margin = 256

/** Bytes that a part takes beside its data, so that a flood of empty ones is bounded, too. */
const overhead = 64

/** A piece of a text, and what tells where it belongs. */
export interface Piece {
  readonly data: Uint8Array
  readonly headers?: MsgHdrs
}

/** A text as one message, or as many as it needs. */
export const cut = (text: Uint8Array, most: number, sender: string, id: number): ReadonlyArray<Piece> => {
  if (text.length <= most) return [{ data: text }]
  const size = Math.max(1, most - margin)
  const count = Math.ceil(text.length / size)
  return Array.from({ length: count }, (_, place) => {
    const fields = headers()
    fields.append(header, JSON.stringify([sender, id, place, count]))
    return { data: text.subarray(place * size, (place + 1) * size), headers: fields }
  })
}

interface Unfinished {
  readonly id: number
  readonly pieces: Array<Uint8Array>
  /** The bytes of the pieces, and what they weigh here with their sender. */
  size: number
  weight: number
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Puts texts together. */
export class Parts {
  /** By sender; the one that a part has come from last is the last. */
  readonly #unfinished = new Map<string, Unfinished>()
  readonly #most: number
  #weight = 0

  /** Of texts whose parts have not all come, this holds so many bytes, and forgets the oldest beyond that. */
  constructor(most: number) {
    this.#most = most
  }

  /** The text that a message completes. */
  take(message: Msg): string | undefined {
    const field = message.headers?.get(header) ?? ""
    if (field === "") return decoder.decode(message.data)
    const part = Option.getOrUndefined(decodePart(field))
    if (part === undefined) return undefined
    const [sender, id, place, count] = part
    const known = this.#unfinished.get(sender)
    this.#forget(sender)
    const before = place === 0 ? { id, pieces: [], size: 0, weight: sender.length } : known
    if (before === undefined || before.id !== id || before.pieces.length !== place) return undefined
    before.pieces.push(message.data)
    before.size += message.data.length
    before.weight += message.data.length + overhead
    if (place === count - 1) return decoder.decode(joined(before))
    this.#unfinished.set(sender, before)
    this.#weight += before.weight
    for (const oldest of this.#unfinished.keys()) {
      if (this.#weight <= this.#most) break
      this.#forget(oldest)
    }
    return undefined
  }

  #forget(sender: string) {
    const known = this.#unfinished.get(sender)
    if (known === undefined) return
    this.#unfinished.delete(sender)
    this.#weight -= known.weight
  }
}

const joined = ({ pieces, size }: Unfinished): Uint8Array => {
  const text = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    text.set(piece, at)
    at += piece.length
  }
  return text
}
