/** The pages of lists: how a server cuts them, and how a client reads one after the other. */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { InvalidResult } from "../../../client/McpClientError.ts"
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

/** How many pages a list may have: a server that makes up cursors must not keep us for ever. */
const mostPages = 10_000

/** Reads the pages of a list as they are wanted. @internal */
export const stream = <P extends { readonly nextCursor?: string }, E>(
  method: string,
  page: (cursor: string | undefined) => Effect.Effect<P, E>
): Stream.Stream<P, E | InvalidResult> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return Stream.paginate<string | undefined, P, E | InvalidResult>(undefined, (cursor) =>
      Effect.flatMap(page(cursor), (found) => {
        const next = found.nextCursor
        if (next === undefined) {
          return Effect.succeed([[found], Option.none<string>()] as const)
        }
        if (seen.has(next) || seen.size >= mostPages) {
          const rule = seen.has(next)
            ? "it leads back to a page that came before"
            : `there are more than ${mostPages} pages`
          return Effect.fail(new InvalidResult({ method, path: ["nextCursor"], rule }))
        }
        seen.add(next)
        return Effect.succeed([[found], Option.some(next)] as const)
      }))
  })
