/**
 * Ids of JSON-RPC 1.0, which may be any JSON: an object, an array, `true`. No message of ours has such an id, so the
 * proxy carries its characters.
 */
import type { Exchange } from "@parley/peer/Exchange"
import * as Batch from "@parley/protocol/Batch"
import * as Splice from "@parley/protocol/text/Splice"
import * as Result from "effect/Result"

/** The id of a text, as it is written, where only JSON-RPC 1.0 has such ids. `batch` is what the text was decoded to. */
export const of = (text: string, batch: Batch.Batch, { responses }: Batch.DecodeOptions): string | undefined => {
  if (responses !== "both" || Batch.isMembers(batch) || Result.isSuccess(batch)) return undefined
  // Whatever else is decoded so is JSON.
  if (batch.failure._tag !== "InvalidRequest" || !/^[ \t\r\n]*\{/.test(text)) return undefined
  let id: string | undefined
  Splice.mapIds(text, (written) => id = written)
  return id !== undefined && /^[[{tf]/.test(id) ? id : undefined
}

/** The exchange, for texts with such ids: they travel with another one, and their answers have their own again. */
export const carried = ({ post }: Exchange, rules: Batch.DecodeOptions): Exchange => ({
  post: (text, take) => {
    const id = of(text, Batch.decode(text, rules), rules)
    return id === undefined
      ? post(text, take)
      : post(Splice.mapIds(text, () => "0"), (answer) => take(Splice.mapIds(answer, () => id)))
  }
})
