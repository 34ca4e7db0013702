/**
 * The pages of a list, one after the other as they are wanted. Servers are found whose pages do not come to an end: a
 * cursor that came before, a page that repeats the one before it, cursors that are made up for ever. What came until then
 * is kept with a warning, as other clients keep it; a strict client refuses the list.
 *
 * ```ts run
 * import { Paging } from "@parley/mcp/shared"
 * import { Effect, Stream } from "effect"
 *
 * const pages = { first: { names: ["a"], nextCursor: "b" }, b: { names: ["b"] } }
 *
 * const names = Paging.stream({
 *   method: "names/list",
 *   isStrict: true,
 *   page: (cursor = "first"): Effect.Effect<{ names: Array<string>; nextCursor?: string }> =>
 *     Effect.succeed(cursor === "b" ? pages.b : pages.first),
 *   entries: ({ names }) => Effect.succeed(names)
 * })
 * console.log(await Effect.runPromise(Stream.runCollect(names))) // => [ 'a', 'b' ]
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { InvalidResult } from "../client/McpClientError.ts"

/**
 * A list of another side, and how it is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface PagingOptions<P, A, E> {
  /** The method that gives a page. */
  readonly method: string
  /** Whether a list that does not come to an end fails. */
  readonly isStrict: boolean
  /** Asks for a page, the first without a cursor. */
  readonly page: (cursor: string | undefined) => Effect.Effect<P, E>
  /** The entries of a page that came, and whether it is the first. */
  readonly entries: (page: P, isFirst: boolean) => Effect.Effect<ReadonlyArray<A>, E>
}

/** How many pages a list may have: a server that makes up cursors must not keep us for ever. */
const mostPages = 10_000

/**
 * The entries of all pages. Each page is asked for when the entries before it are taken.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stream = <P extends { readonly nextCursor?: string }, A, E>(
  { entries, isStrict, method, page }: PagingOptions<P, A, E>
): Stream.Stream<A, E | InvalidResult> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    let before: P | undefined

    const end = (rule: string, cursor: string): Effect.Effect<void, InvalidResult> =>
      isStrict
        ? Effect.fail(new InvalidResult({ method, path: ["nextCursor"], rule }))
        : Effect.logWarning(
          `the list of ${Excerpt.line(method)} ends at its cursor ${
            Excerpt.quoted(cursor)
          }, and the pages before are kept: ${Excerpt.line(rule)}`
        )

    return Stream.paginate<string | undefined, A, E | InvalidResult>(undefined, (cursor) =>
      Effect.flatMap(page(cursor), (found) =>
        Effect.flatMap(entries(found, cursor === undefined), (some) => {
          const isRepeated = cursor !== undefined && some.length > 0 && isSame(found, before)
          const next = found.nextCursor
          before = found
          if (next === undefined) {
            return Effect.succeed([some, Option.none<string>()] as const)
          }
          const rule = isRepeated
            ? "the page repeats the one before it"
            : seen.has(next)
            ? "it leads back to a page that came before"
            : seen.size >= mostPages
            ? `there are more than ${mostPages} pages`
            : undefined
          if (rule !== undefined) {
            return Effect.as(end(rule, next), [isRepeated ? [] : some, Option.none()] as const)
          }
          seen.add(next)
          return Effect.succeed([some, Option.some(next)] as const)
        })))
  })

/** Whether two pages hold the same, wherever they lead. */
const isSame = <P extends { readonly nextCursor?: string }>(page: P, other: P | undefined): boolean =>
  other !== undefined && contentOf(page) === contentOf(other)

const contentOf = (page: { readonly nextCursor?: string }): string => JSON.stringify({ ...page, nextCursor: undefined })
