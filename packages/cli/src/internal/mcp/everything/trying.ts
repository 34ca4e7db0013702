/** Tools for people who want to see what a client does with them. */
import * as McpTool from "@parley/mcp/McpTool"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"

const described = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })

const echo = McpTool.make(
  "echo",
  {
    title: "Echo",
    description: "Says what it was told.",
    params: { text: described(Schema.String, "What it says") },
    annotations: { readOnlyHint: true, openWorldHint: false }
  },
  ({ text }) => Effect.succeed(text)
)

const add = McpTool.make(
  "add",
  {
    title: "Add",
    description: "Adds two numbers.",
    params: { a: Schema.Finite, b: Schema.Finite },
    result: Schema.Struct({ sum: Schema.Finite }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
  },
  ({ a, b }) => Effect.succeed({ sum: a + b })
)

const roll = McpTool.make(
  "roll_dice",
  {
    title: "Roll dice",
    description: "Rolls dice, and says what each shows.",
    params: {
      count: described(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })), "How many dice"),
      sides: Schema.optionalKey(
        described(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 1000 })), "Sides of each, 6 by default")
      )
    },
    result: Schema.Struct({ dice: Schema.Array(Schema.Int), sum: Schema.Int }),
    annotations: { readOnlyHint: true, openWorldHint: false }
  },
  ({ count, sides }) =>
    Effect.map(
      Effect.replicateEffect(Random.nextIntBetween(1, (sides ?? 6) + 1), count),
      (dice) => ({ dice, sum: dice.reduce((sum, die) => sum + die, 0) })
    )
)

const countdown = McpTool.make(
  "count_down",
  {
    title: "Count down",
    description: "Counts seconds down, and tells how far it is. It can be cancelled.",
    params: { seconds: described(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3600 })), "From how many") }
  },
  ({ seconds }, call) =>
    Effect.as(
      Effect.forEach(
        Array.from({ length: seconds }, (_, gone) => gone),
        (gone) =>
          Effect.andThen(
            call.progress({ progress: gone, total: seconds, message: `${seconds - gone} …` }),
            Effect.sleep("1 second")
          ),
        { discard: true }
      ),
      "Lift-off!"
    )
)

const Table = {
  name: described(Schema.String, "On which name"),
  people: described(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })), "How many people"),
  outside: Schema.optionalKey(Schema.Boolean.annotate({ title: "Outside?", default: false }))
}

const book = McpTool.make(
  "book_table",
  {
    title: "Book a table",
    description: "Asks you for what it needs, and books a table that does not exist.",
    params: { restaurant: Schema.String }
  },
  ({ restaurant }, call) =>
    Effect.map(
      call.elicit("table", { message: `A table at ${restaurant}`, fields: Table }),
      (answer) =>
        answer._tag === "Accepted"
          ? `${answer.content.people} at ${restaurant} for ${answer.content.name}${
            answer.content.outside === true ? ", outside" : ""
          }`
          : "Nothing was booked."
    )
)

export const tools = [echo, add, roll, countdown, book]
