/** A server of `effect/ai`, with what the tests of clients want to see, in both eras. */
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as foreign from "./foreign.ts"
import type { Occasions } from "./occasions.ts"

const Echo = Tool.make("echo", {
  description: "Gives back what it is given.",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String
})

const Add = Tool.make("add", {
  parameters: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  success: Schema.Struct({ sum: Schema.Finite })
})

const Refuse = Tool.make("refuse", { success: Schema.String, failure: Schema.String })

const Wait = Tool.make("wait", { parameters: Schema.Struct({ name: Schema.String }), success: Schema.String })

const Until = Tool.make("until", { parameters: Schema.Struct({ happens: Schema.String }), success: Schema.String })

const tools = Toolkit.make(Echo, Add, Refuse, Wait, Until)

export const toolNames: ReadonlyArray<string> = ["echo", "add", "refuse", "wait", "until"]

const handlers = ({ happen, wait }: Occasions) =>
  tools.toLayer({
    echo: ({ text }) => Effect.succeed(text),
    add: ({ a, b }) => Effect.succeed({ sum: a + b }),
    refuse: () => Effect.fail("not today"),
    wait: ({ name }) =>
      Effect.andThen(Effect.sync(() => happen(`${name} began`)), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.sync(() => happen(`${name} was interrupted`)))
      ),
    until: ({ happens }) => Effect.as(Effect.promise(() => wait(happens)), happens)
  })

const author = McpSchema.param("author", Schema.String)

/** What is registered with the server. */
export const registrations = (occasions: Occasions) =>
  Layer.mergeAll(
    Layer.provide(McpServer.toolkit(tools), handlers(occasions)),
    McpServer.resource({
      uri: "text://greeting",
      name: "greeting",
      mimeType: "text/plain",
      content: Effect.succeed("hello")
    }),
    McpServer.resource({
      uri: "data://bytes",
      name: "bytes",
      content: Effect.succeed(new Uint8Array([0, 255, 10, 13]))
    }),
    McpServer.resource`note://${author}`({
      name: "note",
      completion: { author: (prefix) => Effect.succeed(foreign.authors(prefix)) },
      content: (_, author) => Effect.succeed(`by ${author}`)
    }),
    McpServer.prompt({
      name: "greet",
      parameters: { name: Schema.String },
      completion: { name: (prefix) => Effect.succeed(foreign.authors(prefix)) },
      content: ({ name }) => Effect.succeed(`Greet ${name}.`)
    })
  )

export const options = {
  name: "effect",
  version: "4",
  instructions: foreign.instructions,
  protocols: [McpProtocol.v2025_11_25, McpProtocol.v2026_07_28]
} as const

const Ask = Tool.make("ask", {
  parameters: Schema.Struct({ message: Schema.String }),
  success: Schema.String,
  failure: Schema.String
}).addDependency(McpSchema.McpServerClient)

const askers = Toolkit.make(Ask)

/** A tool that asks its client to fill in a form. */
export const asking = Layer.provide(
  McpServer.toolkit(askers),
  askers.toLayer({
    ask: ({ message }) =>
      McpServer.elicit({ message, schema: Schema.Struct({ name: Schema.String }) }).pipe(
        Effect.map(({ name }) => name),
        Effect.mapError(() => "declined")
      )
  })
)
