/** The processes of a trial: an engine, nodes that reach it through a link each, and an edge in front of them. */
import { Effect, Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type * as Edge from "./Edge.ts"
import * as Engine from "./Engine.ts"
import * as Ledger from "./Ledger.ts"
import * as Link from "./Link.ts"
import * as Program from "./Program.ts"

/** The settings of the process of a node. */
export interface Settings {
  readonly engine: Engine.Name
  /** The address of the engine. */
  readonly port: number
  /** The key of the fleet. */
  readonly key: string
  /** The file of its ledger. */
  readonly ledger: string
}

export interface Node {
  readonly name: string
  readonly link: Link.Link
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void
  /** The bytes of its heap after a collection. */
  readonly heap: Effect.Effect<number>
}

export interface Cluster {
  /** For files of this trial. */
  readonly folder: string
  readonly engine: Engine.Engine
  readonly edge: Edge.Edge
  /** The nodes that were not killed, and that nobody has told to end. */
  readonly nodes: () => ReadonlyArray<Node>
  /** Starts another node. */
  readonly start: Effect.Effect<Node>
  /** Kills a node for good. */
  readonly kill: (node: Node) => void
  /** Tells a node to end, and waits until it has. */
  readonly end: (node: Node) => Effect.Effect<void>
  /** The ledgers of all nodes that ever were, by their names. */
  readonly ledgers: () => ReadonlyMap<string, ReadonlyArray<Ledger.Entry>>
}

/** A cluster of three nodes behind an edge, until the Scope closes. */
export const make = Effect.fnUntraced(function*(
  name: Engine.Name,
  front: Effect.Effect<Edge.Edge, never, Scope.Scope>
): Effect.fn.Return<Cluster, never, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "parley-nodes-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
  )
  const key = randomUUID()
  const scope = yield* Effect.scope
  const engine = yield* Engine.start(name, folder)
  const edge = yield* front
  /** The programs of the nodes that serve. */
  const nodes = new Map<Node, Program.Program>()
  const files = new Map<string, string>()

  const start = Effect.gen(function*() {
    const name = `node-${files.size + 1}`
    const ledger = path.join(folder, name)
    files.set(name, ledger)
    const link = yield* Link.make(engine.port)
    const settings: Settings = { engine: engine.name, port: link.port, key, ledger }
    const running = yield* Program.start(program, settings, `${ledger}.log`)
    // The first message of a node is its address, and it answers each word with its heap.
    const address = String(yield* running.next)
    const node: Node = { name, link, signal: running.signal, heap: Effect.map(running.ask("heap"), Number) }
    nodes.set(node, running)
    yield* edge.add({ name, address, ended: running.ended })
    return node
  })

  /** Has a node serve no longer. */
  const leave = (node: Node, signal: "SIGKILL" | "SIGTERM") => {
    const running = nodes.get(node)
    nodes.delete(node)
    running?.signal(signal)
    return running?.ended
  }

  const cluster: Cluster = {
    folder,
    engine,
    edge,
    nodes: () => [...nodes.keys()],
    start: Effect.provideService(start, Scope.Scope, scope),
    kill: (node) => void leave(node, "SIGKILL"),
    end: (node) => Effect.promise(async () => void await leave(node, "SIGTERM")),
    ledgers: () => new Map([...files].map(([name, file]) => [name, Ledger.read(file)]))
  }
  yield* Effect.all([cluster.start, cluster.start, cluster.start])
  return cluster
})

const program = path.join(import.meta.dirname, "node.ts")
