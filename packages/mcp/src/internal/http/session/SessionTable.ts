/**
 * The legacy sessions of an endpoint: as many as there may be, each for as long as
 * it is used. One that this process does not hold may be in the store.
 */
import type { Claimed, Overloaded } from "@parley/mesh/Mesh"
import * as Limits from "@parley/protocol/Limits"
import type { RequestId } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SessionStore } from "../../../http/SessionStore.ts"
import { Adoptions } from "../nodes/Adoptions.ts"
import { type Claims, unclaimed } from "../nodes/Claims.ts"
import { Handover } from "../nodes/Handover.ts"
import type { Requester } from "../quota/Requester.ts"
import { HeldWeight, weightOf } from "./HeldWeight.ts"
import { type Begin, HttpSession, isSessionId, leastUsed, newSessionId, type SessionHost } from "./HttpSession.ts"
import { misrouting, QuestionIds } from "./QuestionIds.ts"
import { atOnce, Records, staleness } from "./Records.ts"

/** @internal */
export interface Options extends Omit<SessionHost, "questionIds" | "onFenced"> {
  readonly idle: Duration.Duration
  readonly max: number
  readonly store: SessionStore | undefined
  /** Sees to it that no other node holds what this one does. */
  readonly claims: Claims | undefined
}

/**
 * The sender has all sessions that its quota allows, no other session may end for a new one, or another process may have it.
 *
 * @internal
 */
export type NoRoom = "beyond quota" | "full" | "out of reach"

/** @internal */
export interface SessionTable {
  /** A new session, or why there is none. */
  readonly make: (principal: string | undefined, requester: Requester) => Effect.Effect<HttpSession | NoRoom>
  /**
   * The session of an id, where it is still there and is theirs. One that comes from the store counts on their quota, and
   * may have no room.
   */
  readonly find: (
    id: string,
    principal: string | undefined,
    requester: Requester
  ) => Effect.Effect<HttpSession | NoRoom | undefined>
  /** It has made a call: it does not end for others any more. */
  readonly called: (session: HttpSession) => void
  /** Whether it is held here. */
  readonly holds: (id: string) => boolean
  /** Whether it is held here, is read from the store, or is over for good. */
  readonly knows: (id: string, principal: string | undefined) => boolean
  /** Takes up a session that no process holds, if the store knows it and it is theirs. */
  readonly adopt: (
    id: string,
    principal: string | undefined,
    requester: Requester
  ) => Effect.Effect<void, Claimed | Overloaded>
  /** It is in use now. */
  readonly use: (session: HttpSession) => void
  /**
   * The calls of a text of this weight run on without their client. All that do so hold half as much as all calls may, so
   * that there is room for clients that wait; then the session that holds most is over. Gives what is to be called at the
   * end.
   */
  readonly leave: (session: HttpSession, weight: number) => () => void
  /** Whether this process may have sent the request of this id. */
  readonly hasAsked: (id: RequestId.RequestId) => boolean
  /** Says once in the log that the answers of a client do not reach the process that asked. */
  readonly tellOfMisrouting: () => void
  /** Weighs what its client has said, and tells the store what it should know. */
  readonly keep: (session: HttpSession) => Effect.Effect<void>
  /** Ends a session for good, and tells whether the store has forgotten it. Its handlers may take their time to end. */
  readonly end: (session: HttpSession) => Effect.Effect<boolean>
  /** Nothing of it runs any more that its client has just asked for. A process that ends lets go of it then. */
  readonly rest: (session: HttpSession) => void
  /**
   * Lets go of the sessions of which nothing runs, so that other processes may have them, then of each of the others when
   * its calls have ended. Ends when none is left; whoever reads a stream is not waited for.
   */
  readonly drained: Effect.Effect<void>
  /** Ends all of this process, and waits a moment for them; a store keeps them for the next. */
  readonly close: Effect.Effect<void>
}

/** @internal */
export const make = (options: Options): SessionTable => {
  const { claims, context, max } = options
  const records = options.store && new Records(options.store, options.server.info.name)
  const questionIds = records && new QuestionIds()
  const host: SessionHost = { ...options, questionIds, onFenced: (session) => lose(session) }
  const clock = Context.get(context, Clock.Clock)
  const idle = Duration.toMillis(options.idle)
  const fork = Effect.runForkWith(context)
  /** The one that was used last is the last. */
  const held = new Map<string, HttpSession>()
  const ending = new Set<Fiber.Fiber<void>>()
  const adopting = new Adoptions<HttpSession | NoRoom | undefined, Claimed | Overloaded>()
  const { budget } = Limits.make(options.limits)
  const most = budget / partForSessions
  const kept = new HeldWeight<HttpSession>("kept", most)
  const left = new HeldWeight<HttpSession>("left", most)
  /** Sessions that wait for their claims. */
  let beginning = 0
  let isOver = false
  let sweeper: Fiber.Fiber<void> | undefined

  const use = (session: HttpSession) => {
    if (session.isEnded) return
    session.used = clock.currentTimeMillisUnsafe()
    held.delete(session.id)
    held.set(session.id, session)
  }

  const begin = (
    known: Omit<Begin, "party">,
    requester: Requester
  ): Effect.Effect<HttpSession | NoRoom | undefined, Claimed | Overloaded> =>
    Effect.suspend((): Effect.Effect<HttpSession | NoRoom | undefined, Claimed | Overloaded> => {
      const party = requester.take("sessions")
      if (party === undefined) return Effect.succeed("beyond quota")
      if (!makeRoom()) {
        party.give("sessions")
        return Effect.succeed("full")
      }
      beginning++
      const giveBack = Effect.sync(() => party.give("sessions"))
      return hold({ ...known, party, address: requester.party }).pipe(
        Effect.onError(() => giveBack),
        Effect.tap((session) => session === undefined ? giveBack : Effect.void),
        Effect.ensuring(Effect.sync(() => void beginning--))
      )
    })

  /** Begins a session that no other node holds. One of the store is not there any more where it has ended meanwhile. */
  const hold = (begin: Begin): Effect.Effect<HttpSession | "full" | undefined, Claimed | Overloaded> => {
    if (claims === undefined) return begun(begin)
    let session: HttpSession | undefined
    let isLost = false
    const onLost = () => {
      isLost = true
      if (session !== undefined) lose(session)
    }
    return Effect.flatMap(claims.take(begin.id, onLost), (claim) => {
      const began = (begin: Begin) =>
        Effect.map(begun({ ...begin, claim }), (begun) => {
          if (begun !== "full") session = begun
          if (isLost || isOver) onLost()
          return session?.isEnded === true ? "full" : begun
        })
      if (begin.record === undefined || records === undefined) return began(begin)
      const owner = { id: begin.id, epoch: claim.epoch }
      const fenced = Effect.andThen(options.events.fence(owner), records.fence(owner))
      // The owner before may have changed it until it was fenced.
      return Effect.flatMap(
        Effect.onError(Effect.andThen(fenced, known(begin)), () => claim.release),
        (record) => record === undefined ? Effect.as(claim.release, undefined) : began({ ...begin, record })
      )
    })
  }

  /** The record of a session that other processes had. A session of another principal does not come back, and counts on no quota. */
  const known = ({ id, principal }: Pick<Begin, "id" | "principal">) =>
    records === undefined ? Effect.undefined : Effect.map(
      records.read(id, principal, clock.currentTimeMillisUnsafe() - idle - staleness),
      (record) => record?.connection
    )

  const begun = (begin: Begin): Effect.Effect<HttpSession | "full"> =>
    Effect.map(HttpSession.make(host, begin), (session) => {
      use(session)
      weigh(session)
      if (!isOver) sweeper ??= fork(Effect.andThen(Effect.sleep(idle), sweep))
      return session.isEnded ? "full" : session
    })

  /** Lets go of a session. Nobody waits until its handlers have ended. No other node has it before its record is removed. */
  const release = (session: HttpSession, isForGood: boolean, removed: Effect.Effect<void> = Effect.void) => {
    if (held.get(session.id) === session) {
      held.delete(session.id)
      session.party.give("sessions")
    }
    left.set(session, 0)
    weighAs(session, 0)
    const ended = session.end(isForGood)
    const { claim } = session
    const fiber = fork(claim === undefined ? ended : Effect.ensuring(ended, Effect.andThen(removed, claim.release)))
    ending.add(fiber)
    fiber.addObserver(() => {
      ending.delete(fiber)
      handover.check()
    })
  }

  const handover = new Handover({
    sessions: () => held.values(),
    release: (session) => release(session, records === undefined),
    isDone: () => held.size === 0 && ending.size === 0
  })

  /** Lets go of a session that another node has by now. */
  const lose = (session: HttpSession) => {
    if (!session.isEnded) release(session, false)
  }

  /** Lets go of a session for good, at once, and gives what removes its record. */
  const forget = (session: HttpSession): Effect.Effect<boolean> => {
    session.isDeleted = true
    if (records === undefined) {
      release(session, true)
      return Effect.succeed(true)
    }
    const removed = records.remove(session)
    const done = session.claim === undefined ? removed : Fiber.join(fork(removed))
    release(session, true, Effect.asVoid(done))
    return done
  }

  const end = (session: HttpSession): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      if (session.isEnded) return Effect.succeed(true)
      // Who ends it may leave before that is done.
      return Fiber.join(fork(forget(session)))
    })

  const weighAs = (session: HttpSession, weight: number) => {
    session.party.kept += weight - session.kept
    kept.set(session, weight)
  }

  /**
   * Weighs what its client has said by now. Where all sessions hold too much, it is over, or a heavier one that may end for
   * others. So is it where its party holds too much of that.
   */
  const weigh = (session: HttpSession) => {
    const record = session.connection.record()
    if (session.isEnded || record === session.weighed) return
    session.weighed = record
    weighAs(session, weightOf(record))
    const { party } = session
    if (party.kept > most / partForParty && party.quota.sessions < Infinity) fork(forget(session))
    const heaviest = () => kept.excess(endedBy(session))
    for (let next = heaviest(); next !== undefined; next = heaviest()) fork(forget(next))
  }

  function* evictable(): Generator<HttpSession> {
    for (const session of held.values()) if (session.isEvictable) yield session
  }

  /** Those that may end because a session holds too much. */
  function* endedBy(session: HttpSession): Generator<HttpSession> {
    yield* evictable()
    if (held.has(session.id)) yield session
  }

  const keep = (session: HttpSession): Effect.Effect<void> =>
    Effect.suspend(() => {
      weigh(session)
      if (records === undefined) return Effect.void
      return Effect.map(records.keep(session), (isOurs) => {
        if (!isOurs) lose(session)
      })
    })

  /** Evicts one session where the limit is reached. With a store it can be restored. */
  const makeRoom = (): boolean => {
    if (isOver) return false
    if (held.size + beginning < max) return true
    const session = leastMissed() ?? (records && leastUsed(held.values()))
    if (session === undefined) return false
    release(session, records === undefined)
    return true
  }

  /** The eviction candidate: the least recently used evictable session of the party with most sessions. */
  const leastMissed = (): HttpSession | undefined => {
    let least: HttpSession | undefined
    for (const session of evictable()) {
      if ((least === undefined || session.party.sessions > least.party.sessions) && !session.isBusy()) least = session
    }
    return least
  }

  const leave = (session: HttpSession, text: number) => {
    const weight = text + weightOfOne
    const count = (by: number) => {
      // What belongs to a session that is over is not counted any more.
      if (!session.isEnded) left.set(session, session.left + by)
    }
    count(weight)
    const heaviest = left.excess(held.values())
    if (heaviest !== undefined) fork(end(heaviest))
    return () => count(-weight)
  }

  const takeOver = (id: string, principal: string | undefined, requester: Requester) =>
    Effect.flatMap(
      known({ id, principal }),
      (record) => record === undefined ? Effect.undefined : begin({ id, principal, record }, requester)
    )

  const restore = (id: string, principal: string | undefined, requester: Requester) =>
    Effect.suspend((): Effect.Effect<HttpSession | NoRoom | undefined, Claimed | Overloaded> => {
      if (records === undefined || records.isRemoving(id) || !isSessionId(id)) return Effect.undefined
      return adopting.join(id, principal, () => fork(takeOver(id, principal, requester)))
    })

  const sweep: Effect.Effect<void> = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    const over: Array<HttpSession> = []
    const told: Array<Effect.Effect<unknown>> = []
    let next = idle
    for (const session of held.values()) {
      // What is at work is in use.
      if (session.isBusy()) {
        session.used = now
        told.push(keep(session))
      }
      const left = session.used + idle - now
      if (left <= 0) over.push(session)
      else next = Math.min(next, left)
    }
    // All are over at once: one that is used while the store takes its time would be cut off.
    told.push(...over.map(forget))
    return Effect.andThen(
      Effect.forEach(told, (telling) => telling, { concurrency: atOnce, discard: true }),
      Effect.suspend(() => {
        if (held.size > 0) return Effect.andThen(Effect.sleep(next), sweep)
        sweeper = undefined
        return Effect.void
      })
    )
  })

  return {
    make: (principal, requester) =>
      Effect.map(unclaimed(begin({ id: newSessionId(), principal }, requester)), (begun) => begun ?? "full"),
    find: (id, principal, requester) =>
      Effect.suspend(() => {
        const session = held.get(id)
        const restored = unclaimed(restore(id, principal, requester))
        const found = session === undefined ? restored : Effect.succeed(session)
        return Effect.map(found, (session) => {
          if (session === undefined || typeof session === "string") return session
          if (session.isEnded || session.principal !== principal) return undefined
          use(session)
          return session
        })
      }),
    called: (session) => {
      session.isEvictable = false
    },
    holds: (id) => held.has(id),
    knows: (id, principal) => held.has(id) || adopting.has(id, principal) || records?.isRemoving(id) === true,
    adopt: (...asked) => Effect.asVoid(restore(...asked)),
    use,
    leave,
    hasAsked: (id) => questionIds === undefined || questionIds.has(id),
    tellOfMisrouting: misrouting(fork),
    keep,
    end,
    rest: (session) => {
      use(session)
      handover.rest(session)
    },
    drained: Effect.suspend(() => {
      isOver = true
      return handover.done
    }),
    close: Effect.suspend(() => {
      isOver = true
      for (const session of [...held.values()]) release(session, records === undefined)
      sweeper?.interruptUnsafe()
      return ending.size === 0
        ? Effect.void
        : Effect.asVoid(Effect.timeoutOption(Fiber.awaitAll([...ending]), grace))
    })
  }
}

/** Milliseconds that handlers have to end when they are interrupted. */
const grace = 1_000

/** The records of sessions, and the calls of clients that have left, may each hold half as much as all calls. */
const partForSessions = 2

/** The sessions of one party may hold a tenth of that, so that a party which protects its sessions by calls leaves room. */
const partForParty = 10

/** About what the fiber of a call weighs. */
const weightOfOne = 4_096
