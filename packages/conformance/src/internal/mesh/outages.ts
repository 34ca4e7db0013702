/** Laws of an engine that goes away and comes back. */
import { Overloaded } from "@parley/mesh/Mesh"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { broken, first } from "../laws.ts"
import type { Verdict } from "../laws/Law.ts"
import { type Connect, hearing } from "./connections.ts"
import { show } from "./texts.ts"
import { long, type Time } from "./time.ts"

/**
 * The parts that are out of reach for a while.
 *
 * @category models
 * @since 0.1.0
 */
export interface Out<A> {
  readonly connect: Effect.Effect<A, unknown, Scope.Scope>
  /** From now on no connection reaches it. */
  readonly begin: Effect.Effect<void>
  /** It can be reached again. */
  readonly end: Effect.Effect<void>
}

/**
 * A way in which something is out of reach: it stops, or a link to it is cut.
 *
 * @category models
 * @since 0.1.0
 */
export interface Outage<A> {
  /** Which it is, as the laws name it: `"restarted"`. */
  readonly name: string
  readonly open: Effect.Effect<Out<A>, unknown, Scope.Scope>
  /** Whether it knows nothing any more when it is back. */
  readonly isEmptied?: boolean | undefined
  /** Whether an engine that is back lets the owners of keys speak first for a lease, though that has run out meanwhile. */
  readonly ownersFirst?: boolean | undefined
}

/** The verdict on an effect that must fail while the engine is away, in time. */
export const refused = (
  time: Time,
  what: string,
  effect: Effect.Effect<unknown, unknown>,
  mayDo = false
): Effect.Effect<Verdict, unknown> =>
  Effect.map(time.ended(`while the engine is away, \`${what}\``, effect), (exit) => {
    if (Exit.isSuccess(exit)) {
      return mayDo
        ? undefined
        : `while the engine is away, \`${what}\` gave ${show(exit.value)}`
    }
    const failure = exit.cause.reasons.find(Cause.isFailReason)
    return failure?.error instanceof Overloaded
      ? undefined
      : `while the engine is away, \`${what}\` ended with ${Cause.pretty(exit.cause)}`
  })

export const away = ({ begin, connect, end }: Out<MeshEngine>, time: Time) =>
  Effect.gen(function*() {
    const engine = yield* connect
    yield* engine.subscribe("b", () => {})
    yield* engine.beat("a", long)
    const mine = yield* engine.claim("k", "a")
    yield* begin
    const asked: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>, boolean?]> = [
      ["beat", engine.beat("a", long)],
      ["claim", engine.claim("l", "a")],
      ["keep", engine.keep("k", mine)],
      ["release", engine.release("l", { ...mine, epoch: mine.epoch - 1 })],
      ["owner", engine.owner("k")],
      ["join", engine.join("name", "a")],
      ["part", engine.part("name", "a")],
      ["members", engine.members("name")],
      ["leave", engine.leave("c")],
      // It may have been handed over, and be lost.
      ["publish", engine.publish("a", "b", "x"), true],
      // It may begin when the engine is back.
      ["subscribe", Effect.scoped(engine.subscribe("d", () => {})), true]
    ]
    const verdicts = yield* Effect.forEach(asked, ([what, effect, mayDo]) => refused(time, what, effect, mayDo), {
      concurrency: "unbounded"
    })
    const verdict = first(verdicts)
    if (verdict !== undefined) return verdict
    yield* end
    yield* reached(time, engine, "a")
    return undefined
  })

/** Beats until the engine hears it. */
const reached = (time: Time, engine: MeshEngine, node: string, lease = long) =>
  time.untilTrue(
    "the engine is back, and cannot be reached",
    Effect.map(Effect.exit(engine.beat(node, lease)), Exit.isSuccess)
  )

/** Beats and claims until the key is the node's. */
const gained = (time: Time, engine: MeshEngine, key: string, node: string) =>
  time.untilSuccess(
    `the engine is back, and ${node} cannot claim the free key ${key}`,
    Effect.gen(function*() {
      yield* engine.beat(node, time.lease)
      const ownership = yield* engine.claim(key, node)
      return ownership.node === node ? ownership : undefined
    })
  )

export const epochs = ({ begin, connect, end }: Out<MeshEngine>, time: Time) =>
  Effect.gen(function*() {
    const engine = yield* connect
    for (const node of ["a", "b"]) yield* engine.beat(node, time.lease)
    const freed = yield* engine.claim("freed", "a")
    yield* engine.release("freed", freed)
    const left = yield* engine.claim("left", "a")
    // More than what is written until a key can be claimed again: an epoch is no count of that.
    for (let times = 0; times < 100; times++) yield* engine.claim("own", "b")
    const own = yield* engine.claim("own", "b")
    yield* begin
    yield* time.wait(time.lease / 4)
    yield* end
    for (const [key, before] of [["freed", freed], ["left", left], ["own", own]] as const) {
      const now = yield* gained(time, engine, key, "b")
      if (!(now.epoch > before.epoch)) return `the epoch ${now.epoch} of ${key} followed ${before.epoch}`
    }
    return undefined
  })

export const owners = ({ begin, connect, end }: Out<MeshEngine>, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = [yield* connect, yield* connect]
    yield* one.beat("a", long)
    const mine = yield* one.claim("k", "a")
    yield* begin
    yield* end
    yield* reached(time, other, "b")
    // The owner has not spoken yet: no other node gets the key.
    for (let times = 0; times < 3; times++) {
      const early = yield* Effect.exit(other.claim("k", "b"))
      if (Exit.isSuccess(early) && early.value.node !== "a") {
        return `the owner of a key has not spoken yet, and the key went to ${show(early.value)}`
      }
    }
    yield* reached(time, one, "a")
    const kept = yield* time.untilSuccess(
      "the engine is back, and does not say whether an owner keeps its key",
      one.keep("k", mine)
    )
    if (!kept) return "nobody has claimed a key, and its owner cannot keep it"
    const owner = yield* time.untilSuccess(
      "the engine knows no owner of a key that was kept",
      other.owner("k")
    )
    if (owner !== "a") return `a key that a has kept is owned by ${show(owner)}`
    const next = yield* time.untilSuccess(
      "the engine is back, and takes no claim",
      other.claim("k", "b")
    )
    return next.node === "a" && next.epoch === mine.epoch
      ? undefined
      : `${show(mine)} was kept, and another who claims the key is told ${show(next)}`
  })

/** It has lost what it knew. Its owners live, and it cannot say that a key has none. */
export const ownersUnknown = ({ begin, connect, end }: Out<MeshEngine>, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = [yield* connect, yield* connect]
    yield* one.beat("a", time.lease)
    yield* other.beat("b", time.lease)
    const mine = yield* one.claim("k", "a")
    // Another process may ask before any owner has spoken.
    if ((yield* other.owner("k")) !== "a") return "an owner is not known to another process"
    yield* begin
    yield* end
    const answer = yield* time.until(
      "the engine is back, and does not say whose a key is",
      Effect.map(Effect.exit(Effect.andThen(other.beat("b", time.lease), Effect.exit(other.owner("k")))), (exit) =>
        Exit.isSuccess(exit) ? exit.value : undefined)
    )
    if (Exit.isSuccess(answer) && answer.value !== "a") {
      return `the owner of a key lives and has not spoken yet, and the key is owned by ${show(answer.value)}`
    }
    yield* reached(time, one, "a")
    yield* time.untilSuccess("an owner cannot keep its key", one.keep("k", mine))
    const owner = yield* time.untilSuccess("the engine knows no owner of a key that was kept", other.owner("k"))
    if (owner !== "a") {
      return `a key that a has kept is owned by ${show(owner)}`
    }
    yield* time.untilTrue(
      "an engine that came back does not say of a key that nobody owns it",
      Effect.match(other.owner("nobody's"), {
        onFailure: () =>
          false,
        onSuccess: (owner) => owner === undefined
      })
    )
    return undefined
  })

/** The leases expire while the engine is away, because no node can renew them. */
export const ownersFirst = ({ begin, connect, end }: Out<MeshEngine>, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = [yield* connect, yield* connect]
    yield* one.beat("a", time.lease)
    const mine = yield* one.claim("k", "a")
    yield* begin
    yield* time.wait(2 * time.lease)
    yield* end
    const early = yield* Effect.forkChild(gained(time, other, "k", "b"), { startImmediately: true })
    yield* time.wait(time.lease / 8)
    const kept = yield* time.untilSuccess(
      "the engine is back, and does not say whether an owner keeps its key",
      Effect.andThen(one.beat("a", long), one.keep("k", mine))
    )
    early.interruptUnsafe()
    if (!kept) return "the engine was away for longer than a lease, and an owner that came back cannot keep its key"
    // Its connection may be found again later than that of the owner.
    const owner = yield* time.untilSuccess(
      "the engine knows no owner of a key that was kept",
      other.owner("k")
    )
    return owner === "a" ? undefined : `a key that a has kept is owned by ${show(owner)}`
  })

export const hearsAgain = ({ begin, connect, end }: Out<MeshEngine>, time: Time) =>
  Effect.gen(function*() {
    const { engine } = yield* hearing(connect, "a")
    const { heard } = yield* hearing(connect, "b")
    let sent = 0
    const failed = new Set<string>()
    const publish = Effect.suspend(() => {
      const text = `${sent++}`
      return Effect.exit(engine.publish("a", "b", text)).pipe(
        Effect.tap((exit) => Effect.sync(() => Exit.isFailure(exit) && failed.add(text)))
      )
    })
    yield* publish
    yield* begin
    yield* time.ended(
      "`publish`",
      Effect.forEach(Array.from({ length: 20 }), () => publish, { concurrency: "unbounded" })
    )
    yield* end
    const before = sent
    yield* time.untilTrue(
      "the engine is back, and a node that has subscribed hears nothing",
      Effect.andThen(publish, Effect.sync(() => heard.some((text) => Number(text) >= before)))
    )
    const wrong = heard.findIndex((text, index) => index > 0 && !(Number(text) > Number(heard[index - 1])))
    if (wrong !== -1) return `after the text ${heard[wrong - 1]} came the text ${heard[wrong]}`
    const late = heard.find((text) => failed.has(text))
    return late === undefined ? undefined : `the text ${late} came, though sending it had failed`
  })

/** Only one of two connections is cut off. */
export const cutOff = ({ aside, begin, connect, end }: Cut, time: Time) =>
  Effect.gen(function*() {
    const { engine, heard } = yield* hearing(connect, "a")
    const other = yield* aside
    yield* engine.beat("a", time.lease)
    const mine = yield* engine.claim("k", "a")
    yield* other.beat("b", long)
    yield* begin
    const next = yield* time.until(
      "a node is cut off, and still owns its key",
      Effect.map(other.claim("k", "b"), (ownership) => ownership.node === "b" ? ownership : undefined)
    )
    if (!(next.epoch > mine.epoch)) return `the epoch ${next.epoch} followed ${mine.epoch}`
    yield* end
    yield* reached(time, engine, "a")
    if (yield* engine.keep("k", mine)) return `${show(mine)} was cut off, and kept the key of ${show(next)}`
    yield* engine.release("k", mine)
    const owner = yield* engine.owner("k")
    if (owner !== "b") return yield* broken(`the owner is ${show(owner)}, and not b, for who was cut off`)
    yield* time.untilTrue(
      "a node was cut off, and hears nothing any more",
      Effect.andThen(Effect.exit(other.publish("b", "a", "x")), Effect.sync(() => heard.includes("x")))
    )
    return undefined
  })

/** A link that is cut, and a connection beside it. @category models @since 0.1.0 */
export interface Cut extends Out<MeshEngine> {
  readonly aside: Connect
}
