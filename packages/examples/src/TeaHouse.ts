/** An MCP server for the story and the demo, whose features are defined once for every revision. */
import { McpPrompt, McpResource, McpServer, McpTool } from "@parley/mcp"
import { Effect, Schema } from "effect"

const Tea = Schema.Literals(["green", "black", "mint"])

const menu = McpResource.make(
  "tea:menu",
  { name: "menu", description: "What there is to drink", mimeType: "text/plain" },
  () => Effect.succeed(Tea.literals.join(", "))
)

const advice = McpPrompt.make(
  "advice",
  { description: "Asks which tea fits a mood.", params: { mood: Schema.String } },
  ({ mood }) => Effect.succeed(`Which tea would you drink when you are ${mood}?`)
)

/** The bill of a guest. */
export const Bill = Schema.Struct({ cups: Schema.Int, tea: Tea, price: Schema.Finite })

const order = McpTool.make(
  "order_tea",
  { description: "Brews tea, for as many as you say when you are asked.", params: { tea: Tea }, result: Bill },
  ({ tea }, call) =>
    Effect.gen(function*() {
      const answer = yield* call.elicit("cups", {
        message: `How many cups of ${tea} tea?`,
        fields: { cups: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })) }
      })
      if (answer._tag !== "Accepted") return yield* Effect.fail(new Error("nobody wants tea"))
      const { cups } = answer.content
      for (let cup = 1; cup <= cups; cup++) {
        yield* call.progress({ progress: cup, total: cups, message: `cup ${cup} is poured` })
      }
      return { cups, tea, price: cups * 2.5 }
    })
)

/** The tea house. */
export const make = McpServer.make({
  name: "tea-house",
  version: "1.0.0",
  instructions: "Order tea with order_tea. The menu is at tea:menu.",
  features: [order, menu, advice]
})
