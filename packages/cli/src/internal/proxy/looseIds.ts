/**
 * Ids of JSON-RPC 1.0, which may be any JSON: an object, an array, `true`. No message of Parley has such an id, so the
 * proxy carries its characters.
 */
import type { Exchange } from "@parley/peer/shared"
import * as Batch from "@parley/protocol/Batch"
import { Splice } from "@parley/protocol/shared"
import * as Result from "effect/Result"

/** Whether a dialect has such ids: only JSON-RPC 1.0. */
const mayBe = ({ responses }: Batch.DecodeOptions): boolean => responses === "both"

/** The id of a text, as it is written. `batch` is the text, decoded. */
export const of = (text: string, batch: Batch.Batch, rules: Batch.DecodeOptions): string | undefined => {
  if (!mayBe(rules) || Batch.isMembers(batch) || Result.isSuccess(batch)) return undefined
  // All other values that are decoded like this are JSON.
  if (batch.failure._tag !== "InvalidRequest" || !/^[ \t\r\n]*\{/.test(text)) return undefined
  let id: string | undefined
  Splice.mapIds(text, (written) => id = written)
  return id !== undefined && /^[[{tf]/.test(id) ? id : undefined
}

/** The exchange, for texts with such ids: they travel with another one, and their answers have their own again. */
export const carried = (exchange: Exchange.Exchange, rules: Batch.DecodeOptions): Exchange.Exchange => {
  if (!mayBe(rules)) return exchange
  const { post } = exchange
  return {
    post: (text, take) => {
      const id = of(text, Batch.decode(text, rules), rules)
      return id === undefined
        ? post(text, take)
        : post(Splice.mapIds(text, () => "0"), (answer) => take(Splice.mapIds(answer, () => id)))
    }
  }
}
