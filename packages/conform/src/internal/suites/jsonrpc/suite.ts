/** The suite `jsonrpc`: what JSON-RPC 2.0 asks of every server, held against the corpus of wire cases. */
import * as Effect from "effect/Effect"
import * as Suite from "../../../Suite.ts"
import type { Run } from "../../protocol/Protocol.ts"

export const jsonrpc: Suite.Suite<Run> = Suite.make({
  name: "jsonrpc",
  title: "JSON-RPC 2.0: each MUST and SHOULD of the specification",
  prepare: (run: Run) => Effect.succeed(run),
  rules: []
})
