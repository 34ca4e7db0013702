/**
 * The proof of what is promised when nodes fail, over each engine: the command that prints what it has cost. In front of the
 * nodes is once the HAProxy of docs/how-to/run-on-several-nodes.md.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import * as Programs from "../../../../tools/debian/Programs.ts"
import * as Printed from "./printed.ts"

const proof = new URL("../../src/nodes/main.ts", import.meta.url)

/** Few calls: the other slow tests take their share of the machine. */
const rate = "20"

/** Milliseconds: it takes two minutes where the machine has nothing else to do. */
const timeout = 600_000

/** The edge in front of the nodes, and the flags of the command that name it. */
const edges = {
  "the printed HAProxy": (engine: string) =>
    Effect.map(Printed.file(`faults-${engine}`), (file) => ["--haproxy", file]),
  "the balancer of the trial": () => Effect.succeed([])
} as const

const holds = (engine: string, edge: keyof typeof edges, seed: string) =>
  it.live(
    `keeps its promises while faults befall three nodes behind ${edge} (seed ${seed})`,
    () =>
      Effect.flatMap(edges[edge](engine), (flags) =>
        Effect.promise(async () => {
          const args = [proof.pathname, "--engine", engine, ...flags, "--seed", seed, "--rate", rate]
          const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
          const [printed, failed, [status]] = await Promise.all([
            text(child.stdout),
            text(child.stderr),
            once(child, "close")
          ])
          assert.strictEqual(status, 0, `${printed}${failed}`)
        })),
    timeout
  )

describe("sessions over Redis", () => {
  Programs.suites(
    [Printed.needed, { program: "redis-server", package: "redis-server" }],
    () => holds("redis", "the printed HAProxy", "1")
  )
})

describe("sessions over NATS", () => {
  Programs.suites(
    [{ program: "nats-server", package: "nats-server" }],
    () => holds("nats", "the balancer of the trial", "2")
  )
})
