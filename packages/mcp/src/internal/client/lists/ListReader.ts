/**
 * The lists of a server: page after page as they are wanted, or all at once. A
 * page that may be kept comes from the cache.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Page } from "../../../client/ClientExtension.ts"
import type { RequestOptions } from "../../../client/ClientOptions.ts"
import { InvalidResult, type McpCallError } from "../../../client/McpClientError.ts"
import * as Paging from "../../../shared/Paging.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import type { Sender } from "../requests/Sender.ts"
import type { ResultCache } from "./ResultCache.ts"
import { mostWeight, weightOf } from "./weight.ts"

/** One list of a server. @internal */
export interface ListReader<A> {
  readonly stream: Stream.Stream<A, McpCallError>
  readonly all: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<A>, McpCallError>
}

/** @internal */
export interface Options<P extends Page, A> {
  readonly method: string
  readonly decoder: (codec: RevisionCodec) => Decoder<P>
  /** The entries of a page that came, and whether it is the first. */
  readonly entries: (page: P, isFirst: boolean) => ReadonlyArray<A>
}

/** How many entries a list may have that is given all at once. */
const mostEntries = 1_000_000

/** @internal */
export const make =
  (sender: Sender, session: ClientSession, cache: ResultCache, isStrict: boolean) =>
  <P extends Page, A>({ decoder, entries, method }: Options<P, A>): ListReader<A> => {
    const page = (cursor: string | undefined, options: RequestOptions | undefined): Effect.Effect<P, McpCallError> =>
      Effect.flatMap(Effect.all([Clock.Clock, cache.identity]), ([clock, identity]) => {
        // An empty cursor is one, too.
        const key = cursor === undefined ? "" : `:${cursor}`
        const kept = options?.meta === undefined
          // What is kept under a method is what its decoder gave.
          ? cache.get(method, key, clock.currentTimeMillisUnsafe(), identity) as P | undefined
          : undefined
        if (kept !== undefined) return Effect.succeed(kept)
        const since = cache.changes()
        const params: Schema.JsonObject | undefined = cursor === undefined ? undefined : { cursor }
        return Effect.flatMap(sender.ask(method, params, options), (json): Effect.Effect<P, McpCallError> => {
          const result = session.read(method, decoder(session.agreed().codec), json)
          if (Result.isFailure(result)) return Effect.fail(result.failure)
          return options?.meta === undefined
            ? Effect.as(cache.keep(method, key, result.success, since, identity), result.success)
            : Effect.succeed(result.success)
        })
      })

    const stream = (options?: RequestOptions, ruleOf: (page: P) => string | undefined = () => undefined) =>
      Paging.stream<P, A, McpCallError>({
        method,
        isStrict,
        page: (cursor) => page(cursor, options),
        entries: (found, isFirst) => {
          const rule = ruleOf(found)
          return rule === undefined ? Effect.succeed(entries(found, isFirst)) : refuse(rule)
        }
      })

    const refuse = (rule: string) => Effect.fail(new InvalidResult({ method, path: ["nextCursor"], rule }))

    return {
      stream: stream(),
      all: (options) =>
        Effect.suspend(() => {
          const all: Array<A> = []
          let weight = 0
          const ruleOf = (page: P) => {
            weight += weightOf(page)
            return weight > mostWeight ? `the list takes more than ${mostWeight} bytes` : undefined
          }
          return Effect.as(
            Stream.runForEachArray(stream(options, ruleOf), (some) => {
              if (all.length + some.length > mostEntries) return refuse(`there are more than ${mostEntries} entries`)
              for (const one of some) all.push(one)
              return Effect.void
            }),
            all
          )
        })
    }
  }
