/**
 * What nodes say to each other: a line of JSON, and a text behind it, which is not escaped again.
 *
 * ```
 *   call, send  →                    a text for a key or name; a call is answered
 *               ←  took, refused     a text that was sent; one that nobody takes, or that there is no room for
 *               ←  item … end, done  what answers a call: `end` brings the last text, `done` none; `died` is neither
 *   more, stop  →                    so much was read; nobody reads any more
 *   watch       →                    these calls of ours wait, of which so much was read
 *               ←  alive             and these of them do not run here
 * ```
 */

import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** @internal */
export interface Frame {
  readonly kind: Kind
  /** The node that says it. */
  readonly from: string
  /** The number of the call, by the node that calls. */
  readonly id: number
  /** The place of a text among those of an answer, or how much was read; where a text goes; why it was refused. */
  readonly detail: number | string
  readonly text: string
}

const Kind = Schema.Literals([
  "call",
  "send",
  "took",
  "refused",
  "item",
  "end",
  "done",
  "died",
  "more",
  "stop",
  "watch",
  "alive"
])

export type Kind = typeof Kind.Type

const decodeHead = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Tuple([Kind, Schema.String, Schema.Int, Schema.Union([Schema.Int, Schema.String])])
  )
)

/** @internal */
export const encode = ({ detail, from, id, kind, text }: Frame): string =>
  `${JSON.stringify([kind, from, id, detail])}\n${text}`

/** `undefined` where it is none: something else writes to the node. @internal */
export const decode = (text: string): Frame | undefined => {
  const end = text.indexOf("\n")
  if (end === -1 || end > longest) return undefined
  const head = Option.getOrUndefined(decodeHead(text.slice(0, end)))
  if (head === undefined) return undefined
  const [kind, from, id, detail] = head
  return { kind, from, id, detail, text: text.slice(end + 1) }
}

/** Characters of a head: the names of a node and a key. */
const longest = 16_384

/** The ids of calls, as a text. @internal */
export const idsOf = (text: string): ReadonlyArray<number> => text === "" ? [] : text.split(",").map(Number)

/** How much was read of each call, by ids, as a text. @internal */
export const readsToText = (reads: ReadonlyMap<number, number>): string =>
  Array.from(reads, ([id, read]) => `${id}:${read}`).join()

/** @internal */
export const readsOf = (text: string): ReadonlyMap<number, number> =>
  new Map(
    text === "" ? [] : text.split(",").map((one): [number, number] => {
      const [id, read] = one.split(":")
      return [Number(id), Number(read)]
    })
  )
