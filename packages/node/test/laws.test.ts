import * as Laws from "@parley/conformance/Laws"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import { Framing } from "@parley/protocol"
import type * as Listener from "@parley/transport/Listener"
import type * as Transport from "@parley/transport/Transport"
import { Effect, type Scope } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { check, checkKin, checkTapped, isFull } from "./support/check.ts"
import { roughMemory } from "./support/held.ts"
import { connected, portOf } from "./support/pairs.ts"
import { connectRaw } from "./support/raw.ts"

const options = { runs: 30, memory: roughMemory }

type Listening = Effect.Effect<Listener.Listener, Transport.TransportError, Scope.Scope>

/** A connection to a plain socket that is reset. */
const reset = (listener: Listening): Laws.Loss => ({
  open: Effect.map(connectRaw(listener), ([side, { socket }]) => [
    side,
    Effect.sync(() => void socket.resetAndDestroy())
  ])
})

/** A Unix socket knows no reset, but a loss: what it was sent and has not read is gone. */
const gone = (listener: Listening): Laws.Loss => ({
  open: Effect.gen(function*() {
    const [side, { socket }] = yield* connectRaw(listener)
    socket.pause()
    // More than what Node.js reads ahead.
    yield* side.send([JSON.stringify("x".repeat(150_000))])
    return [side, Effect.sync(() => void socket.destroy())]
  })
})

describe("the laws of transports", () => {
  for (const framing of [Framing.line, Framing.contentLength, Framing.concatenated]) {
    const tcp = NodeTcp.makeListener({ port: 0, framing })
    const name = `TCP, ${framing.name}`
    const pair = {
      name,
      open: connected(tcp, (address) => NodeTcp.makeTransport({ port: portOf(address), framing })),
      loss: reset(tcp)
    }
    if (framing === Framing.line) check(Laws.ofTransport(pair, options))
    else checkKin(Laws.ofTransport(pair, options))
    if (framing === Framing.line || isFull) checkTapped(pair)
    check(Laws.ofByteTransport({ name, framing, open: connectRaw(tcp) }))
  }

  const path = join(mkdtempSync(join(tmpdir(), "parley-")), "laws")
  const unix = NodeUnix.makeListener({ path })
  const overUnix = {
    name: "Unix socket",
    open: connected(unix, () => NodeUnix.makeTransport({ path })),
    loss: gone(unix)
  }
  checkKin(Laws.ofTransport(overUnix, options))
  if (isFull) checkTapped(overUnix)
  check(Laws.ofByteTransport({ name: "Unix socket", framing: Framing.line, open: connectRaw(unix) }))
})
