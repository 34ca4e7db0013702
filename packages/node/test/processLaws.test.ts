import * as Laws from "@parley/conformance/Laws"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import { Framing } from "@parley/protocol"
import { Effect } from "effect"
import { describe } from "vitest"
import { compileCacheEnv } from "../../../tools/compileCache.ts"
import { check, checkKin } from "./support/check.ts"
import { fixture, relayed } from "./support/pairs.ts"

/** A shell that kills itself when it is told anything. */
const suicidal = ["-c", "read line; kill -9 $$"]

describe("the laws of transports to processes", () => {
  const node = process.execPath
  const killed: Laws.Loss = {
    end: "Exited",
    open: Effect.map(
      NodeChildProcess.makeTransport({ command: "sh", args: suicidal }),
      (side) => [side, Effect.orDie(side.send(["{}"]))]
    )
  }
  const framing = Framing.contentLength
  check(Laws.ofTransport({
    name: `child process, ${framing.name}`,
    end: "Exited",
    open: relayed((args) => NodeChildProcess.makeTransport({ command: node, args, framing }), [fixture("relay.mjs")], {
      framing
    }),
    loss: killed
  }))
  checkKin(Laws.ofTransport({
    name: "stdio",
    end: "Exited",
    open: relayed((args) => NodeChildProcess.makeTransport({ command: node, args, env: compileCacheEnv }), [
      fixture("stdio.ts")
    ])
  }))
})
