/**
 * Which of the two transports the posts of a session go by. It is Streamable HTTP,
 * unless `initialize` is refused as by a server that knows only the older one, and a
 * GET finds that.
 */
import type { HttpStatusError } from "@parley/peer/CallerError"
import type { Ending, ExchangeError } from "@parley/peer/Exchange"
import * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as McpError from "../../../wire/McpError.ts"
import * as Older from "./Older.ts"
import type { Outgoing } from "./Outgoing.ts"
import type * as Posts from "./Posts.ts"
import type { Take } from "./ResumableStream.ts"

export interface Options extends Older.Options {
  readonly posts: Posts.Post
}

export interface Fallback {
  readonly post: Posts.Post
  readonly isOlder: () => boolean
  /** Ends the stream of the older transport. The next `initialize` finds out anew. */
  readonly close: Effect.Effect<void>
}

export const make = (options: Options): Effect.Effect<Fallback, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const { posts } = options
    let older: { readonly post: Older.Older["post"]; readonly scope: Scope.Closeable } | undefined

    const open = Effect.flatMap(Scope.fork(scope), (inner) =>
      Older.open(options).pipe(
        Scope.provide(inner),
        Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(inner, exit)),
        Effect.map(({ post }) => older = { post, scope: inner })
      ))

    /** Looks for the older transport before a refusal counts. */
    const begin = (text: string, outgoing: Outgoing, take: Take): Effect.Effect<Ending, ExchangeError> =>
      Effect.suspend(() => {
        const held: Array<string> = []
        const post = posts(text, outgoing, (answer) => {
          if (!refusals.has(outgoing.status)) return take(answer)
          held.push(answer)
          return undefined
        })
        return Effect.catchTag(post, "HttpStatusError", (error) => {
          const refuse = Effect.suspend(() => Effect.andThen(handOn(held, take), Effect.fail(error)))
          if (!refusals.has(error.status) || held.some((answer) => isMeant(answer, text))) return refuse
          return Effect.matchEffect(open, {
            onFailure: () => refuse,
            onSuccess: ({ post }) => post(text, outgoing)
          })
        })
      })

    return {
      post: (text, outgoing, take) => {
        if (older !== undefined) return older.post(text, outgoing)
        return outgoing?.method === "initialize" ? begin(text, outgoing, take) : posts(text, outgoing, take)
      },
      isOlder: () => older !== undefined,
      close: Effect.suspend(() => {
        const closing = older
        older = undefined
        return closing === undefined ? Effect.void : Scope.close(closing.scope, Exit.void)
      })
    }
  })

/** What a server of the older transport alone may say to a POST where its stream is. */
const refusals: ReadonlySet<HttpStatusError["status"]> = new Set([400, 404, 405])

const handOn = (texts: ReadonlyArray<string>, take: Take): Effect.Effect<void> =>
  Effect.forEach(texts, (text) => take(text) ?? Effect.void, { discard: true })

/** Whether an answer is an error of MCP, about this very request or in a code of its own: its sender has understood. */
const isMeant = (answer: string, request: string): boolean => {
  const failure = Result.getOrUndefined(Message.decode(answer))
  if (failure?._tag !== "Failure") return false
  if (codes.has(failure.error.code)) return true
  const asked = Result.getOrUndefined(Message.decode(request))
  return asked?._tag === "Request" && asked.id === failure.id
}

const codes: ReadonlySet<number> = new Set([
  McpError.HeaderMismatch,
  McpError.MissingClientCapability,
  McpError.UnsupportedRevision
])
