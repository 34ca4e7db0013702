/**
 * The engine in memory, which nodes of one process share. A node that is alone uses it by default. In tests it stands for a
 * real engine: nodes can be killed and paused, and the engine itself can be stopped.
 *
 * ```ts run
 * import { MemoryNodes, MeshNode } from "@parley/mesh"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const engine = yield* MemoryNodes.makeEngine
 *   const ada = yield* MeshNode.make(engine, { name: "ada" })
 *   const bob = yield* MeshNode.make(engine, { name: "bob" })
 *   yield* ada.claim("session/1")
 *   console.log((yield* bob.owner("session/1")) === ada.node) // => true
 *   const back = engine.stop()
 *   console.log((yield* Effect.flip(bob.owner("session/1"))).message)
 *   // => session/1 takes nothing now: the engine is away
 *   back()
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { MeshEngine, Ownership } from "../../MeshEngine.ts"
import { Overloaded } from "../MeshError.ts"

/**
 * An engine in memory.
 *
 * @category models
 * @since 0.1.0
 */
export interface MemoryEngine extends MeshEngine {
  /** Kills the node of this name: it neither sends nor receives any more. Its keys are free when its lease is over. */
  readonly kill: (node: string) => void
  /**
   * Pauses the node of this name: what it does and what is sent to it waits, until the function is called that this
   * gives.
   */
  readonly pause: (node: string) => () => void
  /**
   * Stops the engine: every operation fails, until the function is called that this gives. With `true` the engine comes back
   * empty. For the length of a lease it then gives a key only to a node that may have owned it.
   */
  readonly stop: () => (isEmptied?: boolean) => void
}

interface Owner extends Ownership {
  /** Whether another had the key before, and may come back for it. */
  readonly hasFollowed: boolean
}

/** The owner of a key that was freed. */
const nobody = ""

const returning = (key: string) => new Overloaded({ key, reason: "the engine was away, and waits for owners of keys" })

/** Keys that were freed, and of which it is known that they had another owner. */
const mostKnown = 65_536

/**
 * An engine in memory. Its time is that of the `Clock` of this effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeEngine: Effect.Effect<MemoryEngine> = Effect.map(Clock.Clock, (clock) => over(clock))

const over = (clock: Clock.Clock): MemoryEngine => {
  /** Until when nodes live, in milliseconds of the clock. */
  const nodes = new Map<string, number>()
  /** The one that was claimed last is the last. */
  const owners = new Map<string, Owner>()
  const members = new Map<string, Set<string>>()
  const listeners = new Map<string, (text: string) => void>()
  const dead = new Set<string>()
  const paused = new Map<string, Array<() => void>>()
  /** One count for all keys: a key that was forgotten still gets a greater one. */
  let epoch = 0
  let isAway = false
  /** The longest lease that a node had. */
  let longest = 0
  /** When it has waited for owners since it was away, and whether it had forgotten them. */
  let known = Number.NEGATIVE_INFINITY
  let wasEmptied = false

  const at = <A>(key: string, run: (now: number) => A): Effect.Effect<A, Overloaded> =>
    Effect.suspend(() =>
      isAway
        ? Effect.fail(new Overloaded({ key, reason: "the engine is away" }))
        : Effect.succeed(run(clock.currentTimeMillisUnsafe()))
    )

  /** Runs what a node does, unless it is dead, and not while it stands still. */
  const by = <A>(node: string, run: (now: number) => A): Effect.Effect<A, Overloaded> =>
    Effect.suspend(() => {
      if (dead.has(node)) return Effect.fail(new Overloaded({ key: node, reason: "the node was killed" }))
      const waiting = paused.get(node)
      return waiting === undefined ? at(node, run) : Effect.flatMap(
        Effect.callback<void>((resume) => void waiting.push(() => resume(Effect.void))),
        () => by(node, run)
      )
    })

  const isAlive = (node: string, now: number): boolean => (nodes.get(node) ?? 0) > now

  /** A node is a member of nothing any more. Its keys are free, but it is known whose they were: it may come back. */
  const forget = (node: string) => {
    nodes.delete(node)
    for (const [name, set] of members) {
      set.delete(node)
      if (set.size === 0) members.delete(name)
    }
  }

  /** One who has lost the key must not find it as if nobody had had it since. */
  const free = (key: string, { epoch, hasFollowed }: Owner) => {
    owners.delete(key)
    if (hasFollowed) owners.set(key, { node: nobody, epoch, hasFollowed })
  }

  const ownerOf = (key: string, now: number): Ownership | undefined => {
    const owner = owners.get(key)
    return owner !== undefined && isAlive(owner.node, now) ? owner : undefined
  }

  /** Whether a key may be that of another, who has not come back yet since the engine was away. */
  const isMissed = (key: string, node: string, now: number): boolean => {
    if (now >= known) return false
    const owner = owners.get(key)
    return owner === undefined ? wasEmptied : owner.node !== node && owner.node !== nobody
  }

  return {
    beat: (node, milliseconds) =>
      by(node, (now) => {
        const wasAlive = isAlive(node, now)
        // Those that went without a word are forgotten when another speaks.
        for (const [other, until] of nodes) if (until <= now) forget(other)
        nodes.set(node, now + milliseconds)
        longest = Math.max(longest, milliseconds)
        return wasAlive
      }),
    leave: (node) =>
      by(node, () => {
        forget(node)
        for (const [key, ownership] of owners) if (ownership.node === node) free(key, ownership)
      }),
    claim: (key, node) =>
      Effect.flatten(by(node, (now) => {
        const owner = ownerOf(key, now)
        if (owner !== undefined && owner.node !== node) return Effect.succeed(owner)
        if (isMissed(key, node, now)) {
          return Effect.fail(returning(key))
        }
        const claimed: Owner = { node, epoch: ++epoch, hasFollowed: owners.has(key) }
        owners.delete(key)
        owners.set(key, claimed)
        for (const [oldest, { node }] of owners) {
          if (owners.size <= mostKnown || node !== nobody) break
          owners.delete(oldest)
        }
        return Effect.succeed(claimed)
      })),
    keep: (key, ownership) =>
      by(ownership.node, (now) => {
        const owner = owners.get(key)
        const isNewer = wasEmptied && now < known && ownership.epoch > (owner?.epoch ?? 0)
        if (isNewer) owners.set(key, { ...ownership, hasFollowed: true })
        return isNewer || owner?.epoch === ownership.epoch
      }),
    release: (key, { epoch, node }) =>
      by(node, () => {
        const owner = owners.get(key)
        if (owner?.epoch === epoch) free(key, owner)
      }),
    owner: (key) =>
      Effect.flatten(at(key, (now) =>
        owners.has(key) || !wasEmptied || now >= known
          ? Effect.succeed(ownerOf(key, now)?.node)
          : Effect.fail(returning(key)))),
    join: (name, node) =>
      by(node, () => {
        const set = members.get(name) ?? new Set()
        members.set(name, set.add(node))
      }),
    part: (name, node) => by(node, () => void members.get(name)?.delete(node)),
    members: (name) => at(name, (now) => [...members.get(name) ?? []].filter((node) => isAlive(node, now))),
    publish: (node, to, text) =>
      by(node, () => {
        const listener = listeners.get(to)
        if (listener === undefined) return false
        const waiting = paused.get(to)
        if (waiting === undefined) listener(text)
        else waiting.push(() => listener(text))
        return true
      }),
    subscribe: (node, onText) =>
      Effect.acquireRelease(
        at(node, () => void listeners.set(node, onText)),
        () => Effect.sync(() => void listeners.delete(node))
      ),
    kill: (node) => {
      dead.add(node)
      listeners.delete(node)
    },
    pause: (node) => {
      const waiting: Array<() => void> = []
      paused.set(node, waiting)
      return () => {
        paused.delete(node)
        for (const go of waiting) go()
      }
    },
    stop: () => {
      isAway = true
      return (isEmptied = false) => {
        isAway = false
        wasEmptied = isEmptied
        known = clock.currentTimeMillisUnsafe() + longest
        if (isEmptied) { for (const all of [nodes, owners, members]) all.clear() }
      }
    }
  }
}
