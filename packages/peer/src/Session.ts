/**
 * One conversation whose texts come and go by several lanes, as those of MCP over
 * HTTP do: the bodies of posts, and streams of events.
 *
 * A session owns the waiting calls of both directions, so that it does not matter
 * which lane brings what. A response settles its call whichever lane that went
 * by, a notification cancels a request that came in another text, and requests
 * see the notifications of texts before them. Texts that belong to a request (its
 * progress, and the calls of its handler) go by the lane that the request came by,
 * until the answer is there.
 *
 * A `Peer` has one transport and reads it itself; here the host gives each text,
 * and gets the answer back.
 *
 * ```ts run
 * import { Router, Session } from "@parley/peer"
 * import { Effect, Option } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("work", ({ peer }) => Effect.as(Effect.orDie(peer.notify("log", ["begun"])), "done"))
 *   const session = yield* Session.make({ router })
 *   const lane: Session.Lane = { send: (text) => Effect.sync(() => console.log(text)) }
 *
 *   const reply = yield* session.answer(`{"jsonrpc":"2.0","id":1,"method":"work"}`, lane)
 *   // => {"jsonrpc":"2.0","method":"log","params":["begun"]}
 *   console.log(Option.getOrThrow(reply)) // => {"jsonrpc":"2.0","id":1,"result":"done"}
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Prototype } from "effect/Pipeable"
import type * as Scope from "effect/Scope"
import type { Caller } from "./Caller.ts"
import type { Lookup } from "./Handler.ts"
import type { DisconnectReason } from "./internal/CallerError.ts"
import * as CallContext from "./internal/conversation/CallContext.ts"
import { ConnectionKey } from "./internal/conversation/ConnectionKey.ts"
import { Conversation } from "./internal/conversation/Conversation.ts"
import type { AdapterOptions } from "./internal/conversation/Port.ts"
import { type Decoded, TextReader } from "./internal/conversation/TextReader.ts"
import { type Answer, HostLane } from "./internal/lanes/HostLane.ts"
import { acquired, Host } from "./internal/runtime/Host.ts"

/**
 * A way to the other side, such as the events that answer a post.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lane {
  /**
   * Takes a text, and waits until it is written, or cannot be any more. It must end, because the sender waits for it.
   */
  readonly send: (text: string) => Effect.Effect<void>
}

export { type Decoded } from "./internal/conversation/TextReader.ts"
export { type Answer } from "./internal/lanes/HostLane.ts"

/**
 * The options of a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionOptions extends AdapterOptions {
  /** The methods that the other side may call. */
  readonly router: Lookup
  /** Bounds that differ from `Limits.defaults`. They bound the session, not each text. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * One conversation by several lanes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  /**
   * Takes a text of the other side, and gives the text of the reply, or nothing where it holds only notifications and
   * responses. It waits for the requests of the text, and `Limits.notification` at most for its notifications.
   *
   * Texts that handlers send before the answer go by the lane. Without a lane they can send and ask nothing. An
   * interruption interrupts the handlers of this text, and waits for them. A session that is over answers -32000
   * "Shutting down".
   *
   * The calls of the text have `from`: what the host knows of who sent it.
   *
   * A text for which there is no room waits. It does not count on the budget: the host that holds it bounds how many
   * texts wait.
   */
  readonly answer: (text: string | Decoded, lane?: Lane, from?: unknown) => Effect.Effect<Option.Option<string>>

  /** Takes a text as `answer` does, and gives its error beside the text, for a host that shows errors otherwise, too. */
  readonly outcome: (text: string | Decoded, lane?: Lane, from?: unknown) => Effect.Effect<Answer>

  /** The other side by a lane of its own, for what belongs to no request. */
  readonly caller: (lane: Lane) => Caller

  /** How many calls of the other side run, or wait for their turn. */
  readonly running: () => number

  /** How many calls of ours wait for their response. */
  readonly waiting: () => number

  /** Why the session is over, if it is: `Closed`, or `Overrun` when notifications exceeded the budget. */
  readonly gone: () => DisconnectReason | undefined

  /**
   * Ends the session: calls that wait and those to come fail with `Disconnected`, handlers are interrupted and waited
   * for, and their requests are answered "Shutting down". Closing the Scope does the same.
   */
  readonly close: Effect.Effect<void>
}

/**
 * A session. It has no fiber and no timer while nothing runs in it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: SessionOptions): Effect.Effect<Session, never, Scope.Scope> =>
  acquired((context) => {
    // Wrong limits are refused when the session is made.
    Limits.make(options.limits)
    return new Lasting(options, context)
  }, ({ close }) => close)

/**
 * Reads texts by the rules of a dialect, as a session does: for a host that looks at a text before it answers it. It
 * looks up the rules of the dialect for each text. A host that has weighed the text says so (`Weight.ofText`).
 *
 * @category decoding
 * @since 0.1.0
 */
export const decoder = (
  options: Pick<SessionOptions, "dialect" | "limits"> = {}
): (text: string, weight?: number) => Decoded => {
  const reader = new TextReader(options.dialect ?? Dialect.jsonRpc, Limits.make(options.limits))
  return (text, weight) => reader.read(text, weight)
}

/** The parts of a session that exist only while something runs in it. */
interface Live {
  readonly conversation: Conversation
  readonly callers: WeakMap<Lane, Caller>
}

/**
 * Thousands of sessions wait for a text that may never come. So a conversation is made when a text or a call comes, and
 * let go when nothing is left in it; and a session has hardly a function of its own.
 */
class Lasting implements Session {
  readonly #options: SessionOptions
  readonly #context: Context.Context<never>
  readonly #connection = new ConnectionKey()
  #live: Live | undefined = undefined
  #lastId = 0

  constructor(options: SessionOptions, context: Context.Context<never>) {
    this.#options = options
    this.#context = context
  }

  // Hosts pass it on as a function.
  readonly answer: Session["answer"] = (...given) =>
    Effect.map(this.outcome(...given), ({ text }) => Option.fromUndefinedOr(text))

  outcome(text: string | Decoded, lane?: Lane, from?: unknown): Effect.Effect<Answer> {
    return this.#holding((conversation) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const collecting = new HostLane(conversation, lane && ((text) => lane.send(text)), { context, from })
        return collecting.answer(text, new TextReader(conversation.dialect, conversation.limits))
      })
    )
  }

  caller(lane: Lane): Caller {
    return {
      request: (...call) => this.#holding(() => this.#callerBy(lane).request(...call)),
      notify: (...call) => this.#holding(() => this.#callerBy(lane).notify(...call)),
      batch: (...call) => this.#holding(() => this.#callerBy(lane).batch(...call)),
      listen: (...call) => this.#holding(() => this.#callerBy(lane).listen(...call)),
      pause: () => this.#callerBy(lane).pause(),
      pipe: Prototype.pipe
    }
  }

  running() {
    return this.#live?.conversation.theirs.size ?? 0
  }

  waiting() {
    return this.#live?.conversation.ours.size ?? 0
  }

  gone() {
    return this.#live?.conversation.reason
  }

  get close() {
    return Effect.andThen(
      Effect.suspend(() => this.#wake().conversation.closing({ _tag: "Closed" })),
      this.#connection.settled
    )
  }

  #wake(): Live {
    if (this.#live !== undefined) return this.#live
    const limits = Limits.make(this.#options.limits)
    const host = new Host(this.#context, limits)
    const options = { ...this.#options, host, limits, connection: this.#connection, lastId: this.#lastId }
    const port = { stepped: () => this.#rest(), current: () => this.#wake().conversation }
    return this.#live = { callers: new WeakMap(), conversation: new Conversation(options, port) }
  }

  #rest(): true {
    if (this.#live?.conversation.isForgettable() === true) {
      this.#lastId = this.#live.conversation.lastId
      this.#live = undefined
    }
    return true
  }

  /** Uses the conversation of the moment, which is not let go meanwhile. */
  #holding<A, E, R>(use: (conversation: Conversation) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const { conversation } = this.#wake()
        conversation.hold()
        return conversation
      }),
      use,
      (conversation) => Effect.sync(() => conversation.release())
    )
  }

  #callerBy(lane: Lane): Caller {
    const { callers, conversation } = this.#wake()
    const known = callers.get(lane)
    if (known !== undefined) return known
    const made = CallContext.callerBy(conversation, new HostLane(conversation, (text) => lane.send(text)))
    callers.set(lane, made)
    return made
  }
}
