/** A legacy session: its id, one conversation, and the streams that carry it. */
import type { Caller } from "@parley/peer/Caller"
import type { Lookup } from "@parley/peer/Handler"
import * as Session from "@parley/peer/Session"
import type { Handshake } from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { CallerInfo } from "../../../McpContext.ts"
import type { McpServer } from "../../../McpServer.ts"
import type { Connection, ConnectionRecord } from "../../../server/Connection.ts"
import * as Network from "../../../wire/Network.ts"
import type { Claim } from "../nodes/Claims.ts"
import type { Party } from "../quota/Parties.ts"
import type { Pulse } from "../server/Pulse.ts"
import type { QuestionIds } from "./QuestionIds.ts"
import { SessionStream, type StreamHost } from "./SessionStream.ts"

/** What all sessions of an endpoint share. @internal */
export interface SessionHost {
  readonly server: McpServer
  readonly limits: Session.SessionOptions["limits"]
  /** Gives the ids of our requests, where other processes may have the same sessions. */
  readonly questionIds?: QuestionIds | undefined
  /**
   * The context of the endpoint. The context of the request that begins a session would be kept as long as the
   * session.
   */
  readonly context: Context.Context<never>
  readonly events: StreamHost["events"]
  /** Hears that another process has a session by now. */
  readonly onFenced: (session: HttpSession) => void
  readonly keepAlive: Pulse
  /** Begins the streams of answers that take their time, so that their clients can come back. */
  readonly patience: Pulse
  /** Milliseconds. */
  readonly retry: number
}

/** What is known of a session that begins. @internal */
export interface Begin {
  readonly id: string
  readonly principal: string | undefined
  readonly record?: ConnectionRecord | undefined
  /** The claim of this node, where others could hold the session. */
  readonly claim?: Claim | undefined
  /** The party whose quota it counts on. */
  readonly party: Party
  /** The address that is its party for other bounds, if any is. */
  readonly address?: string | undefined
}

/** The request of HTTP that brings calls: what is known of their caller comes from it, and from no other. @internal */
export interface Bringer {
  readonly handshake: Handshake
  /** The stream of their answers, where their client takes one. */
  readonly stream?: SessionStream | undefined
}

/** @internal */
export class HttpSession implements StreamHost {
  readonly id: string
  readonly principal: string | undefined
  readonly claim: Claim | undefined
  /** Whether another process had it before. */
  readonly isAdopted: boolean
  readonly party: Party
  readonly address: string | undefined
  readonly host: SessionHost
  readonly connection: Connection
  readonly conversation: Session.Session
  readonly #asking: AskingCalls
  readonly #scope: Scope.Closeable
  /** When it was used last, in milliseconds of the clock. */
  used = 0
  /** When a store was told so. */
  stored = Number.NEGATIVE_INFINITY
  /** Whether what a store should know has changed. */
  isChanged = false
  isEnded = false
  /** Anonymous, and still without a call: it is evicted first when the limit of sessions is reached. */
  isEvictable: boolean
  /** Deleted by its client: it is not saved again. */
  isDeleted = false
  /** How many streams are read now. */
  streams = 0
  /** The weight of calls that run on after their clients have left. */
  left = 0
  /** The weight of what its client has said of itself, and listens to. */
  kept = 0
  /** The record that was weighed. */
  weighed: ConnectionRecord | undefined = undefined
  #general: SessionStream | undefined = undefined
  #writing: Semaphore.Semaphore | undefined = undefined
  #peer: Caller | undefined = undefined
  /** The streams of requests that run, by their names. */
  #answering: Map<string, SessionStream> | undefined = undefined

  private constructor(
    { address, claim, id, party, principal, record }: Begin,
    host: SessionHost,
    scope: Scope.Closeable,
    connection: Connection,
    conversation: Session.Session,
    asking: AskingCalls
  ) {
    this.id = id
    this.principal = principal
    this.isEvictable = principal === undefined
    this.claim = claim
    this.isAdopted = record !== undefined
    this.party = party
    this.address = address
    this.host = host
    this.#scope = scope
    this.connection = connection
    this.conversation = conversation
    this.#asking = asking
  }

  static readonly make = (host: SessionHost, begin: Begin): Effect.Effect<HttpSession> =>
    Effect.suspend(() => {
      const { limits, questionIds, server } = host
      const scope = Scope.makeUnsafe()
      // The connection and the session need each other.
      let session: HttpSession | undefined = undefined
      const connection = server.connect({
        era: "legacy",
        network: Network.http,
        session: begin.id,
        record: begin.record,
        peer: () => session?.peer,
        isRead: () => session?.general.isRead === true,
        onRecord: () => session?.changed(),
        // Each text of the conversation comes with a `Bringer`.
        caller: ({ from }) => session?.callerOf(from as Bringer)
      })
      const { dialect } = connection
      const asking = new AskingCalls()
      const router = asking.counted(connection.router)
      return Effect.map(
        Effect.setContext(
          Session.make({ router, dialect, limits, idPrefix: questionIds?.prefix() }),
          Context.add(host.context, Scope.Scope, scope)
        ),
        (conversation) => session = new HttpSession(begin, host, scope, connection, conversation, asking)
      )
    })

  get events() {
    return this.host.events
  }

  onFenced() {
    this.host.onFenced(this)
  }

  get epoch(): number {
    return this.claim?.epoch ?? 0
  }

  get keepAlive() {
    return this.host.keepAlive
  }

  get priming() {
    const { events, retry } = this.host
    return events.areKept && this.connection.codec()?.features.primingEvents === true ? retry : undefined
  }

  /** Lets one at a time write to the store, so that nothing is written behind its end. */
  get writing(): Semaphore.Semaphore {
    return this.#writing ??= Semaphore.makeUnsafe(1)
  }

  /** The stream of what belongs to no request. */
  get general(): SessionStream {
    return this.#general ??= new SessionStream(this, [], undefined, () => this.connection.resume())
  }

  /** The other side, for what belongs to no request. */
  get peer(): Caller {
    return this.#peer ??= this.conversation.caller(this.general)
  }

  changed() {
    this.isChanged = true
  }

  callerOf({ handshake, stream }: Bringer): CallerInfo {
    return { principal: this.principal, party: this.address, handshake, closeStream: stream?.pause }
  }

  /** Requests are about to be answered by a stream. */
  open(stream: SessionStream) {
    ;(this.#answering ??= new Map()).set(stream.name, stream)
  }

  /** They are answered. */
  shut(stream: SessionStream) {
    this.#answering?.delete(stream.name)
    if (this.#answering?.size === 0) this.#answering = undefined
  }

  /** A stream that goes on, by its name. */
  streamOf(name: string): SessionStream | undefined {
    return this.#general?.name === name ? this.#general : this.#answering?.get(name)
  }

  /** Whether a stream is read, or a call does work. A call that waits for its client does none, however much it asks. */
  isBusy(): boolean {
    return this.streams > 0 || this.isWorking()
  }

  /** Whether a call of its client runs, or waits for its turn. */
  get isRunning(): boolean {
    return this.conversation.running() > 0
  }

  /** Whether a call runs that does not wait for its client, which may be gone. */
  isWorking(): boolean {
    return this.conversation.running() > this.#asking.size
  }

  /** Ends what runs, then the streams. What was kept of them stays, for another process, unless it is for good. */
  end(isForGood: boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.isEnded) return Effect.void
      this.isEnded = true
      const closed = Effect.andThen(this.connection.close, Scope.close(this.#scope, Exit.void))
      return Effect.andThen(
        closed,
        Effect.suspend(() => {
          this.#general?.end()
          // A call that has run is answered, and the answer may take its time on the way to the journal.
          const answered = Effect.forEach([...this.#answering?.values() ?? []], ({ ended }) => ended, { discard: true })
          return isForGood ? Effect.andThen(answered, this.events.drop(this)) : answered
        })
      )
    })
  }
}

/** The calls of a client whose handlers wait for it, however much each has asked. */
export class AskingCalls {
  size = 0

  /** Counts the calls that this router serves. */
  counted(router: Lookup): Lookup {
    return {
      isConcurrent: router.isConcurrent,
      exact: router.exact,
      handlerOf: (method) => {
        const handler = router.handlerOf(method)
        return handler && ((call) => handler({ ...call, peer: this.#peerOf(call.peer) }))
      }
    }
  }

  /** The client, as one call asks it. */
  #peerOf(peer: Caller): Caller {
    let waiting = 0
    const wait = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          if (waiting++ === 0) this.size++
        }),
        () => effect,
        () =>
          Effect.sync(() => {
            if (--waiting === 0) this.size--
          })
      )
    return {
      ...peer,
      request: (...question) => wait(peer.request(...question)),
      batch: (...questions) => wait(peer.batch(...questions))
    }
  }
}

/** The first that is not at work. @internal */
export const leastUsed = (sessions: Iterable<HttpSession>): HttpSession | undefined => {
  for (const session of sessions) if (!session.isBusy()) return session
  return undefined
}

/** An id of a session. @internal */
export const newSessionId = (): string => crypto.randomUUID()

/** Whether a text may be the id of a session: nobody is asked for a session of any other. @internal */
export const isSessionId = (id: string): boolean => uuid.test(id)

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
