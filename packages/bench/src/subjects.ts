/**
 * All that is measured. A library is loaded only for a wire that it speaks over.
 */
import { mcpSources, mcpWires } from "./mcp/subjects.ts"
import type { Subject } from "./Subject.ts"

type Wire = Subject["wire"]

export { mcpWires }

/** Those of JSON-RPC, in the order in which they have their turns. */
export const wires: ReadonlyArray<Wire> = ["mem", "tcp", "unix", "stdio", "ws", "http", "worker", "redis"]

/** Those that need a program beside, where it is there. */
export const engineWires = async (): Promise<ReadonlyArray<Wire>> =>
  (await import("./subjects/nats.ts")).isThere() ? ["nats"] : []

/** In memory, and over streams of bytes. */
const streams = async (): Promise<ReadonlyArray<Subject>> => {
  const { floors } = await import("./floor/subjects.ts")
  const { libraries } = await import("./peers/libraries.ts")
  const { parley } = await import("./peers/parley.ts")
  const { effectRpc } = await import("./peers/effectRpc.ts")
  return [...floors, ...parley, ...libraries, ...effectRpc]
}

const sources: { readonly [wire in Wire]: () => Promise<ReadonlyArray<Subject>> } = {
  mem: streams,
  tcp: streams,
  unix: streams,
  stdio: streams,
  ws: () => import("./subjects/webSocket.ts").then(({ webSocket }) => webSocket),
  http: () => import("./subjects/http.ts").then(({ http }) => http),
  nats: () => import("./subjects/nats.ts").then(({ nats }) => nats),
  worker: () => import("./subjects/worker.ts").then(({ worker }) => worker),
  redis: () => import("./subjects/redis.ts").then(({ redis }) => redis),
  ...mcpSources
}

/** Those of a wire. */
export const over = async (wire: Wire): Promise<ReadonlyArray<Subject>> =>
  (await sources[wire]()).filter((subject) => subject.wire === wire)

export const find = async (name: string): Promise<Subject> => {
  for (const wire of [...wires, "nats" as const, ...mcpWires]) {
    const subject = name.startsWith(`${wire}/`) ? (await over(wire)).find((one) => one.name === name) : undefined
    if (subject !== undefined) return subject
  }
  throw new Error(`no subject ${name}`)
}
