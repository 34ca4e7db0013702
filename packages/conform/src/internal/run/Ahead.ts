/**
 * Processes that are started ahead of the probes that need them: a server that takes seconds to start takes them while other
 * probes run.
 */
import type { Transport } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Target } from "../../Target.ts"

/** A target whose connections may have been opened before. */
export interface Ahead {
  readonly target: Target
  /** Starts processes from now on. Until then, and where a connection is no process, nothing is started ahead. */
  readonly begin: Effect.Effect<void>
}

interface Spare {
  readonly transport: Transport
  readonly scope: Scope.Closeable
  readonly started: number
}

/** How many processes wait. */
const most = 2

/** How long one may wait: a server may end by itself when nobody asks it anything. */
const longest = Duration.toMillis(Duration.seconds(10))

/** Starts nothing yet. What waits ends with the Scope. */
export const make = Effect.fnUntraced(function*(target: Target): Effect.fn.Return<Ahead, never, Scope.Scope> {
  if (target._tag === "Http" || !target.isProcess) return { target, begin: Effect.void }
  // Processes that nobody needs any more end at once, not one after the other.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const spares: Array<Spare> = []
  let hasBegun = false

  const spare = Effect.gen(function*() {
    const own = yield* Scope.fork(scope)
    const transport = yield* Effect.onError(Scope.provide(target.connect, own), () => Scope.close(own, Exit.void))
    spares.push({ transport, scope: own, started: yield* Clock.currentTimeMillis })
  })
  // Where a process cannot be started, the probe that needs one says so.
  const start = Effect.forkIn(Effect.ignore(spare), scope)

  const connect = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    for (let one = spares.shift(); one !== undefined; one = spares.shift()) {
      const { scope: own, started, transport } = one
      const isFresh = now - started < longest
      if (isFresh) yield* Effect.addFinalizer(() => Scope.close(own, Exit.void))
      yield* start
      if (isFresh) return transport
      yield* Effect.forkIn(Scope.close(own, Exit.void), scope)
    }
    return yield* target.connect
  })

  return {
    target: { ...target, connect: Effect.suspend(() => hasBegun ? connect : target.connect) },
    begin: Effect.suspend(() => {
      hasBegun = true
      return Effect.forEach(Array.from({ length: most }), () => start, { discard: true })
    })
  }
})
