/** The proof of what is promised when nodes fail, over each engine: the command that prints what it has cost. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as Program from "../interop/foreign/Program.ts"

const proof = new URL("../../src/nodes/main.ts", import.meta.url)

/** Few calls: the other slow tests take their share of the machine. */
const rate = "20"

const holds = (engine: string, seed: string) =>
  it.live(`keeps its promises while faults befall three nodes (seed ${seed})`, () =>
    Effect.sync(() => {
      const args = [proof.pathname, "--engine", engine, "--seed", seed, "--rate", rate]
      const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
      assert.strictEqual(status, 0, `${stdout}${stderr}`)
    }))

describe("sessions over Redis", () => {
  Program.stories("redis-server", "--version", "redis-server", () => holds("redis", "1"))
})

describe("sessions over NATS", () => {
  Program.stories("nats-server", "--version", "nats-server", () => holds("nats", "2"))
})
