/**
 * Changes the ids of messages in their text, and nothing else.
 *
 * A proxy passes texts on with it. The text is cut around its ids and not written again, so digits beyond the
 * precision of a double, unknown members, the order of members and blanks stay as they were.
 *
 * ```ts run
 * import { Splice } from "@parley/protocol/shared"
 *
 * const text = `[{"jsonrpc":"2.0","id":1,"method":"price","params":[0.10]}]`
 *
 * console.log(Splice.mapIds(text, (id) => `"a:${id}"`))
 * // => [{"jsonrpc":"2.0","id":"a:1","method":"price","params":[0.10]}]
 * ```
 *
 * @since 0.1.0
 */
import { membersOf, namesOf } from "../../internal/members.ts"

/**
 * The text with other ids. `replace` is given the text of each id, as it is written, and its place among the members
 * of a batch (0 for a single message). Members without an id and values that are not messages stay as they are.
 *
 * Partial: the text must be JSON, which `Batch.decode` checks.
 *
 * @category splicing
 * @since 0.1.0
 */
export const mapIds = (text: string, replace: (id: string, member: number) => string): string => {
  let result = ""
  let from = 0
  membersOf(text).forEach(({ id }, member) => {
    if (id === undefined) return
    result += text.slice(from, id.start) + replace(text.slice(id.start, id.end), member)
    from = id.end
  })
  return result + text.slice(from)
}

/**
 * The texts of the members of a batch, or of the single message.
 *
 * Partial: the text must be JSON, which `Batch.decode` checks.
 *
 * @category splicing
 * @since 0.1.0
 */
export const parts = (text: string): ReadonlyArray<string> =>
  membersOf(text).map(({ end, start }) => text.slice(start, end))

/**
 * The names of each member of a batch, or of the single message, in order and as they are written: `"id"` with its
 * quotes. Unlike parsed JSON, this tells names that stand twice. A value that is no object has none.
 *
 * Partial: the text must be JSON, which `Batch.decode` checks.
 *
 * @category splicing
 * @since 0.1.0
 */
export const names = (text: string): ReadonlyArray<ReadonlyArray<string>> => namesOf(text)
