/** The faults of a cluster, in an order that a seed determines. */
import { Clock, Effect, Random } from "effect"
import type { Cluster } from "./cluster/Cluster.ts"

export const kinds = ["kill", "end", "stop", "restart", "cut", "sever"] as const

export type Kind = typeof kinds[number]

/** Those that nobody has planned. */
export const unplanned = kinds.filter((kind) => kind !== "end")

/** A fault as it was. Milliseconds of the clock. */
export interface Fault {
  /** `mistaken` where the edge took a node for dead that was only slow. */
  readonly kind: Kind | "mistaken"
  /** The node that it befell; `undefined` where it was all of them. */
  readonly node: string | undefined
  readonly from: number
  /** When another node was there, or the same went on. */
  readonly to: number
}

/** Seconds between two faults. */
const rest = "6 seconds"

/** Lets each of these kinds of fault befall the cluster once, one after the other. */
export const each = (some: ReadonlyArray<Kind>) => (cluster: Cluster): Effect.Effect<ReadonlyArray<Fault>> =>
  Effect.flatMap(
    Random.shuffle(some),
    (order) => Effect.forEach(order, (kind) => Effect.tap(befall(cluster, kind), () => Effect.sleep(rest)))
  )

const befall = Effect.fnUntraced(function*(cluster: Cluster, kind: Kind): Effect.fn.Return<Fault> {
  const node = yield* Effect.orDie(Random.choice(cluster.nodes()))
  const from = yield* Clock.currentTimeMillis
  switch (kind) {
    case "kill":
      cluster.kill(node)
      yield* Effect.sleep("4 seconds")
      cluster.edge.remove(node.name)
      yield* cluster.start
      break
    case "end":
      yield* cluster.end(node)
      cluster.edge.remove(node.name)
      yield* cluster.start
      break
    case "stop":
      node.signal("SIGSTOP")
      yield* Effect.sleep("10 seconds")
      node.signal("SIGCONT")
      break
    case "restart":
      yield* cluster.engine.restart(1_500)
      break
    case "cut":
      if (yield* Random.nextBoolean) node.link.stall()
      else node.link.reset()
      yield* Effect.sleep("6 seconds")
      node.link.mend()
      break
    case "sever":
      cluster.edge.sever(node.name)
  }
  return {
    kind,
    node: kind === "restart" ? undefined : node.name,
    from,
    to: yield* Clock.currentTimeMillis
  }
})
