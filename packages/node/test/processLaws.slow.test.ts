/** The laws of transports under a Tap, for processes that take half a second to start. */
import * as Laws from "@parley/conformance/Laws"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeTcp from "@parley/node/NodeTcp"
import { Framing } from "@parley/protocol"
import { describe } from "vitest"
import { compileCacheEnv } from "../../../tools/compileCache.ts"
import { check, checkTapped } from "./support/check.ts"
import { fixture, relayed } from "./support/pairs.ts"

describe("the laws of transports to processes", () => {
  const command = process.execPath
  const spawn = (options: Partial<NodeTcp.TcpOptions>) => (args: ReadonlyArray<string>) =>
    NodeChildProcess.makeTransport({ ...options, command, args, env: compileCacheEnv })
  const framing = Framing.contentLength
  const pairs = {
    "child process, line": relayed(spawn({}), [fixture("relay.mjs")]),
    "child process, contentLength": relayed(spawn({ framing }), [fixture("relay.mjs")], { framing }),
    stdio: relayed(spawn({}), [fixture("stdio.ts")])
  }
  for (const [name, open] of Object.entries(pairs)) checkTapped({ name, open, end: "Exited" })

  const name = "child process, line"
  check(Laws.ofTransport({ name, open: pairs[name], end: "Exited" }))
})
