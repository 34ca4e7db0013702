/** What is left of thousands of connections: nothing. */
import { describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as Tap from "@parley/traffic/Tap"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect } from "effect"
import { held, memory } from "./support/held.ts"
import { portOf, reconnecting } from "./support/pairs.ts"

/** 800 bytes for each, and what the runtime keeps. Twice as many find no smaller leak: they may leave twice as much. */
const cycling = { count: 2_500, held: Effect.sync(held), memory, allowed: 2 * 1024 * 1024 }

/** A slow machine may take ten times as long as others. */
const patience = 120_000

const tcp = reconnecting(
  NodeTcp.makeListener({ port: 0 }),
  (address) => NodeTcp.makeTransport({ port: portOf(address) })
)

describe("connections in cycles", () => {
  const pair = { name: "pair", open: MemoryTransport.makePair() }
  const tapped = Laws.wrapped(pair, "tapped", Tap.make(() => Effect.yieldNow))
  for (const each of [pair, tapped]) {
    const law = Laws.ofCycles(each, cycling)
    it.live(law.name, () => law.check, patience)
  }

  // The slow tests make four times as many, under a Tap.
  it.live("TCP: 1250 connections leave nothing behind", () =>
    Effect.flatMap(
      tcp,
      (open) => Laws.ofCycles({ name: "TCP", open }, { ...cycling, count: 1_250 }).check
    ), patience)
})
