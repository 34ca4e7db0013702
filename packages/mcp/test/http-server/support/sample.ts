/** A server whose tools do what a test tells them, when it tells them. */
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Queue, Schema } from "effect"

export interface Sample {
  readonly server: McpServer.McpServer
  /** Gives each call of `wait` that has begun, and ends it with a text. */
  readonly waiting: Queue.Dequeue<Waiting>
  /** Names of calls of `wait` that were interrupted. */
  readonly interrupted: Queue.Dequeue<string>
}

export interface Waiting {
  readonly name: string
  /** Says something before the end. */
  readonly tell: (text: string) => void
  readonly closeStream: () => void
  readonly finish: (text: string) => void
}

type Step = { readonly _tag: "Tell" | "Finish"; readonly text: string } | { readonly _tag: "Close" }

/** Its features, for a server that has others as well. */
export const sampleFeatures = Effect.gen(function*() {
  const waiting = yield* Queue.unbounded<Waiting>()
  const interrupted = yield* Queue.unbounded<string>()
  const features = [
    McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text)),
    McpTool.make("wait", { params: { name: Schema.String } }, ({ name }, call) =>
      Effect.gen(function*() {
        const steps = yield* Queue.unbounded<Step>()
        Queue.offerUnsafe(waiting, {
          name,
          tell: (text) => void Queue.offerUnsafe(steps, { _tag: "Tell", text }),
          closeStream: () => void Queue.offerUnsafe(steps, { _tag: "Close" }),
          finish: (text) => void Queue.offerUnsafe(steps, { _tag: "Finish", text })
        })
        while (true) {
          const step = yield* Queue.take(steps)
          if (step._tag === "Close") yield* call.closeStream
          else if (step._tag === "Tell") yield* call.log("info", step.text)
          else return step.text
        }
      }).pipe(Effect.onInterrupt(() =>
        Effect.andThen(
          Effect.sync(() => Queue.offerUnsafe(interrupted, name)),
          name === "slow to end" ? Effect.sleep("500 millis") : Effect.void
        )
      ))),
    McpTool.make(
      "name",
      {},
      (_, call) =>
        Effect.map(
          call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
          (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
        )
    ),
    McpTool.make("whence", {}, (_, call) =>
      Effect.map(
        Effect.context<never>(),
        (context) =>
          `${call.principal} ${call.header("x-tag")} ${Context.get(context, Handshake.Current)?.head.header("x-tag")}`
      )),
    McpTool.make(
      "region",
      { params: { region: Schema.String }, headers: { region: "Region" } },
      ({ region }) => Effect.succeed(region)
    )
  ]
  return { features, waiting, interrupted }
})

export const sample: Effect.Effect<Sample> = Effect.flatMap(
  sampleFeatures,
  ({ features, ...queues }) =>
    Effect.map(McpServer.make({ name: "sample", version: "1", features }), (server) => ({ server, ...queues }))
)
