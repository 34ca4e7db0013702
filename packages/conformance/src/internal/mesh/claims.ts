/** Laws of keys: one owner each, and epochs that only grow. */
import type { MeshEngine, Ownership } from "@parley/mesh/MeshEngine"
import * as Effect from "effect/Effect"
import { broken } from "../laws.ts"
import type { Verdict } from "../laws/Law.ts"
import { type Connect, connected, living } from "./connections.ts"
import { keys, show } from "./texts.ts"
import { long, type Time } from "./time.ts"

export const oneOwner = (connect: Connect) =>
  Effect.gen(function*() {
    const [one, other] = yield* living(connect)
    const mine = yield* one.claim("k", "a")
    if (mine.node !== "a") return `a free key was claimed, and its owner is ${show(mine)}`
    const seen = yield* other.claim("k", "b")
    if (!isSame(seen, mine)) return `the owner is ${show(mine)}, and another who claims the key is told ${show(seen)}`
    for (const engine of [one, other]) {
      const owner = yield* engine.owner("k")
      if (owner !== "a") return `the owner is "a", and ${show(owner)} for who asks`
    }
    if (!(yield* one.keep("k", mine))) return "an owner that nobody has followed cannot keep its key"
    yield* one.release("k", mine)
    const freed = yield* other.owner("k")
    return freed === undefined ? undefined : `a key that was freed is owned by ${show(freed)}`
  })

export const epochsGrow = (connect: Connect) =>
  Effect.gen(function*() {
    const [one, other] = yield* living(connect)
    let newest = 0
    const claim = (engine: MeshEngine, node: string) =>
      Effect.flatMap(engine.claim("k", node), (ownership) => {
        if (ownership.node !== node || !(ownership.epoch > newest)) {
          return broken(`behind the epoch ${newest}, ${node} claimed the key and got ${show(ownership)}`)
        }
        newest = ownership.epoch
        return Effect.succeed(ownership)
      })
    for (let times = 0; times < 3; times++) {
      yield* claim(one, "a")
      yield* one.claim("another", "a")
      yield* one.release("k", yield* claim(one, "a"))
      yield* other.release("k", yield* claim(other, "b"))
      yield* claim(one, "a")
      yield* one.leave("a")
      yield* one.beat("a", long)
      yield* other.release("k", yield* claim(other, "b"))
    }
    return undefined
  })

export const race = (connect: Connect) =>
  Effect.gen(function*() {
    const engines = yield* connected(connect, 3)
    const nodes = Array.from({ length: 12 }, (_, n) => ({ node: `n${n}`, engine: engines[n % 3]! }))
    for (const { engine, node } of nodes) yield* engine.beat(node, long)
    const claims = nodes.map(({ engine, node }) => engine.claim("k", node))
    const told = new Set((yield* Effect.all(claims, { concurrency: "unbounded" })).map(textOf))
    if (told.size !== 1) return `twelve claim a key at once, and are told ${show([...told])}`
    const owner = yield* engines[0]!.owner("k")
    return [...told][0]?.startsWith(`${owner} `) === true
      ? undefined
      : `all were told ${show([...told])}, and the owner is ${show(owner)}`
  })

export const exclusion = (connect: Connect) =>
  Effect.gen(function*() {
    const engines = yield* connected(connect, 3)
    let [newest, tries] = [0, 0]
    let inside: string | undefined
    const turns = (engine: MeshEngine, node: string) =>
      Effect.gen(function*() {
        yield* engine.beat(node, long)
        for (let turn = 0; turn < 5;) {
          if (tries++ > 20_000) return yield* broken("six claim a key and free it again, and do not get it")
          const mine = yield* engine.claim("k", node)
          if (mine.node !== node) {
            yield* Effect.yieldNow
            continue
          }
          if (inside !== undefined) return yield* broken(`${node} got a key that ${inside} owns`)
          if (mine.epoch <= newest) return yield* broken(`the epoch ${mine.epoch} followed ${newest}`)
          newest = mine.epoch
          inside = node
          yield* Effect.yieldNow
          inside = undefined
          yield* engine.release("k", mine)
          turn++
        }
      })
    yield* Effect.forEach([0, 1, 2, 3, 4, 5], (n) => turns(engines[n % 3]!, `n${n}`), { concurrency: "unbounded" })
    return undefined
  })

export const anyKey = (connect: Connect) =>
  Effect.gen(function*() {
    const [one, other] = yield* living(connect)
    const nodeOf = (index: number) => index % 2 === 0 ? "a" : "b"
    for (const [index, key] of keys.entries()) {
      const { node } = yield* one.claim(key, nodeOf(index))
      if (node !== nodeOf(index)) return `the key ${show(key)} was free, and ${node} owns it`
    }
    for (const [index, key] of keys.entries()) {
      const owner = yield* other.owner(key)
      if (owner !== nodeOf(index)) return `the key ${show(key)} is owned by ${show(owner)} and not by ${nodeOf(index)}`
    }
    return undefined
  })

/** Claims that are no more: they neither keep nor free anything. */
const powerless = (engine: MeshEngine, older: Ownership, owner: Ownership): Effect.Effect<Verdict, unknown> =>
  Effect.gen(function*() {
    if (yield* engine.keep("k", older)) return `${show(older)} kept the key of ${show(owner)}`
    yield* engine.release("k", older)
    const now = yield* engine.owner("k")
    return now === owner.node ? undefined : `${show(older)} freed the key of ${show(owner)}`
  })

export const olderClaims = (connect: Connect) =>
  Effect.gen(function*() {
    const [one, other] = yield* living(connect)
    const first = yield* one.claim("k", "a")
    const second = yield* one.claim("k", "a")
    const verdict = yield* powerless(one, first, second)
    if (verdict !== undefined) return verdict
    yield* one.release("k", second)
    const third = yield* other.claim("k", "b")
    for (const older of [first, second]) {
      const verdict = yield* powerless(one, older, third)
      if (verdict !== undefined) return verdict
    }
    yield* other.release("k", third)
    return (yield* one.keep("k", second)) ? `${show(second)} kept a key that ${show(third)} has had since` : undefined
  })

export const deadOwners = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = yield* connected(connect, 2)
    yield* one!.beat("a", time.lease)
    const mine = yield* one!.claim("k", "a")
    const untouched = yield* one!.claim("untouched", "a")
    yield* other!.beat("b", long)
    yield* time.untilTrue(
      "a node is silent, and still owns its key",
      Effect.map(other!.owner("k"), (owner) => owner === undefined)
    )
    const next = yield* other!.claim("k", "b")
    if (next.node !== "b" || !(next.epoch > mine.epoch)) return `behind ${show(mine)}, the key went to ${show(next)}`
    if (yield* one!.beat("a", long)) return "a node whose keys were free counts as alive"
    const verdict = yield* powerless(one!, mine, next)
    if (verdict !== undefined) return verdict
    yield* other!.release("k", next)
    if (yield* one!.keep("k", mine)) return `${show(mine)} kept a key that ${show(next)} has had since`
    if (!(yield* one!.keep("untouched", untouched))) return "a key that nobody has claimed is not given back"
    const owner = yield* other!.owner("untouched")
    return owner === "a" ? undefined : `a key that was given back to a is owned by ${show(owner)}`
  })

const isSame = (one: Ownership, other: Ownership) => one.node === other.node && one.epoch === other.epoch

const textOf = ({ epoch, node }: Ownership) => `${node} ${epoch}`
