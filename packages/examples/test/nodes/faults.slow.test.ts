/** The proof of what is promised when nodes fail, over each engine: the command that prints what it has cost. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import * as Programs from "../../../../tools/debian/Programs.ts"

const proof = new URL("../../src/nodes/main.ts", import.meta.url)

/** Few calls: the other slow tests take their share of the machine. */
const rate = "20"

/** Milliseconds: it takes two minutes where the machine has nothing else to do. */
const timeout = 600_000

const holds = (engine: string, seed: string) =>
  it.live(
    `keeps its promises while faults befall three nodes (seed ${seed})`,
    () =>
      Effect.promise(async () => {
        const args = [proof.pathname, "--engine", engine, "--seed", seed, "--rate", rate]
        const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
        const [printed, failed, [status]] = await Promise.all([
          text(child.stdout),
          text(child.stderr),
          once(child, "close")
        ])
        assert.strictEqual(status, 0, `${printed}${failed}`)
      }),
    timeout
  )

describe("sessions over Redis", () => {
  Programs.suites([{ program: "redis-server", package: "redis-server" }], () => holds("redis", "1"))
})

describe("sessions over NATS", () => {
  Programs.suites([{ program: "nats-server", package: "nats-server" }], () => holds("nats", "2"))
})
