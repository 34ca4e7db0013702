/**
 * The words of nodes to each other: a line of JSON, and a text behind it, which is not escaped again.
 *
 * ```
 *   call, send  →                    a text for a key or name; a call is answered
 *               ←  took, refused     a text that was sent; one that nobody takes, or that there is no room for
 *               ←  item … end, done  what answers a call: `end` brings the last text, `done` none; `died` is neither
 *   more, stop  →                    so much was read; nobody reads any more
 *   watch       →                    these texts of ours wait, and so much of their answers was read
 *               ←  alive             of those, so many texts were answered, or they do not run here
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

/** The words of one node about many calls: the id of each, and a number. @internal */
export type Counts = ReadonlyArray<readonly [id: number, count: number]>

/** Counts as a text. @internal */
export const textOf = (counts: Counts): string => counts.map(([id, count]) => `${id}:${count}`).join()

/** The counts of a text. @internal */
export const countsOf = (text: string): Counts =>
  text === "" ? [] : text.split(",").map((one) => {
    const at = one.indexOf(":")
    return [Number(one.slice(0, at)), Number(one.slice(at + 1))]
  })

/** The count of a call that does not run. @internal */
export const notRunning = -1
