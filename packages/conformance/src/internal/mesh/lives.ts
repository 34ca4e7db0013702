/** Laws of nodes: they live while they beat, and are members of names. */
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as Effect from "effect/Effect"
import { type Connect, connected, living } from "./connections.ts"
import { keys, show } from "./texts.ts"
import { long, type Time } from "./time.ts"

export const beats = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = yield* connected(connect, 2)
    if (yield* one!.beat("a", time.lease)) return "a node that was never there counted as alive"
    yield* one!.claim("k", "a")
    yield* one!.join("name", "a")
    for (let times = 0; times < 10; times++) {
      yield* time.wait(time.lease / 3)
      const owner = yield* other!.owner("k")
      const members = yield* other!.members("name")
      // A machine that stood still for a lease has let it die, and says so. Then this time tells nothing.
      if (!(yield* one!.beat("a", time.lease))) return undefined
      if (owner !== "a") return `a node that beats has lost its key to ${show(owner)}`
      if (!members.includes("a")) return `a node that beats is no member any more: ${show(members)}`
    }
    yield* time.untilTrue(
      "a node is silent, and still is a member",
      Effect.map(other!.members("name"), (members) => !members.includes("a"))
    )
    if ((yield* other!.owner("k")) !== undefined) return "a node that is silent is no member, but owns its key"
    return (yield* one!.beat("a", long)) ? "a node that was silent for its lease counted as alive" : undefined
  })

export const leaving = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = yield* living(connect)
    for (const key of ["k", "l"]) yield* one.claim(key, "a")
    yield* other.claim("m", "b")
    for (const name of ["name", "other"]) for (const node of ["a", "b"]) yield* one.join(name, node)
    yield* one.leave("a")
    for (const key of ["k", "l"]) {
      yield* time.untilTrue(
        "a node has left, and still owns its key",
        Effect.map(other.owner(key), (owner) => owner === undefined)
      )
      const next = yield* other.claim(key, "b")
      if (next.node !== "b") return `a key of a node that has left cannot be claimed: ${show(next)}`
    }
    for (const name of ["name", "other"]) yield* known(time, other, name, "b")
    if ((yield* other.owner("m")) !== "b") return "a node has lost its key because another has left"
    return (yield* one.beat("a", long)) ? "a node that has left counted as alive" : undefined
  })

/** Waits until a connection knows these members of a name: what others have changed comes to it by itself. */
const known = (time: Time, engine: MeshEngine, name: string, members: string) =>
  time.untilTrue(
    `the members of ${show(name)} are ${members}, and an engine does not know it`,
    Effect.map(engine.members(name), (found) => found.toSorted().join() === members)
  )

export const members = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [one, other] = yield* living(connect)
    const nodes = Array.from({ length: 20 }, (_, n) => `n${n}`)
    for (const node of nodes) yield* one.beat(node, long)
    for (const name of keys) for (const node of ["a", "b", "a"]) yield* one.join(name, node)
    yield* Effect.forEach(nodes, (node) => other.join("many", node), { concurrency: "unbounded" })
    yield* known(time, one, "many", nodes.toSorted().join())
    for (const name of keys) {
      yield* known(time, other, name, "a,b")
      yield* other.part(name, "b")
      yield* known(time, one, name, "a")
    }
    const none = yield* one.members("nobody")
    return none.length === 0 ? undefined : `a name that nobody serves has the members ${show(none)}`
  })
