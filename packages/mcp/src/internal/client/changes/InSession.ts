/**
 * Changes of the legacy era: a session is subscribed to resources, and hears of
 * lists by itself. In a new session the subscription is made again.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { type McpCallError, UnsupportedCapability } from "../../../client/McpClientError.ts"
import { Resumed, Subscribed } from "../../../client/McpEvent.ts"
import type { Requests } from "../calls/Sender.ts"
import type { Session } from "../negotiation/ClientSession.ts"
import type { Box, Interest } from "./Interest.ts"
import * as Mailbox from "./Mailbox.ts"
import type { Notices } from "./Notices.ts"

/** @internal */
export interface Options {
  readonly session: Session
  readonly requests: Requests
  readonly notices: Notices
}

/** Milliseconds that a server may take to end a subscription, while a stream waits for it. */
const farewell = 5_000

/** @internal */
export const make = ({ notices, requests, session }: Options) => {
  /** How many streams are subscribed to a resource: the last one ends it. */
  const counts = new Map<string, number>()
  // What begins and what ends a subscription must reach the server in this order.
  const lock = Semaphore.makeUnsafe(1)

  const begin = (uri: string) => requests.ask("resources/subscribe", { uri })

  const count = (uri: string, by: number) => {
    const now = (counts.get(uri) ?? 0) + by
    if (now === 0) counts.delete(uri)
    else counts.set(uri, now)
    return now
  }

  const end = (uri: string) =>
    Effect.suspend(() =>
      count(uri, -1) === 0
        ? Effect.ignore(requests.ask("resources/unsubscribe", { uri }, { timeout: farewell }))
        : Effect.void
    )

  /** `uri` is what to subscribe to; lists need nothing. */
  return <A>(interest: Interest<A>, uri?: string): Stream.Stream<A | Subscribed | Resumed, McpCallError> =>
    Stream.unwrap(Effect.gen(function*() {
      if (interest.filter(session.agreed().capabilities) === undefined) {
        const method = interest.methods[0] ?? ""
        return yield* new UnsupportedCapability({ method, capability: interest.capability })
      }
      const box: Box<A> = Mailbox.make<A | Subscribed | Resumed, McpCallError>(new Resumed({ reason: "Overrun" }))
      const scope = yield* Effect.scope
      const removes = interest.methods.map((method) =>
        notices.on(method, (params) => {
          const change = interest.read(method, params)
          if (change !== undefined) box.offer(interest.keyOf(change), change)
        })
      )
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const subscribe: Effect.Effect<unknown, McpCallError> = uri === undefined
        ? Effect.void
        : lock.withPermits(1)(begin(uri))
      const again = Effect.matchEffect(subscribe, {
        onFailure: (error) => Effect.sync(() => box.fail(error)),
        onSuccess: () => Effect.sync(() => box.offer("resumed", new Resumed({ reason: "SessionExpired" })))
      })
      const onRenewed = () => void fork(Effect.forkIn(again, scope))
      session.onRenewed.add(onRenewed)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          session.onRenewed.delete(onRenewed)
          for (const remove of removes) remove()
        })
      )
      if (uri !== undefined) {
        yield* Effect.acquireRelease(
          Effect.sync(() => count(uri, 1)),
          () => lock.withPermits(1)(end(uri))
        )
        yield* subscribe
      }
      box.offer("subscribed", new Subscribed())
      return box.stream
    }))
}
