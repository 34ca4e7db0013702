/**
 * Calls by a connection that may drain. Calls that the other side refuses before
 * they start are made again by the connection that follows, within what is left
 * of their time.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Json } from "effect/Schema"
import type { Caller, CallOptions } from "../../Caller.ts"
import { type CallError, isRefusedUnstarted, isShutDown, ofCall } from "../CallerError.ts"
import type { Host } from "../runtime/Host.ts"
import { type DeadlineQueue, timeoutMillis } from "../timer/DeadlineQueue.ts"
import { whole, within } from "./ConnectingCaller.ts"

/** @internal */
export interface Options {
  /** Calls by the connection of the moment, or waits for the next one. */
  readonly next: Pick<Caller, "request" | "batch">
  /** Makes this connection that of no further call. */
  readonly leave: () => void
  /** Its code tells that the other side shuts down. The dialect of JSON-RPC by default. */
  readonly dialect: Dialect | undefined
  /** Milliseconds that a call waits when it does not say so. */
  readonly timeout: number
  readonly host: Pick<Host, "log"> & { readonly timers: Pick<DeadlineQueue, "now"> }
}

/** @internal */
export interface DrainableCaller extends Caller {
  /** Tells its listeners that this connection is that of no further call, which it must be by then: they may call. */
  readonly left: () => void
}

/** @internal */
export const make = (peer: Caller, { dialect, host, leave, next, timeout }: Options): DrainableCaller => {
  const movers = new Set<{ readonly method: string; readonly moved: () => void }>()
  /** Tells a listener. One that throws stops neither the others nor the next connection. */
  const tell = ({ method, moved }: { readonly method: string; readonly moved: () => void }) => {
    try {
      moved()
    } catch (defect) {
      host.log(`the \`moved\` of a listener to ${method} threw`, Cause.die(defect))
    }
  }
  /** The time of a call that begins now: all of it, and a function that gives what is left of it. */
  const timeOf = (options: Pick<CallOptions, "timeout"> | undefined) => {
    const milliseconds = timeoutMillis(options?.timeout ?? timeout)
    const due = host.timers.now() + milliseconds
    return { milliseconds, left: () => Math.max(0, due - host.timers.now()) }
  }
  return {
    ...peer,
    left: () => movers.forEach(tell),
    listen: (method, listener) => {
      const { moved } = listener
      const listening = peer.listen(method, listener)
      if (moved === undefined) return listening
      const mover = { method, moved }
      return Effect.acquireRelease(
        Effect.sync(() => movers.add(mover)),
        () => Effect.sync(() => movers.delete(mover))
      ).pipe(Effect.andThen(listening))
    },
    request: (method, params, options) => {
      const { left, milliseconds } = timeOf(options)
      return Effect.catch(peer.request(method, params, options), (error) => {
        const isRefused = isRefusedUnstarted(error)
        if (isRefused || isShutDown(error, dialect)) leave()
        return isRefused && options?.pinned !== true
          ? Effect.suspend(() => within(options, milliseconds, left(), (rest) => next.request(method, params, rest)))
          : Effect.fail(error)
      })
    },
    batch: (members, options) => {
      const { left, milliseconds } = timeOf(options)
      return Effect.flatMap(peer.batch(members, options), (outcomes) => {
        const refused = members.flatMap((member, place) => isRefusal(outcomes[place]) ? [{ member, place }] : [])
        if (refused.length === 0) return Effect.succeed(outcomes)
        leave()
        const again = Effect.suspend(() =>
          next.batch(refused.map(({ member }) => member), { ...options, timeout: left() })
        )
        return Effect.map(Effect.result(again), (later) => {
          const merged = [...outcomes]
          refused.forEach(({ member: { method }, place }, index) => {
            merged[place] = Result.isSuccess(later)
              ? named(later.success[index], milliseconds)
              : Result.fail(ofCall(later.failure, { method }))
          })
          return merged
        })
      })
    }
  }
}

type Outcome = Result.Result<Json, CallError> | undefined

const isRefusal = (outcome: Outcome): boolean =>
  outcome !== undefined && Result.isFailure(outcome) && isRefusedUnstarted(outcome.failure)

const named = (outcome: Outcome, milliseconds: number): Outcome =>
  outcome === undefined ? undefined : Result.mapError(outcome, whole(milliseconds))
