/**
 * Reads texts by the rules of a dialect. A long text is weighed first: one whose
 * values would exceed the budget by themselves is refused without being parsed.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import { Envelope, RequestId, SourceText, Weight } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import { callWeight } from "../room/Room.ts"

/**
 * A text that was read already.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decoded {
  /** The text. */
  readonly text: string
  /** Its messages, decoded. */
  readonly batch: Batch.Batch
  /** Characters of the text. */
  readonly size: number
  /** The weight of its JSON, as `Weight.ofText` estimates it. */
  readonly weight: number
  /** Its places, where somebody has looked for them. */
  readonly scan?: SourceText.Scan | undefined
}

/** A text of more characters than this is weighed before it is parsed. @internal */
export const long = 65_536

/** Characters up to which the values of a text are few, whatever they are. @internal */
export const short = 1_024

/** What is wrong with a text or a call that no budget of this size can hold. @internal */
export const outweighs = "its values would take more memory than the budget has"

/** The rules of the dialect are looked up for each text: they may change when the two sides have agreed on more. */
export class TextReader implements Batch.DecodeOptions {
  readonly depth: number
  readonly batch: number
  readonly mistakes = { skipped: 0 }
  readonly #dialect: Dialect
  readonly #most: number

  /** No text may weigh more than `most`. */
  constructor(dialect: Dialect, limits: Limits, most = limits.budget) {
    this.depth = limits.depth
    this.batch = limits.batch
    this.#dialect = dialect
    this.#most = Math.min(most, limits.budget)
  }

  get batches() {
    return this.#dialect.batches
  }

  get nullId() {
    return this.#dialect.nullId
  }

  get nullParams() {
    return this.#dialect.nullParams
  }

  get version() {
    return this.#dialect.version
  }

  get responses() {
    return this.#dialect.responses
  }

  /** Reads what begins as a response, by a bound of its weight instead of its weight, where it is not refused for that. */
  response(text: string, isScanned: boolean): Decoded | undefined {
    const bound = text.length * Weight.most
    if (callWeight + bound > this.#most || !resultFirst.test(text)) return undefined
    return this.read(text, bound, isScanned ? SourceText.scan(text) : undefined)
  }

  /** A text that was scanned is not searched again for its depth. */
  read(text: string, weight = Weight.ofText(text), scan?: SourceText.Scan): Decoded {
    const isRefused = text.length > long && callWeight + weight > this.#most
    const options = scan !== undefined && scan.depth <= this.depth ? this.#anyDepth : this
    return { text, batch: isRefused ? refusal(text) : Batch.decode(text, options), size: text.length, weight, scan }
  }

  get #anyDepth(): Batch.DecodeOptions {
    const { batch, batches, mistakes, nullId, nullParams, responses, version } = this
    return { batch, batches, depth: Number.POSITIVE_INFINITY, mistakes, nullId, nullParams, responses, version }
  }
}

/** How responses with a result begin mostly. A call that begins so, too, counts as more than it is. */
const resultFirst = /^\{(?:"jsonrpc":"2\.0",)?(?:"id":(?:\d{1,15}|"[^"\\]{1,64}"),)?"result":/

/** A request is answered with its id, a response fails its call, and a notification is dropped. */
const refusal = (text: string): Batch.Decoded => {
  const envelope = Envelope.ofText(text)
  const { id, kind } = envelope
  if (kind === "request") {
    const named = id === undefined ? null : RequestId.fromParsed(JSON.parse(id), () => id) ?? null
    return Result.fail(new Message.InvalidRequest({ id: named, rule: outweighs }))
  }
  return Result.fail(
    kind === "notification"
      ? new Message.InvalidResponse({ id: null, rule: outweighs })
      : Message.unparsed(envelope, outweighs)
  )
}
