/**
 * The server that foreign clients are tried with: one feature for each thing that a client and a server do together.
 *
 * What a test must know of a handler it asks the server itself, by another tool, so that a server in another process is
 * tested as one in this.
 */
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Data, Deferred, Effect, Exit, Schema, Scope } from "effect"

/** A picture of one pixel, or what a test takes for one. */
export const pixel = "iVBORw0KGgo="

/** Keywords that a Schema library would lose. */
export const verbatimSchema: { readonly type: "object" } & Schema.JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $comment: "kept to the last keyword",
  $defs: { even: { type: "integer", multipleOf: 2 } },
  type: "object",
  properties: { even: { $ref: "#/$defs/even" }, any: {}, when: { type: "string", format: "date-time" } },
  patternProperties: { "^x-": { type: "string" } },
  dependentRequired: { any: ["even"] },
  unevaluatedProperties: false,
  "x-own": { deep: [1, null, { a: "b" }] }
}

export const identity = {
  name: "offered",
  version: "1.2.3",
  title: "All that is offered",
  websiteUrl: "https://offered.example"
}

export const instructions = "Ask for little."

class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** Things that happen once, by name; who waits for one may come before it or after it. And how often others happened. */
const occasions = () => {
  const known = new Map<string, Deferred.Deferred<void>>()
  const counts = new Map<string, number>()
  const of = (name: string) => {
    const found = known.get(name) ?? Deferred.makeUnsafe<void>()
    known.set(name, found)
    return found
  }
  return {
    happen: (name: string) => Effect.asVoid(Deferred.succeed(of(name), undefined)),
    wait: (name: string) => Deferred.await(of(name)),
    count: (name: string) => {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return count
    }
  }
}

const name = { name: Schema.String }

/** What the tools need of the server that they are tools of. */
interface Host {
  readonly server: () => McpServer.McpServer
  readonly happen: (name: string) => Effect.Effect<void>
  readonly wait: (name: string) => Effect.Effect<void>
  /** How often it was asked for this name. */
  readonly count: (name: string) => number
}

const answering = [
  McpTool.make(
    "echo",
    {
      title: "Echo",
      description: "Gives back what it is given.",
      params: { text: Schema.String },
      annotations: { readOnlyHint: true, idempotentHint: true }
    },
    ({ text }) => Effect.succeed(text)
  ),
  McpTool.make(
    "add",
    { params: { a: Schema.Finite, b: Schema.Finite }, result: Schema.Struct({ sum: Schema.Finite }) },
    ({ a, b }) => Effect.succeed({ sum: a + b })
  ),
  McpTool.make(
    "picture",
    {},
    () =>
      Effect.succeed([
        Content.text("look"),
        Content.image(pixel, "image/png"),
        Content.link({ uri: "text://greeting", name: "greeting" })
      ])
  ),
  McpTool.raw("verbatim", { inputSchema: verbatimSchema }, (args) => Effect.succeed(JSON.stringify(args))),
  McpTool.make(
    "place",
    { params: { region: Schema.String, at: Schema.optionalKey(Schema.Int) }, headers: { region: "Region", at: "At" } },
    ({ at, region }) => Effect.succeed(JSON.stringify([region, at]))
  ),
  McpTool.make("refuse", {}, () => Effect.fail(new Refused({ message: "not today" }))),
  McpTool.make("break", {}, () => Effect.die(new Error("db password=secret")))
]

const running = ({ happen, wait }: Host) => [
  McpTool.make(
    "count",
    { params: { to: Schema.Int, until: Schema.optionalKey(Schema.String) } },
    ({ to, until }, call) =>
      Effect.gen(function*() {
        for (let step = 1; step <= to; step++) {
          yield* call.progress({ progress: step, total: to, message: `step ${step}` })
        }
        if (until !== undefined) {
          yield* wait(until)
        }
        return `${to} steps`
      })
  ),
  McpTool.make("say", { params: { text: Schema.String } }, ({ text }, call) =>
    Effect.gen(function*() {
      yield* call.log("debug", { text, fine: true }, "offered")
      yield* call.log("warning", { text }, "offered")
      return "said"
    })),
  McpTool.make("wait", { params: name }, ({ name }) =>
    Effect.andThen(happen(`${name} began`), Effect.never).pipe(
      Effect.onInterrupt(() => happen(`${name} was interrupted`))
    )),
  McpTool.make("work", { params: name }, ({ name }) =>
    happen(`${name} began`).pipe(
      Effect.andThen(wait(`${name} may end`)),
      Effect.andThen(happen(`${name} ended`)),
      Effect.onInterrupt(() => happen(`${name} was interrupted`))
    )),
  McpTool.make("until", { params: { happens: Schema.String } }, ({ happens }) => Effect.as(wait(happens), happens)),
  McpTool.make("happen", { params: name }, ({ name }) => Effect.as(happen(name), name)),
  McpTool.make("cut", { params: name }, ({ name }, call) =>
    Effect.gen(function*() {
      yield* call.progress({ progress: 1, total: 2, message: "before the cut" })
      yield* call.closeStream
      yield* happen(`${name} was cut`)
      yield* call.progress({ progress: 2, total: 2, message: "behind the cut" })
      return "all of it"
    }))
]

const asking = ({ count }: Host) => [
  McpTool.make("askForm", { params: { message: Schema.String } }, ({ message }, call) =>
    Effect.map(
      call.elicit("person", {
        message,
        fields: {
          name: Schema.String.annotate({ title: "Name" }),
          age: Schema.optionalKey(Schema.Int),
          colour: Schema.Literals(["red", "green"])
        }
      }),
      (answer) => JSON.stringify(answer)
    )),
  McpTool.make("askUrl", {}, (_, call) =>
    Effect.map(
      call.elicitUrl("payment", { message: "Pay there.", url: "https://pay.example/1" }),
      ({ _tag }) => _tag
    )),
  McpTool.make("askModel", {}, (_, call) =>
    Effect.map(
      call.sample("words", {
        messages: [{ role: "user", content: { type: "text", text: "Say something." } }],
        maxTokens: 10,
        systemPrompt: "Be brief."
      }),
      ({ content, model }) => `${model}: ${JSON.stringify(content)}`
    )),
  McpTool.make(
    "askRoots",
    {},
    (_, call) => Effect.map(call.listRoots(), (roots) => JSON.stringify(roots))
  ),
  McpTool.make("askTwice", { params: name }, ({ name }, call) =>
    Effect.gen(function*() {
      const runs = count(`${name} ran`)
      const roots = yield* call.listRoots()
      const done = yield* call.memo("done", Schema.Int, Effect.sync(() => count(`${name} was done`)))
      const sure = yield* call.elicit("sure", { message: "Sure?", fields: { name: Schema.String } })
      return JSON.stringify({ roots: roots.length, answer: sure._tag, done, runs })
    }))
]

const changing = ({ server }: Host) => {
  let growth: Scope.Closeable | undefined = undefined
  const extra = McpTool.make("extra", {}, () => Effect.succeed("more"))
  const page = McpResource.make("text://extra", { name: "extra" }, () => Effect.succeed("more"))
  const line = McpPrompt.make("extra", {}, () => Effect.succeed("more"))
  return [
    McpTool.make("grow", {}, () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        growth = scope
        yield* Scope.provide(server().add([extra, page, line]), scope)
        return "grown"
      })),
    McpTool.make(
      "shrink",
      {},
      () =>
        Effect.suspend(() => Effect.as(growth === undefined ? Effect.void : Scope.close(growth, Exit.void), "shrunk"))
    ),
    McpTool.make(
      "touch",
      { params: { uri: Schema.String } },
      ({ uri }) => Effect.as(server().resourceUpdated(uri), "touched")
    )
  ]
}

/** The last of the list: version 1 of the official SDK checks the results of the tools of the page that it read last. */
const honest = McpTool.raw(
  "lie",
  { inputSchema: { type: "object" } },
  () => Effect.succeed(McpTool.result({ structuredContent: { n: "many" } }))
)

/** A server of ours holds results to their schemas itself, so that this one is told of none. */
const lie: McpTool.McpTool = {
  ...honest,
  info: { ...honest.info, outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } }
}

const resources = [
  McpResource.make(
    "text://greeting",
    { name: "greeting", title: "A greeting", mimeType: "text/plain", size: 5 },
    () => Effect.succeed("hello")
  ),
  McpResource.make(
    "data://bytes",
    { name: "bytes", mimeType: "application/octet-stream" },
    () => Effect.succeed(new Uint8Array([0, 255, 10, 13]))
  ),
  McpResource.make("text://third", { name: "third" }, () => Effect.succeed("third")),
  McpResource.template(
    "note://{author}/{title}",
    {
      name: "note",
      complete: {
        author: (prefix) => Effect.succeed(["ada", "alan", "grace"].filter((author) => author.startsWith(prefix))),
        title: (prefix, { arguments: { author } }) => Effect.succeed([`${prefix} by ${author}`])
      }
    },
    ({ author, title }, _, uri) =>
      author === "nobody" ? Effect.fail(McpResource.notFound(uri)) : Effect.succeed(`${title} by ${author}`)
  ),
  McpResource.template("page://{n}", { name: "page" }, ({ n }) => Effect.succeed(`page ${n}`)),
  McpResource.template("word://{word}", { name: "word" }, ({ word }) => Effect.succeed(word))
]

const prompts = [
  McpPrompt.make("greet", {
    title: "Greet",
    description: "Greets somebody.",
    params: {
      name: Schema.String.annotate({ description: "who" }),
      tone: Schema.optionalKey(Schema.Literals(["warm", "cold"]))
    },
    complete: {
      tone: (prefix) => Effect.succeed(["warm", "cold"].filter((tone) => tone.startsWith(prefix)))
    }
  }, ({ name, tone }) => Effect.succeed(`Say a ${tone ?? "plain"} hello to ${name}.`)),
  McpPrompt.make(
    "talk",
    {},
    () => Effect.succeed([McpPrompt.user("How are you?"), McpPrompt.assistant("Well.")])
  ),
  McpPrompt.make("third", {}, () => Effect.succeed("third"))
]

/** The server, which speaks these revisions, or all. Its lists have pages of two. */
export const makeOf = Effect.fnUntraced(function*(protocolVersions?: ReadonlyArray<Revision>) {
  let made: McpServer.McpServer | undefined = undefined
  const host: Host = {
    ...occasions(),
    server: () => {
      if (made === undefined) throw new Error("a tool ran before its server was made")
      return made
    }
  }
  made = yield* McpServer.make({
    ...identity,
    instructions,
    pageSize: 2,
    protocolVersions,
    features: [...answering, ...running(host), ...asking(host), ...changing(host), lie, ...resources, ...prompts]
  })
  return made
})

export const make: Effect.Effect<McpServer.McpServer> = makeOf()

/** The names of the tools, in the order in which they are listed. */
export const toolNames: ReadonlyArray<string> = [
  ...["echo", "add", "picture", "verbatim", "place", "refuse", "break"],
  ...["count", "say", "wait", "work", "until", "happen", "cut"],
  ...["askForm", "askUrl", "askModel", "askRoots", "askTwice"],
  ...["grow", "shrink", "touch", "lie"]
]
