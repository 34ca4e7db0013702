/** The pages of lists, as a server cuts them. */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as McpError from "../../../wire/McpError.ts"
import * as WireIssue from "../../../wire/WireIssue.ts"

/** @internal */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | undefined
}

/** Cuts lists. A cursor names the item before its page. Partial: throws where pages would never come to an end. @internal */
export const make = (pageSize: number) => {
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new TypeError(`a page cannot have ${pageSize} entries`)
  return <A>(
    items: ReadonlyArray<A>,
    cursor: string | undefined,
    nameOf: (item: A) => string
  ): Effect.Effect<Page<A>, ErrorResponse> => {
    const name = cursor === undefined ? undefined : Result.getOrUndefined(Base64Url.decodeString(cursor))
    const from = cursor === undefined ? 0 : items.findIndex((item) => nameOf(item) === name) + 1
    if (cursor !== undefined && from === 0) return noCursor
    const some = items.slice(from, from + pageSize)
    const last = from + some.length < items.length ? some.at(-1) : undefined
    return Exit.succeed({ items: some, nextCursor: last === undefined ? undefined : Base64Url.encode(nameOf(last)) })
  }
}

const noCursor = Exit.fail(McpError.invalidParams(WireIssue.make("it is no cursor of this list", ["cursor"])))
