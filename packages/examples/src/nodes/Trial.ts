/** One trial: a cluster, its guests, and what has happened until all of their calls had ended. */
import { Effect, Random, type Scope } from "effect"
import * as path from "node:path"
import * as Cluster from "./cluster/Cluster.ts"
import type { Edge, Notice } from "./cluster/Edge.ts"
import type * as Engine from "./cluster/Engine.ts"
import type { Entry } from "./cluster/Ledger.ts"
import type { Passage } from "./cluster/Passages.ts"
import * as Program from "./cluster/Program.ts"
import type { Fault } from "./Faults.ts"
import type { Report, Settings } from "./guests.ts"
import type { Call } from "./Load.ts"

export interface Options {
  readonly engine: Engine.Name
  /** The edge before it has nodes. */
  readonly edge: Effect.Effect<Edge, never, Scope.Scope>
  readonly seed: string
  readonly guests: number
  /** Calls a second. By default, half of the rate that the machine can handle. */
  readonly rate?: number | undefined
  /** Runs while the guests call. */
  readonly faults: (cluster: Cluster.Cluster) => Effect.Effect<ReadonlyArray<Fault>>
}

export interface Trial {
  readonly guests: number
  readonly rate: number
  readonly calls: ReadonlyArray<Call>
  readonly faults: ReadonlyArray<Fault>
  readonly passages: ReadonlyArray<Passage>
  readonly notices: ReadonlyArray<Notice>
  readonly ledgers: ReadonlyMap<string, ReadonlyArray<Entry>>
  /** How many guests still have a session that is answered. */
  readonly answered: number
  /** The bytes of the heaps of all nodes after a collection. */
  readonly heap: number
}

/** Runs a trial, and stops all that it has started. */
export const run = ({ edge: front, engine, faults, guests, rate, seed }: Options): Effect.Effect<Trial> =>
  Effect.scoped(Effect.gen(function*() {
    const cluster = yield* Cluster.make(engine, front)
    const { edge, folder, ledgers, nodes } = cluster
    const settings: Settings = { url: edge.url, guests, rate, seed }
    const { ask, next } = yield* Program.start(program, settings, path.join(folder, "guests.log"))
    // The guests say their rate when they begin, and report when they are stopped.
    const told = Number(yield* next)
    const befallen = yield* faults(cluster)
    const { answered, calls } = (yield* ask("stop")) as Report
    const heaps = yield* Effect.forEach(nodes(), ({ heap }) => heap)
    return {
      guests,
      rate: told,
      calls,
      faults: befallen,
      passages: edge.passages,
      notices: edge.notices,
      ledgers: ledgers(),
      answered,
      heap: heaps.reduce((sum, heap) => sum + heap, 0)
    }
  })).pipe(Random.withSeed(seed))

const program = path.join(import.meta.dirname, "guests.ts")
