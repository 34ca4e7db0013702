/**
 * The engine of nodes that share a Redis.
 *
 * A node is a key that it renews. Each key that it owns is a hash with an owner and an epoch, which scripts change
 * atomically. A text to a node is published to its channel; Redis says how many listeners there are.
 *
 * Epochs are the time of the server in microseconds, or one more than the last, where that is greater: they grow even when
 * Redis has lost its data. After Redis or all nodes were away, owners have the time of a lease to come back. Until then a
 * key with a known owner goes to no other node; where Redis may have lost data, unknown keys go to no node.
 *
 * ```ts
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import { MeshNode } from "@parley/mesh"
 * import { RedisNodes } from "@parley/redis"
 * import { Layer, type Redacted } from "effect"
 *
 * declare const key: Redacted.Redacted
 *
 * // A `Mesh` whose nodes are all processes with this Redis and this prefix.
 * export const mesh = MeshNode.layer({ keys: [key], lease: "5 seconds" }).pipe(
 *   Layer.provide(RedisNodes.layerEngine({ prefix: "{shop}:", lease: "5 seconds" })),
 *   Layer.provide(NodeRedis.layer({ url: "redis://127.0.0.1:6379" }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import { Overloaded } from "@parley/mesh/Mesh"
import { MeshEngine } from "@parley/mesh/MeshEngine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import type * as Scope from "effect/Scope"
import * as scripts from "./engineScripts.ts"
import { type Failure, Line, weightOfCommand } from "./Line.ts"
import * as Settings from "./Settings.ts"
import * as Subscription from "./Subscription.ts"
import { told } from "./Told.ts"

/**
 * The options of an engine over Redis.
 *
 * @category models
 * @since 0.1.0
 */
export interface RedisEngineOptions {
  /** The beginning of all keys and channels. `{parley}:` by default: the braces keep them on one shard of a cluster. */
  readonly prefix?: string | undefined
  /** How long owners have to come back when Redis was away: the lease of the nodes. 3 seconds by default. */
  readonly lease?: Duration.Input | undefined
  /** How long Redis may take to answer. A second by default, which is one of the beats of a lease. */
  readonly timeout?: Duration.Input | undefined
  /**
   * The weight of commands that Redis has not answered: their characters, and 256 for each. 16 Mi by default; one that
   * comes alone always fits, and others wait for as long as `timeout`. Commands of 64 Mi may wait, or of
   * four times this weight where that is more.
   */
  readonly pending?: number | undefined
}

/**
 * An engine over the `Redis` of the context, until the Scope closes. It takes one connection of its pool, and one more for
 * each node that subscribes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeEngine = (
  options: RedisEngineOptions = {}
): Effect.Effect<MeshEngine, never, Redis.Redis | Scope.Scope> =>
  Effect.gen(function*() {
    const redis = yield* Redis.Redis
    const context = Context.omit(Redis.Redis)(yield* Effect.context<Redis.Redis | Scope.Scope>())
    const { lease = "3 seconds" } = options
    const settings = Settings.of(options)
    const line = new Line(redis, Object.values(scripts), settings, context)
    yield* Effect.addFinalizer(() => Effect.sync(() => line.close()))
    return over(redis, line, Context.get(context, Clock.Clock), { ...settings, lease: Settings.millis(lease) })
  })

/** An engine over the `Redis`. A new layer at each call. @category layers @since 0.1.0 */
export const layerEngine = (options: RedisEngineOptions = {}): Layer.Layer<MeshEngine, never, Redis.Redis> =>
  Layer.effect(MeshEngine, makeEngine(options))

/** What a node of this process has, as far as it is known here. */
interface Owned {
  /** Its keys, and when Redis was told last that they are to be known for longer: the one that waits longest is the first. */
  readonly keys: Map<string, number>
  /** The names that it is a member of. */
  readonly names: Set<string>
  /** Since when it lives, as Redis has said last: a beat may be heard, and its answer be lost. */
  life: string | undefined
  /** When that was. */
  beaten: number
  /** How long it was silent when it counted as dead. */
  silence: number
}

const over = (
  redis: Redis.Redis["Service"],
  line: Line,
  clock: Clock.Clock,
  { lease, prefix, timeout }: Settings.Settings & { readonly lease: number }
): MeshEngine => {
  const nodes = `${prefix}node/`
  const newest = `${prefix}epoch`
  const shared = [`${prefix}heard`, `${prefix}grace`, newest]
  const keyOf = (key: string) => `${prefix}key/${key}`
  const nameOf = (name: string) => `${prefix}name/${name}`
  const channelOf = (node: string) => `${prefix}inbox/${node}`
  const owned = new Map<string, Owned>()
  let hasClaimed = false

  /** How long owners are waited for, and whether there has been an epoch. */
  const seen = () => [String(lease), hasClaimed ? "1" : "0"]

  const now = () => clock.currentTimeMillisUnsafe()

  const of = (node: string): Owned => {
    const known = owned.get(node) ??
      { keys: new Map<string, number>(), names: new Set<string>(), life: undefined, beaten: now(), silence: 0 }
    owned.set(node, known)
    return known
  }

  /** Redis has been told of a key. */
  const note = (keys: Map<string, number>, key: string) => {
    keys.delete(key)
    keys.set(key, now())
  }

  /** Tells Redis of the keys of which it was told long ago. */
  const renewed = (keys: Map<string, number>): Effect.Effect<void, Failure> => {
    const due: Array<string> = []
    for (const [key, at] of keys) {
      if (now() - at < known / 3 || due.length === atOnce) break
      due.push(key)
    }
    if (due.length === 0) return Effect.void
    return Effect.map(line.eval(scripts.renew, due.map(keyOf), () => [String(known)]), () => {
      for (const key of due) if (keys.has(key)) note(keys, key)
    })
  }

  /** A text has a mark before it: one without is only to find out who hears. */
  const publish = (to: string, text: string) =>
    line.run<number>(weightOfCommand + text.length, () => ["PUBLISH", channelOf(to), text])

  return {
    beat: (node, milliseconds) =>
      Effect.suspend(() => {
        const own = of(node)
        const said = line.eval<string>(
          scripts.beat,
          [...shared, nodes + node, ...Array.from(own.names, nameOf)],
          () => [
            ...seen(),
            String(milliseconds),
            String(Math.ceil(milliseconds / 2)),
            node
          ]
        )
        return told(
          node,
          Effect.flatMap(said, (life) => {
            const lived = life === own.life
            if (!lived) own.silence = now() - own.beaten
            own.life = life
            own.beaten = now()
            // Keys that could not be renewed are due again with the next beat, which would not say that the node was dead.
            return Effect.as(Effect.ignore(renewed(own.keys)), lived)
          })
        )
      }),
    leave: (node) =>
      Effect.suspend(() => {
        const keys = [...owned.get(node)?.keys.keys() ?? []]
        owned.delete(node)
        // It may begin again: then it does not own what it has left.
        const parts = Array.from({ length: Math.max(1, Math.ceil(keys.length / atOnce)) }, (_, n) =>
          keys.slice(n * atOnce, (n + 1) * atOnce))
        const left = (part: ReadonlyArray<string>) =>
          line.eval(scripts.leave, [nodes + node, ...part.map(keyOf)], () => [node, String(freed)])
        return told(node, Effect.forEach(parts, left, { discard: true }))
      }),

    claim: (key, node) =>
      Effect.flatMap(
        told(
          key,
          line.eval<ReadonlyArray<string>>(
            scripts.claim,
            [...shared, keyOf(key)],
            ({ since }) => [...seen(), node, nodes, String(known), String(since + lease)]
          )
        ),
        ([owner, epoch]) => {
          hasClaimed ||= owner !== undefined
          if (owner === undefined) return Effect.fail(new Overloaded({ key, reason: returning }))
          if (owner === node) note(of(node).keys, key)
          return Effect.succeed({ node: owner, epoch: Number(epoch) })
        }
      ),
    keep: (key, { epoch, node }) =>
      Effect.suspend(() => {
        const { keys, silence } = of(node)
        const kept = line.eval<number>(scripts.keep, [keyOf(key), newest], () => [
          node,
          String(epoch),
          String(known),
          silence < freed ? "1" : "0"
        ])
        return Effect.map(told(key, kept), (isKept) => {
          if (isKept === 1) note(keys, key)
          else keys.delete(key)
          return isKept === 1
        })
      }),
    release: (key, { epoch, node }) =>
      Effect.suspend(() => {
        owned.get(node)?.keys.delete(key)
        return told(key, line.eval(scripts.release, [keyOf(key)], () => [node, String(epoch), String(freed)]))
      }),
    owner: (key) =>
      Effect.flatMap(
        told(
          key,
          line.eval<ReadonlyArray<string | null>>(
            scripts.owner,
            [...shared, keyOf(key)],
            ({ since }) => [...seen(), nodes, String(since + lease)]
          )
        ),
        ([node]) => {
          if (node === undefined) return Effect.fail(new Overloaded({ key, reason: returning }))
          // A key with an owner has an epoch.
          hasClaimed ||= node !== null
          return Effect.succeed(node ?? undefined)
        }
      ),

    join: (name, node) =>
      Effect.map(told(name, line.eval(scripts.members, [nameOf(name)], () => [nodes, node])), () => {
        of(node).names.add(name)
      }),
    part: (name, node) =>
      Effect.suspend(() => {
        owned.get(node)?.names.delete(name)
        return told(name, line.run(weightOfCommand, () => ["SREM", nameOf(name), node]))
      }),
    members: (name) => told(name, line.eval(scripts.members, [nameOf(name)], () => [nodes])),

    publish: (_, to, text) =>
      Effect.catch(
        Effect.map(publish(to, `.${text}`), (listeners) => listeners > 0),
        ({ mayBeDone, reason }) => mayBeDone ? Effect.succeed(true) : Effect.fail(new Overloaded({ key: to, reason }))
      ),
    subscribe: (node, onText) =>
      told(
        node,
        Subscription.make({ redis, channel: channelOf(node), pulse: publish(node, ""), timeout, onText })
      )
  }
}

const returning =
  "Redis was away, or has lost what it had; until owners had a lease to return, their keys are given to nobody"

/** Milliseconds for which a key is known that nobody renews. */
const known = 86_400_000

/** Milliseconds for which it is known that a key was freed. */
const freed = 3_600_000

/** Keys of a node that are renewed at once. */
const atOnce = 256
