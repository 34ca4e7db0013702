import { NodeServices } from "@effect/platform-node"
import * as TransportLaws from "@parley/conformance/TransportLaws"
import { NodeChildProcess } from "@parley/node"
import { Framing } from "@parley/protocol"
import { ChildProcessTransport } from "@parley/transport"
import { Effect } from "effect"
import { ChildProcess } from "effect/process"
import { describe } from "vitest"
import { check } from "./support/check.ts"
import { fixture, relayed } from "./support/pairs.ts"

describe("the laws of transports to processes", () => {
  const node = process.execPath
  for (const framing of [Framing.line, Framing.contentLength]) {
    check(TransportLaws.pairs({
      name: `child process, ${framing.name}`,
      end: "Exited",
      open: relayed((args) => NodeChildProcess.makeTransport({ command: node, args, framing }), [
        fixture("relay.mjs")
      ], { framing })
    }))
  }
  check(TransportLaws.pairs({
    name: "effect/process",
    end: "Exited",
    open: relayed(
      (args) => Effect.provide(ChildProcessTransport.make(ChildProcess.make(node, args)), NodeServices.layer),
      [fixture("relay.mjs")]
    )
  }))
  check(TransportLaws.pairs({
    name: "stdio",
    end: "Exited",
    open: relayed((args) => NodeChildProcess.makeTransport({ command: node, args }), [fixture("stdio.ts")])
  }))
  check(TransportLaws.pairs({
    name: "effect/Stdio",
    end: "Exited",
    open: relayed((args) => NodeChildProcess.makeTransport({ command: node, args }), [fixture("stdio.ts"), "neutral"])
  }))
})
