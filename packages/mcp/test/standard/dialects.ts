/**
 * One server in four dialects of schemas: what it takes and gives is the same in each of them.
 */
import type { Params } from "@parley/contract/shared"
import type { FormFields } from "@parley/mcp/McpContext"
import type * as McpContext from "@parley/mcp/McpContext"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpTool from "@parley/mcp/McpTool"
import type * as StandardSchema from "@parley/mcp/schema/StandardSchema"
import * as PromiseHandler from "@parley/mcp/server/PromiseHandler"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Effect, Schema } from "effect"
import * as v from "valibot"
import { z } from "zod"

interface Search {
  readonly city: string
  readonly days: number
  readonly tags?: ReadonlyArray<string> | undefined
}

interface Found {
  readonly city: string
  readonly nights: number
}

interface Wish {
  readonly name: string
  readonly board: "full" | "half"
  readonly guests?: number | undefined
}

/** What a tool searches with and finds, what a prompt has, and what a form asks for. */
export interface Schemas {
  readonly params: Params.Codec & { readonly Type: Search } | StandardSchema.Described<unknown, Search>
  readonly result: Params.Codec & { readonly Type: Found } | StandardSchema.Described<Found, unknown>
  /** A prompt in this dialect, whose handler is given. */
  readonly prompt: (
    name: string,
    handler: (args: { readonly language: string }) => Effect.Effect<string>
  ) => McpPrompt.McpPrompt
  /** Asks for a wish. */
  readonly ask: (call: McpContext.McpContext) => Effect.Effect<McpContext.Elicited<Wish>, unknown>
  /** The same for an asynchronous handler. */
  readonly askLater: (call: PromiseHandler.PromiseCall) => Promise<McpContext.Elicited<Wish>>
}

const message = "What do you wish?"

const askersOf = <F extends FormFields | StandardSchema.Described<unknown, Wish>>(fields: F) => ({
  ask: (call: McpContext.McpContext) => call.elicit("wish", { message, fields }),
  askLater: (call: PromiseHandler.PromiseCall) => call.elicit("wish", { message, fields })
})

const cityIs = "A name such as Oslo"

const languageIs = "The language of the code"

const effect: Schemas = {
  params: Schema.Struct({
    city: Schema.String.annotate({ description: cityIs }),
    days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed(3))
    ),
    tags: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  result: Schema.Struct({ city: Schema.String, nights: Schema.Int }),
  prompt: (name, handler) =>
    McpPrompt.make(
      name,
      { params: { language: Schema.Literals(["Go", "Rust"]).annotate({ description: languageIs }) } },
      handler
    ),
  ...askersOf({
    name: Schema.String.annotate({ title: "Name" }),
    board: Schema.Literals(["full", "half"]),
    guests: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
  })
}

const zod: Schemas = {
  params: z.strictObject({
    city: z.string().describe(cityIs),
    days: z.int().min(1).max(7).default(3),
    tags: z.array(z.string()).optional()
  }),
  result: z.object({ city: z.string(), nights: z.int() }),
  prompt: (name, handler) =>
    McpPrompt.make(name, { params: z.object({ language: z.enum(["Go", "Rust"]).describe(languageIs) }) }, handler),
  ...askersOf(z.object({
    name: z.string().meta({ title: "Name" }),
    board: z.enum(["full", "half"]),
    guests: z.int().min(1).optional()
  }))
}

const valibot: Schemas = {
  params: toStandardJsonSchema(v.strictObject({
    city: v.pipe(v.string(), v.description(cityIs)),
    days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(7)), 3),
    tags: v.optional(v.array(v.string()))
  })),
  result: toStandardJsonSchema(v.strictObject({ city: v.string(), nights: v.pipe(v.number(), v.integer()) })),
  prompt: (name, handler) =>
    McpPrompt.make(
      name,
      {
        params: toStandardJsonSchema(
          v.object({ language: v.pipe(v.picklist(["Go", "Rust"]), v.description(languageIs)) })
        )
      },
      handler
    ),
  ...askersOf(toStandardJsonSchema(v.object({
    name: v.pipe(v.string(), v.title("Name")),
    board: v.picklist(["full", "half"]),
    guests: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)))
  })))
}

const arktype: Schemas = {
  params: type({
    "+": "reject",
    city: type("string").describe(cityIs),
    days: "1 <= number.integer <= 7 = 3",
    "tags?": "string[]"
  }),
  result: type({ "+": "reject", city: "string", nights: "number.integer" }),
  prompt: (name, handler) =>
    McpPrompt.make(name, { params: type({ language: type("'Go' | 'Rust'").describe(languageIs) }) }, handler),
  ...askersOf(type({ name: "string", board: "'full' | 'half'", "guests?": "number.integer >= 1" }))
}

export const dialects = { effect, zod, valibot, arktype }

/** How the handlers are written. */
export type Style = "Effect" | "Promise"

const isKnown = (city: string) => city !== "Atlantis"

const lost = (city: string) => new Error(`${city} is lost`)

/** The features of the server: a search, a question to the person, and a prompt. */
export const featuresOf = (schemas: Schemas, style: Style) => {
  const { params, result } = schemas
  const options = { description: "Finds a hotel.", params, result }
  return [
    style === "Effect"
      ? McpTool.make(
        "search",
        options,
        ({ city, days }) => isKnown(city) ? Effect.succeed({ city, nights: days - 1 }) : Effect.fail(lost(city))
      )
      : McpTool.make(
        "search",
        options,
        PromiseHandler.make(async ({ city, days }) => {
          await Promise.resolve()
          if (!isKnown(city)) throw lost(city)
          return { city, nights: days - 1 }
        })
      ),
    style === "Effect"
      ? McpTool.make("wish", {}, (_, call) => Effect.map(schemas.ask(call), (answer) => JSON.stringify(answer)))
      : McpTool.make("wish", {}, PromiseHandler.make(async (_, call) => JSON.stringify(await schemas.askLater(call)))),
    schemas.prompt("review", ({ language }) => Effect.succeed(`Review this ${language} code.`))
  ]
}
