/**
 * The facts that each message of a key carries besides its text: so the last one knows all that there is to know.
 *
 * A message follows another, and is refused where that is not the last any more. So the messages of a key are a chain:
 * texts, some of them in parts; fences, which only bring a newer epoch; and the drop that ends a life of the key, with
 * which positions start again.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A position where reading may begin: a text, and the weight of all texts before it. */
const Mark = Schema.Struct({ position: Schema.Int, seq: Schema.Int, before: Schema.Finite })

/** @see Mark */
export type Mark = typeof Mark.Type

const Facts = Schema.Struct({
  /** A text, a part of one whose last part is such a text, or none. */
  kind: Schema.Literals(["text", "part", "fence", "drop"]),
  epoch: Schema.Finite,
  /** How many texts the key had, up to this message. */
  last: Schema.Int,
  /** The first position that the counts of those who have appended allow. */
  first: Schema.Int,
  /** The weight of all texts up to this message, and that of its own. */
  total: Schema.Finite,
  weight: Schema.Finite,
  /** The messages of a text, this one among them. */
  parts: Schema.Int,
  /** The message before this one, or before all those of its text; and that of the newest text, where this is none. */
  behind: Schema.Int,
  newest: Schema.Int,
  /** The last mark before this message, and the one from which on messages are kept. */
  mark: Mark,
  kept: Mark,
  /** Another after each drop. */
  life: Schema.Int
})

/** @see Facts */
export type Facts = typeof Facts.Type

const start: Mark = { position: 0, seq: 0, before: 0 }

/** The facts of a key that was never written. */
export const nothing: Facts = {
  kind: "drop",
  epoch: 0,
  last: 0,
  first: 1,
  total: 0,
  weight: 0,
  parts: 1,
  behind: 0,
  newest: 0,
  mark: start,
  kept: start,
  life: 0
}

/** The header that carries them. */
export const header = "Parley-Facts"

/** The facts as a header. */
export const encode: (facts: Facts) => string = Schema.encodeSync(Schema.fromJsonString(Facts))

const decodeFacts = Schema.decodeUnknownOption(Schema.fromJsonString(Facts))

/** The facts of a message with these headers. */
export const decode = (headers: string): Facts | undefined => {
  const begin = headers.indexOf(`${header}: `)
  if (begin === -1) return undefined
  const end = headers.indexOf("\r\n", begin)
  return Option.getOrUndefined(decodeFacts(headers.slice(begin + header.length + 2, end)))
}

/** A message that is the last of a key, and its sequence. */
export interface Head {
  readonly seq: number
  readonly facts: Facts
}

/** The bounds of the texts of a key. */
export interface Bounds {
  readonly count: number
  readonly weight: number
}

/** Texts from one mark to the next, at most. */
const stride = 64

/** Whether the text of a head is a place where reading may begin. */
const isMark = ({ facts }: Head, { weight }: Bounds): boolean => {
  const { first, kind, last, mark, total } = facts
  if (kind !== "text") return false
  const most = Math.max(1, Math.min(stride, (last - first + 1) / 2))
  return last - mark.position >= most || total - facts.weight - mark.before >= weight / 8
}

/** The facts that a message knows of the head before it. */
const behind = (head: Head, bounds: Bounds): Facts => {
  const { facts, seq } = head
  const before = facts.total - facts.weight
  return {
    ...facts,
    weight: 0,
    parts: 1,
    behind: seq,
    newest: facts.kind === "text" ? seq : facts.newest,
    mark: isMark(head, bounds) ? { position: facts.last, seq: facts.behind + 1, before } : facts.mark
  }
}

/** The facts of a text behind a head: one of so many messages, and of a key of which `keep` texts are kept. */
export const appended = (
  head: Head,
  bounds: Bounds,
  { epoch, keep, parts, weight }: {
    readonly epoch: number
    readonly keep: number
    readonly parts: number
    readonly weight: number
  }
): Facts => {
  const known = behind(head, bounds)
  const last = known.last + 1
  const most = Math.max(1, Math.min(bounds.count, keep))
  return {
    ...known,
    kind: "text",
    epoch,
    last,
    first: Math.max(known.first, last - most + 1),
    total: known.total + weight,
    weight,
    parts,
    newest: 0
  }
}

/** The facts of a fence, or of a part of a text that is not its last. */
export const between = (head: Head, bounds: Bounds, kind: "fence" | "part", epoch: number): Facts => ({
  ...behind(head, bounds),
  kind,
  epoch
})

/** The facts of the drop of a key. */
export const dropped = ({ seq }: Head, epoch: number): Facts => ({ ...nothing, epoch, behind: seq, life: seq })

/** Whether a text is within the bounds, when this is the newest message. */
export const isKept = (text: Facts, newest: Facts, { weight }: Bounds): boolean =>
  text.life === newest.life && text.last >= newest.first &&
  (text.last === newest.last || newest.total - text.total + text.weight <= weight)

/** Whether so much is there that is not kept that it is time to purge it. */
export const isExcess = ({ first, kept, last, total }: Facts, { weight }: Bounds): boolean =>
  last - kept.position > 1.5 * (last - first + 1) + 8 || total - kept.before > 1.5 * weight + 65_536

/** Whether nothing before a mark is kept. */
export const isFloor = (mark: Mark, { first, total }: Facts, { weight }: Bounds): boolean =>
  mark.position <= first || total - mark.before >= weight
