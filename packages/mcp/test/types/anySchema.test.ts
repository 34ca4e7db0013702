import { describe, expectTypeOf, it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Effect, Schema } from "effect"
import * as v from "valibot"
import { z } from "zod"
import type * as McpContext from "../../src/McpContext.ts"
import * as McpPrompt from "../../src/McpPrompt.ts"
import * as McpResource from "../../src/McpResource.ts"
import * as McpTool from "../../src/McpTool.ts"
import * as StandardSchema from "../../src/schema/StandardSchema.ts"
import * as PromiseHandler from "../../src/server/PromiseHandler.ts"

interface Stay {
  city: string
  nights: number
}

describe("the types of Standard Schemas and Promises", () => {
  it("a handler gets what the schema of its arguments gives, and returns what that of its result accepts", () => {
    const zod = McpTool.make(
      "t",
      {
        params: z.object({ city: z.string(), nights: z.int().default(1) }),
        result: z.object({ at: z.string().transform(Number).pipe(z.number()) })
      },
      (params) => {
        expectTypeOf(params).toEqualTypeOf<Stay>()
        return Effect.succeed({ at: "1" })
      }
    )
    expectTypeOf(zod).toEqualTypeOf<McpTool.McpTool>()
    McpTool.make(
      "t",
      { params: toStandardJsonSchema(v.object({ city: v.string(), nights: v.optional(v.number(), 1) })) },
      (params) => {
        expectTypeOf(params).toEqualTypeOf<Stay>()
        return Effect.succeed("")
      }
    )
    McpTool.make("t", { params: type({ city: "string", nights: "number = 1" }) }, (params) => {
      expectTypeOf(params).toEqualTypeOf<Stay>()
      return Effect.succeed("")
    })
    const fields = { city: StandardSchema.input(z.string()), nights: Schema.optionalKey(Schema.Int) }
    McpTool.make("t", { params: fields }, (params) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly city: string; readonly nights?: number }>()
      return Effect.succeed("")
    })
    const result = z.object({ at: z.date().transform(String).pipe(z.string()) })
    McpTool.make("t", { result }, () => Effect.succeed({ at: new Date(0) }))
    // @ts-expect-error the schema accepts a date
    const wrong = () => McpTool.make("t", { result }, () => Effect.succeed({ at: "now" }))
    expectTypeOf(wrong).toBeFunction()
    // @ts-expect-error a schema of valibot does not bring its JSON Schema
    const bare = () => McpTool.make("t", { params: v.object({ city: v.string() }) }, () => Effect.succeed(""))
    expectTypeOf(bare).toBeFunction()
  })

  it("an asynchronous handler gets the same, and a call that gives Promises", () => {
    const tool = McpTool.make(
      "t",
      {
        params: z.object({ city: z.string(), nights: z.int().default(1) }),
        result: z.object({ booked: z.boolean().default(true) })
      },
      PromiseHandler.make(async (params, call) => {
        expectTypeOf(params).toEqualTypeOf<Stay>()
        expectTypeOf(call).toEqualTypeOf<PromiseHandler.PromiseCall>()
        const answer = await call.elicit("sure", { message: "Sure?", fields: z.object({ sure: z.boolean() }) })
        expectTypeOf(answer).toEqualTypeOf<McpContext.Elicited<{ sure: boolean }>>()
        const total = await call.memo("total", z.number(), async () => 3)
        expectTypeOf(total).toEqualTypeOf<number>()
        return {}
      })
    )
    expectTypeOf(tool).toEqualTypeOf<McpTool.McpTool>()
    McpTool.make(
      "t",
      { params: { city: Schema.String } },
      PromiseHandler.make(async ({ city }) => {
        expectTypeOf(city).toEqualTypeOf<string>()
        return city
      })
    )
    McpTool.make(
      "t",
      {},
      PromiseHandler.make(async (_, call) => {
        expectTypeOf(call).toEqualTypeOf<PromiseHandler.PromiseCall>()
        return ""
      })
    )
    const wrong = () =>
      // @ts-expect-error the result is an object
      McpTool.make("t", { result: z.object({ at: z.string() }) }, PromiseHandler.make(async () => "now"))
    expectTypeOf(wrong).toBeFunction()
  })

  it("a prompt and a resource have asynchronous handlers, too", () => {
    const prompt = McpPrompt.make(
      "p",
      {
        params: z.object({ language: z.enum(["Go", "Rust"]), lines: z.string().transform(Number).optional() }),
        complete: { language: (prefix) => Effect.succeed([prefix]) }
      },
      PromiseHandler.make(async ({ language, lines }, call) => {
        expectTypeOf(language).toEqualTypeOf<"Go" | "Rust">()
        expectTypeOf(lines).toEqualTypeOf<number | undefined>()
        expectTypeOf(call).toEqualTypeOf<PromiseHandler.PromiseCall>()
        return `Review ${language}`
      })
    )
    expectTypeOf(prompt).toEqualTypeOf<McpPrompt.McpPrompt>()
    const unknown = () =>
      McpPrompt.make(
        "p",
        // @ts-expect-error there is no such argument
        { params: z.object({ language: z.string() }), complete: { line: () => Effect.succeed([]) } },
        () => Effect.succeed("")
      )
    expectTypeOf(unknown).toBeFunction()
    // @ts-expect-error the arguments of a prompt are texts
    const numbers = () => McpPrompt.make("p", { params: z.object({ lines: z.number() }) }, () => Effect.succeed(""))
    expectTypeOf(numbers).toBeFunction()
    const resource = McpResource.make(
      "test:r",
      { name: "r" },
      PromiseHandler.resource(async (call, uri) => {
        expectTypeOf(call).toEqualTypeOf<PromiseHandler.PromiseCall>()
        expectTypeOf(uri).toEqualTypeOf<string>()
        return uri
      })
    )
    expectTypeOf(resource).toEqualTypeOf<McpResource.McpResource>()
    McpResource.template(
      "test://{a}",
      { name: "r" },
      PromiseHandler.template(async ({ a }, call, uri) => {
        expectTypeOf(a).toEqualTypeOf<string>()
        expectTypeOf(call).toEqualTypeOf<PromiseHandler.PromiseCall>()
        return uri
      })
    )
  })

  it("a form gives what its Standard Schema gives", () => {
    const ask = (call: McpContext.McpContext) =>
      Effect.map(call.elicit("k", { message: "?", fields: type({ name: "string" }) }), (answer) => {
        expectTypeOf(answer).toEqualTypeOf<McpContext.Elicited<{ name: string }>>()
      })
    expectTypeOf(ask).toBeFunction()
  })
})
