/**
 * The transport before Streamable HTTP, and when a session uses it.
 *
 * Its GET opens one stream for all messages of the server, whose first event names where to POST. The stream is the
 * session: when it breaks, both are over. A session uses it where `initialize` is refused as by a server that knows
 * only this transport, and a GET finds it.
 */
import { HttpFetcher } from "@parley/http/shared/client"
import { Disconnected, type HttpStatusError } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Message from "@parley/protocol/Message"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as McpError from "../../../wire/McpError.ts"
import type { HttpLine } from "./HttpLine.ts"
import type { Outgoing } from "./Outgoing.ts"
import * as Posts from "./Posts.ts"
import * as ResumableStream from "./ResumableStream.ts"
import type { Take } from "./ResumableStream.ts"

export interface Options {
  readonly line: HttpLine
  /** Takes what the server says. */
  readonly take: ResumableStream.Take
  /** Milliseconds in which the server must say where to POST. */
  readonly handshake: number
  /** The stream has broken, and with it the session. */
  readonly onEnd: () => void
}

export interface Older {
  /** Posts a text. For a request it ends with its call: the response comes on the stream. */
  readonly post: (
    text: string,
    outgoing: Outgoing | undefined
  ) => Effect.Effect<Exchange.Ending, Exchange.ExchangeError>
}

/** Opens the stream, until the Scope closes. */
const openOlder = Effect.fnUntraced(
  function*({ handshake, line, onEnd, take }: Options): Effect.fn.Return<Older, Exchange.ExchangeError, Scope.Scope> {
    const endpoint = Deferred.makeUnsafe<URL, Exchange.ExchangeError>()
    const end = Deferred.makeUnsafe<never, Disconnected>()
    let isEnded = false

    const name = (data: string) => {
      const target = URL.parse(data, line.url)
      // What is posted there may hold credentials.
      const isOurs = target?.origin === line.url.origin
      Deferred.doneUnsafe(
        endpoint,
        isOurs ? Exit.succeed(target) : Exit.fail(new Exchange.BadAnswer({ rule: "its endpoint is at another origin" }))
      )
    }

    const listen = Effect.gen(function*() {
      const response = yield* line.fetch("GET", ResumableStream.accept)
      if (!ResumableStream.isStream(response)) return yield* ResumableStream.refuse(response)
      yield* HttpFetcher.events(response, line.frame, (event) => {
        if (event._tag === "Retry") return undefined
        if (event.event === "endpoint") name(event.data)
        return event.event === "message" && event.data !== "" ? take(event.data) : undefined
      })
      return yield* new Disconnected({ reason: { _tag: "EndOfInput" }, sent: true })
    })

    const finish = (reason: Disconnected["reason"]) => {
      isEnded = true
      Deferred.doneUnsafe(end, Exit.fail(new Disconnected({ reason, sent: true })))
    }

    const over = (error: Exchange.ExchangeError) =>
      Effect.sync(() => {
        const hasBegun = !Deferred.doneUnsafe(endpoint, Exit.fail(error))
        finish(error._tag === "Disconnected" ? error.reason : { _tag: "Lost", cause: error })
        if (hasBegun) onEnd()
      })

    yield* Effect.addFinalizer(() => Effect.sync(() => finish({ _tag: "Closed" })))
    yield* Effect.forkScoped(Effect.catch(Effect.scoped(listen), over))
    const target = yield* Deferred.await(endpoint).pipe(Effect.timeoutOrElse({
      duration: Duration.millis(handshake),
      orElse: () => Effect.fail(new Exchange.BadAnswer({ rule: "it did not name an endpoint in time" }))
    }))

    const send = (text: string) =>
      Effect.scoped(Effect.flatMap(
        line.fetch("POST", Posts.headers, text, target),
        (response): Effect.Effect<void, Exchange.ExchangeError> =>
          response.status < 300 ? response.read(() => undefined) : ResumableStream.refuse(response)
      ))

    return {
      post: (text, outgoing) =>
        Effect.suspend(() => {
          if (isEnded) {
            if (outgoing !== undefined) outgoing.hasExpired = true
            return Effect.fail(new Disconnected({ reason: { _tag: "EndOfInput" }, sent: false }))
          }
          return Effect.andThen(
            send(text),
            outgoing?.isRequest === true
              ? Effect.as(Effect.raceFirst(outgoing.over, Deferred.await(end)), "answer" as const)
              : Effect.succeed("answer" as const)
          )
        })
    }
  }
)

export interface FallbackOptions extends Options {
  readonly posts: Posts.Post
}

export interface Fallback {
  readonly post: Posts.Post
  readonly isOlder: () => boolean
  /** Ends the stream of the older transport. The next `initialize` finds out anew. */
  readonly close: Effect.Effect<void>
}

export const make = (options: FallbackOptions): Effect.Effect<Fallback, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const { posts } = options
    let older: { readonly post: Older["post"]; readonly scope: Scope.Closeable } | undefined

    const open = Effect.flatMap(Scope.fork(scope), (inner) =>
      openOlder(options).pipe(
        Scope.provide(inner),
        Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(inner, exit)),
        Effect.map(({ post }) => older = { post, scope: inner })
      ))

    /** Looks for the older transport before a refusal counts. */
    const begin = (
      text: string,
      outgoing: Outgoing,
      take: Take
    ): Effect.Effect<Exchange.Ending, Exchange.ExchangeError> =>
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

/**
 * Whether an answer is an error of MCP about this very request, or with a code of MCP: its sender has understood the
 * request.
 */
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
