/**
 * Streams of changes.
 *
 * In the legacy era a session is subscribed to resources, and the server announces changes of lists by itself. In a
 * new session the client subscribes again. In the modern era each stream has a request of its own that stays open, and
 * each notification names that request. Where the server or the connection ends the request, the client sends the next
 * one.
 *
 * A change that already waits for its reader is not kept twice. A reader that falls too far behind is told that it has
 * missed some.
 */
import { RequestTimeout } from "@parley/peer/Caller"
import type * as Message from "@parley/protocol/Message"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { InvalidResult, type McpCallError, UnsupportedCapability } from "../../../client/McpClientError.ts"
import { Resumed, Subscribed } from "../../../client/McpEvent.ts"
import * as Uri from "../../../shared/Uri.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import { isObject } from "../../Json.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import * as failures from "../negotiation/failures.ts"
import type { Sender } from "../requests/Sender.ts"
import type { Interest } from "./Interest.ts"
import type { Notices } from "./Notices.ts"

/** A message to a stream of changes. */
type Box<A> = Mailbox<A | Subscribed | Resumed, McpCallError>

/** @internal */
export interface SessionOptions {
  readonly session: ClientSession
  readonly sender: Sender
  readonly notices: Notices
}

/** Milliseconds that a server may take to end a subscription, while a stream waits for it. */
const farewell = 5_000

/** @internal */
export const sessionStreams = ({ notices, sender, session }: SessionOptions) => {
  /** How many streams are subscribed to a resource, in which spellings of its URI: the last one ends all of them. */
  const counts = new Map<string, { count: number; readonly spellings: Set<string> }>()
  // Subscribing and unsubscribing must reach the server in the order of the calls.
  const lock = Semaphore.makeUnsafe(1)

  const begin = (uri: string) => sender.ask("resources/subscribe", { uri })

  const enter = (uri: string) => {
    const name = Uri.normalised(uri)
    const known = counts.get(name) ?? { count: 0, spellings: new Set() }
    known.count++
    known.spellings.add(uri)
    counts.set(name, known)
  }

  const end = (uri: string) =>
    Effect.suspend(() => {
      const name = Uri.normalised(uri)
      const known = counts.get(name)
      if (known === undefined || --known.count > 0) return Effect.void
      counts.delete(name)
      // A server may tell spellings apart.
      return Effect.forEach(
        known.spellings,
        (uri) => Effect.ignore(sender.ask("resources/unsubscribe", { uri }, { timeout: farewell })),
        { discard: true }
      )
    })

  /** `uri` is what to subscribe to; lists need nothing. */
  return <A>(interest: Interest<A>, uri?: string): Stream.Stream<A | Subscribed | Resumed, McpCallError> =>
    Stream.unwrap(Effect.gen(function*() {
      if (interest.filter(session.agreed().capabilities) === undefined) {
        const method = interest.methods[0] ?? ""
        return yield* new UnsupportedCapability({ method, capability: interest.capability })
      }
      const box: Box<A> = makeMailbox<A | Subscribed | Resumed, McpCallError>(new Resumed({ reason: "Overrun" }))
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
      session.streams++
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          session.onRenewed.delete(onRenewed)
          session.streams--
          for (const remove of removes) remove()
        })
      )
      if (uri !== undefined) {
        yield* Effect.acquireRelease(
          Effect.sync(() => enter(uri)),
          () => lock.withPermits(1)(end(uri))
        )
        yield* subscribe
      }
      box.offer("subscribed", new Subscribed())
      return box.stream
    }))
}

/** @internal */
export interface ListenOptions {
  readonly session: ClientSession
  readonly sender: Sender
  readonly notices: Notices
  /** Whether a request may succeed after another one has lost its connection. */
  readonly isLasting: boolean
  /** Milliseconds until a server must have acknowledged a stream. */
  readonly patience: number
}

const listenMethod = "subscriptions/listen"

const ackMethod = "notifications/subscriptions/acknowledged"

/** Milliseconds that a subscription must have stood for its end to be no failure. */
const steady = 5_000

/** @internal */
export const listenStreams =
  ({ isLasting, notices, patience, sender, session }: ListenOptions) =>
  <A>(interest: Interest<A>): Stream.Stream<A | Subscribed | Resumed, McpCallError> =>
    Stream.unwrap(Effect.gen(function*() {
      const filter = interest.filter(session.agreed().capabilities)
      const unsupported = new UnsupportedCapability({ method: listenMethod, capability: interest.capability })
      if (filter === undefined) return yield* unsupported
      const box: Box<A> = makeMailbox<A | Subscribed | Resumed, McpCallError>(new Resumed({ reason: "Overrun" }))
      let id: string | number | undefined
      let isAgreed = false
      let hasBegun = false

      const isOwn = (params: Message.Params | undefined): boolean => {
        const named = isObject(params) ? Envelope.metaOf(params) : undefined
        return id !== undefined && named !== undefined && String(named[Envelope.subscriptionId]) === String(id)
      }

      const acknowledge = (params: Message.Params | undefined) => {
        // A request is acknowledged once.
        if (isAgreed) return
        const agreed = isObject(params) ? params["notifications"] : undefined
        if (!isObject(agreed) || !interest.isGiven(agreed)) return box.fail(unsupported)
        isAgreed = true
        box.offer("subscribed", hasBegun ? new Resumed({ reason: "Ended" }) : new Subscribed())
        hasBegun = true
      }

      const removes = [ackMethod, ...interest.methods].map((method) =>
        notices.on(method, (params) => {
          if (!isOwn(params)) return
          if (method === ackMethod) return acknowledge(params)
          const change = interest.readOwn(method, params)
          if (change !== undefined) box.offer(interest.keyOf(change), change)
        })
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => removes.forEach((remove) => remove())))

      // The request itself has no time: it stays open.
      const unheard = Effect.flatMap(Effect.sleep(patience), () =>
        isAgreed
          ? Effect.never
          : Effect.fail(
            new RequestTimeout({ method: listenMethod, ...(id !== undefined && { id }), milliseconds: patience })
          ))

      const listen = Effect.suspend(() => {
        isAgreed = false
        const open = sender.ask(listenMethod, { notifications: filter }, {
          isOpenEnded: true,
          onId: (assigned) => {
            id = assigned
          }
        })
        return Effect.raceFirst(open, unheard)
      })

      const keep = Effect.gen(function*() {
        for (let count = 1;; count++) {
          const began = yield* Clock.currentTimeMillis
          const exit = yield* Effect.exit(listen)
          const error = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
          if (error !== undefined && !failures.isPassing(error, isLasting)) return yield* Effect.fail(error)
          if (isAgreed && (yield* Clock.currentTimeMillis) - began >= steady) count = 1
          if (count > failures.mostInRow) return yield* Effect.fail(error ?? unsteady)
          yield* failures.pauseAfter(count)
        }
      })

      yield* Effect.forkScoped(Effect.catch(keep, (error) => Effect.sync(() => box.fail(error))))
      return box.stream
    }))

const unsteady = new InvalidResult({ method: listenMethod, path: [], rule: "it ends as soon as it has begun" })

/** @internal */
interface Mailbox<A, E> {
  /** Keeps an element, unless one of this key waits. */
  readonly offer: (key: string, element: A) => void
  /** Ends the stream behind what waits. */
  readonly fail: (error: E) => void
  readonly stream: Stream.Stream<A, E>
}

/** How many elements may wait. */
const mostWaiting = 1_024

/** `overrun` stands for all that did not fit. @internal */
const makeMailbox = <A, E>(overrun: A): Mailbox<A, E> => {
  const waiting = new Map<string, A>()
  let failed: Exit.Exit<never, E> | undefined
  let wake: (() => void) | undefined

  const woken = () => {
    const waker = wake
    wake = undefined
    waker?.()
  }

  const take: Effect.Effect<NonEmptyReadonlyArray<A>, E | Cause.Done> = Effect.suspend(() => {
    const [first, ...rest] = waiting.values()
    if (first !== undefined) {
      waiting.clear()
      return Effect.succeed<NonEmptyReadonlyArray<A>>([first, ...rest])
    }
    if (failed !== undefined) return failed
    return Effect.andThen(
      Effect.callback<void>((resume) => {
        wake = () => resume(Effect.void)
        return Effect.sync(() => {
          wake = undefined
        })
      }),
      take
    )
  })

  return {
    offer: (key, element) => {
      if (waiting.has(key)) return
      if (waiting.size >= mostWaiting) {
        waiting.clear()
        waiting.set("overrun", overrun)
      } else waiting.set(key, element)
      woken()
    },
    fail: (error) => {
      failed ??= Exit.fail(error)
      woken()
    },
    stream: Stream.fromPull(Effect.succeed(take))
  }
}
