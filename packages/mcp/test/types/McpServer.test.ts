import { describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Effect, Layer, type Option, Schema, type Scope } from "effect"
import type * as McpContext from "../../src/McpContext.ts"
import * as McpPrompt from "../../src/McpPrompt.ts"
import * as McpResource from "../../src/McpResource.ts"
import * as McpServer from "../../src/McpServer.ts"
import * as McpTool from "../../src/McpTool.ts"

class Store extends Context.Service<Store, { readonly get: (key: string) => Effect.Effect<string, Error> }>()(
  "test/Store"
) {}

class Clock extends Context.Service<Clock, { readonly now: number }>()("test/Clock") {}

const fromStore = (key: string) => Effect.flatMap(Store, (store) => store.get(key))

const released = Effect.acquireRelease(Effect.succeed("x"), () => Effect.void)

const tool = McpTool.make(
  "t",
  { params: { key: Schema.String, day: Schema.optionalKey(Schema.FiniteFromString) } },
  (params) => {
    expectTypeOf(params).toEqualTypeOf<{ readonly key: string; readonly day?: number }>()
    return Effect.andThen(released, fromStore(params.key))
  }
)

const resource = McpResource.template(
  "test://{a}/{+b}{?c,d}",
  {
    name: "r",
    complete: {
      a: (prefix) => Effect.map(Clock, ({ now }) => [`${prefix}${now}`]),
      d: (_, known) => Effect.map(fromStore(known.arguments["a"] ?? ""), (text) => [text])
    }
  },
  (variables) => {
    expectTypeOf(variables).toExtend<
      { readonly a: string; readonly b: string; readonly c?: string; readonly d?: string }
    >()
    expectTypeOf<keyof typeof variables>().toEqualTypeOf<"a" | "b" | "c" | "d">()
    return fromStore(variables.a)
  }
)

describe("the types of a server", () => {
  it("a feature requires what its handler and its completions do, without a Scope", () => {
    expectTypeOf(tool).toEqualTypeOf<McpTool.McpTool<Store>>()
    expectTypeOf(resource).toEqualTypeOf<McpResource.McpResourceTemplate<Store | Clock>>()
    const template = (complete: () => Effect.Effect<Array<string>>) =>
      // @ts-expect-error there is no such variable
      McpResource.template("test://{a}", { name: "r", complete: { b: complete } }, () => Effect.succeed(""))
    expectTypeOf(template).toBeFunction()
    const raw = McpTool.raw("raw", { inputSchema: { type: "object" } }, () => Effect.map(Clock, () => "now"))
    expectTypeOf(raw).toEqualTypeOf<McpTool.McpTool<Clock>>()
  })

  it("a tool gives what its result says, and nothing else", () => {
    const result = Schema.Struct({ at: Schema.Date })
    const made = McpTool.make("t", { result }, () => Effect.succeed({ at: new Date(0) }))
    expectTypeOf(made).toEqualTypeOf<McpTool.McpTool>()
    // @ts-expect-error a date is wanted
    const wrong = () => McpTool.make("t", { result }, () => Effect.succeed({ at: 0 }))
    // @ts-expect-error a number is no content
    const plain = () => McpTool.make("t", {}, () => Effect.succeed(1))
    expectTypeOf(wrong).toBeFunction()
    expectTypeOf(plain).toBeFunction()
  })

  it("a prompt takes its arguments decoded, and completes no others", () => {
    const args = { day: Schema.FiniteFromString, note: Schema.optionalKey(Schema.String) }
    const prompt = McpPrompt.make("p", { params: args }, (given) => {
      expectTypeOf(given).toEqualTypeOf<{ readonly day: number; readonly note?: string }>()
      return Effect.as(fromStore("p"), given.note ?? "")
    })
    expectTypeOf(prompt).toEqualTypeOf<McpPrompt.McpPrompt<Store>>()
    const days = () => Effect.succeed([])
    const complete = { day: days, other: days }
    // @ts-expect-error there is no such argument
    const wrong = () => McpPrompt.make("p", { params: args, complete }, () => Effect.succeed(""))
    expectTypeOf(wrong).toBeFunction()
    const completed = McpPrompt.make("p", {
      params: args,
      complete: {
        day: (prefix, known) => {
          expectTypeOf(prefix).toEqualTypeOf<string>()
          expectTypeOf(known).toEqualTypeOf<McpContext.Known>()
          return Effect.andThen(released, Effect.map(Clock, ({ now }) => [String(now)]))
        },
        note: () => Effect.map(fromStore("note"), (note) => [note])
      }
    }, () => Effect.succeed(""))
    expectTypeOf(completed).toEqualTypeOf<McpPrompt.McpPrompt<Store | Clock>>()
  })

  it("a server requires what its features do, and one that is added requires it there", () => {
    const options = { name: "s", version: "1", features: [tool, resource] }
    expectTypeOf(McpServer.make(options)).toEqualTypeOf<
      Effect.Effect<McpServer.McpServer, never, Store | Clock>
    >()
    expectTypeOf(McpServer.layer(options)).toEqualTypeOf<Layer.Layer<McpServer.McpServer, never, Store | Clock>>()
    const clock = McpTool.make("c", {}, () => Effect.map(Clock, ({ now }) => String(now)))
    const text = McpPrompt.make("p", {}, () => fromStore("p"))
    const several = () => McpServer.make({ name: "s", version: "1", features: [tool, clock, text] })
    expectTypeOf(several).returns.toEqualTypeOf<Effect.Effect<McpServer.McpServer, never, Store | Clock>>()
    const adds = (server: McpServer.McpServer) => server.add([text, clock])
    expectTypeOf(adds).returns.toEqualTypeOf<Effect.Effect<void, never, Store | Clock | Scope.Scope>>()
    const seen = () =>
      McpServer.layer({
        name: "s",
        version: "1",
        features: [tool],
        visible: () => Effect.map(Clock, ({ now }) => now > 0)
      })
    expectTypeOf(seen).returns.toEqualTypeOf<Layer.Layer<McpServer.McpServer, never, Store | Clock>>()
    const add = (server: McpServer.McpServer) => server.add([tool])
    expectTypeOf(add).returns.toEqualTypeOf<Effect.Effect<void, never, Store | Scope.Scope>>()
  })

  it("what is asked of the client is typed by its form", () => {
    McpTool.make("ask", {}, (_, call) => {
      const asked = call.elicit("k", {
        message: "m",
        fields: { age: Schema.Int, when: Schema.optionalKey(Schema.Date) }
      })
      type Answer = Effect.Success<typeof asked>
      type Content = Extract<Answer, { readonly _tag: "Accepted" }>["content"]
      expectTypeOf<Content>().toEqualTypeOf<{ readonly age: number; readonly when?: Date }>()
      return Effect.void
    })
  })

  it("a form has no fields that a person could not fill in", () => {
    const ask = (call: McpContext.McpContext) => {
      const form = <const F extends McpContext.FormFields>(schema: F) =>
        call.elicit("k", { message: "?", fields: schema })
      form({
        name: Schema.String,
        size: Schema.optionalKey(Schema.Literals(["s", "l"])),
        sizes: Schema.Array(Schema.Literals(["s", "l"])),
        count: Schema.optional(Schema.Int),
        loud: Schema.Boolean,
        at: Schema.Date,
        home: Schema.URL,
        key: Schema.Uint8Array,
        big: Schema.BigInt,
        text: Schema.FiniteFromString
      })
      // @ts-expect-error an object
      form({ address: Schema.Struct({ street: Schema.String }) })
      // @ts-expect-error a list of objects
      form({ addresses: Schema.Array(Schema.Struct({ street: Schema.String })) })
      // @ts-expect-error a list of numbers
      form({ counts: Schema.Array(Schema.Int) })
      // @ts-expect-error a record
      form({ headers: Schema.Record(Schema.String, Schema.String) })
      // @ts-expect-error a person cannot fill in null
      form({ name: Schema.NullOr(Schema.String) })
      // @ts-expect-error it may be an object
      form({ any: Schema.Unknown })
    }
    expectTypeOf(ask).toBeFunction()
  })

  it("a caller has services with their own types", () => {
    const read = ({ auth }: McpContext.McpContext) => auth.get(Clock)
    expectTypeOf(read).returns.toEqualTypeOf<Option.Option<{ readonly now: number }>>()
    expectTypeOf<McpServer.ServerOptions["principals"]>().toEqualTypeOf<
      ReadonlyArray<Context.Key<unknown, unknown>> | undefined
    >()
    expectTypeOf<ReadonlyArray<typeof Clock | typeof Store>>().toExtend<McpServer.ServerOptions["principals"]>()
  })
})
