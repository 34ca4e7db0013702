/** The server of `effects.ts` on the stdio of a process of its own. */
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpServer from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as effects from "./effects.ts"
import * as occasions from "./occasions.ts"

const served = McpServer.layerStdio({
  ...effects.options,
  registrations: effects.registrations(occasions.make())
}).pipe(Layer.provide(NodeStdio.layer), Layer.provide(Logger.layer([])))

await Effect.runPromise(Layer.launch(served))
