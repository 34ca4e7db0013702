/** The tools that the nodes serve. Each writes its call into the ledger before it does anything else. */
import { McpTool } from "@parley/mcp"
import { Effect, Schema } from "effect"
import type { Ledger } from "./Ledger.ts"

/** The call, by its number among all calls of a trial. */
const params = { call: Schema.Int }

/** How often `count` reports its progress, and how many milliseconds lie between two reports. */
export const steps = 5
const pause = 80

/** Answers at once, reports progress, asks its client, or may run twice. */
export const names = ["tell", "count", "ask", "repeat"] as const

export type Name = typeof names[number]

/** A client may call it again when it does not know whether a call has run. */
export const isIdempotent = (name: string): boolean => name === "repeat"

/** The tools, for one node. */
export const make = (ledger: Ledger) => {
  const enter = (tool: Name, call: number) =>
    Effect.sync(() => ledger.write({ _tag: "Ran", call, tool, at: Date.now() }))
  return [
    McpTool.make(
      "tell",
      { description: "Answers at once.", params },
      ({ call }) => Effect.as(enter("tell", call), `${call}`)
    ),
    McpTool.make(
      "count",
      { description: "Reports its progress in several steps.", params },
      ({ call }, context) =>
        Effect.gen(function*() {
          yield* enter("count", call)
          for (let step = 1; step <= steps; step++) {
            yield* Effect.sleep(pause)
            yield* context.progress({ progress: step, total: steps })
          }
          return `${call}`
        })
    ),
    McpTool.make(
      "ask",
      { description: "Asks its client for a number.", params },
      ({ call }, context) =>
        Effect.gen(function*() {
          yield* enter("ask", call)
          const answer = yield* context.elicit("number", { message: `${call}`, fields: { number: Schema.Int } })
          return answer._tag === "Accepted" ? `${answer.content.number}` : answer._tag
        })
    ),
    McpTool.make(
      "repeat",
      { description: "May be called again with the same number.", params, annotations: { idempotentHint: true } },
      ({ call }) => Effect.as(enter("repeat", call), `${call}`)
    )
  ]
}
