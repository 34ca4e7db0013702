/** What any client and our server do together, whoever wrote the client and whatever is between them. */
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { capabilities, Foreign, type List } from "./foreign.ts"
import * as offered from "./offered.ts"

const text = (text: string) => [{ type: "text", text }]

const nameOf = (item: unknown) => (item as { readonly name: string }).name

/** The text of a result that is one text. */
const said = (result: { readonly content?: unknown }) => (result.content as ReadonlyArray<{ text: string }>)[0]?.text

const codeOf = (error: unknown) => (error as { readonly code?: unknown }).code

/** What is told of a request that must fail. */
const refusal = <A>(effect: Effect.Effect<A, unknown>) =>
  Effect.map(Effect.flip(effect), (error) => error as { readonly code?: unknown; readonly message: string })

/** Reads all that was heard, so that what comes next is what is tried. */
const forget = Effect.gen(function*() {
  const { heard } = yield* Foreign
  for (const queue of [heard.logs, heard.changes, heard.updates]) yield* Queue.clear(queue as Queue.Queue<unknown>)
})

const three = (queue: Queue.Queue<string>) => Effect.map(Queue.takeN(queue, 3), (names) => names.toSorted())

/** A bridge has pages of its own, so that of the server's a client sees none. */
export const scenarios = (it: Vitest.MethodsNonLive<Foreign>, hasPages = true) => {
  it.effect("agree on a revision, and the client knows the server", () =>
    Effect.gen(function*() {
      const { era, ...foreign } = yield* Foreign
      assert.strictEqual(foreign.revision, era === "modern" ? "2026-07-28" : "2025-11-25")
      assert.deepStrictEqual(foreign.identity, offered.identity)
      assert.strictEqual(foreign.instructions, offered.instructions)
      assert.deepStrictEqual(foreign.capabilities, {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {}
      })
      yield* foreign.ping
    }))

  if (hasPages) {
    it.effect("page through every list, in its order", () =>
      Effect.gen(function*() {
        const foreign = yield* Foreign
        const lists: { readonly [what in List]: ReadonlyArray<string> } = {
          tools: offered.toolNames,
          resources: ["greeting", "bytes", "third"],
          resourceTemplates: ["note", "page", "word"],
          prompts: ["greet", "talk", "third"]
        }
        for (const what of ["tools", "resources", "resourceTemplates", "prompts"] as const) {
          const first = yield* foreign.page(what)
          assert.strictEqual(first.items.length, 2, what)
          assert.isString(first.nextCursor, what)
          assert.deepStrictEqual((yield* foreign.all(what)).map(nameOf), lists[what])
        }
        assert.strictEqual((yield* refusal(foreign.page("tools", "no cursor of ours"))).code, -32602)
      }))
  }

  it.effect("tell of tools to the last keyword of a schema", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const tools = yield* foreign.all("tools")
      const find = (name: string) => tools.find((tool) => nameOf(tool) === name)
      assert.deepStrictEqual(find("verbatim"), { name: "verbatim", inputSchema: offered.verbatimSchema })
      assert.deepStrictEqual(find("echo"), {
        name: "echo",
        title: "Echo",
        description: "Gives back what it is given.",
        inputSchema: {
          type: "object",
          properties: { text: { type: "string" } },
          required: ["text"],
          additionalProperties: false
        },
        annotations: { readOnlyHint: true, idempotentHint: true }
      })
    }))

  it.effect("call tools, each answer going to its call", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const texts = Array.from({ length: 50 }, (_, index) => `text ${index} äöü \u{1f600}\n`)
      const results = yield* Effect.all(texts.map((text) => foreign.callTool("echo", { text })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results.map(({ content }) => content), texts.map(text))
      const verbatim = yield* foreign.callTool("verbatim", { even: 2, any: [null] })
      assert.deepStrictEqual(verbatim.content, text("{\"even\":2,\"any\":[null]}"))
    }))

  it.effect("carry structured content, and the client holds it against the schema", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const sum = yield* foreign.callTool("add", { a: 2, b: 0.5 })
      assert.deepStrictEqual(sum.structuredContent, { sum: 2.5 })
      assert.deepStrictEqual(sum.content, text("{\"sum\":2.5}"))
      yield* foreign.all("tools")
      assert.match((yield* refusal(foreign.callTool("lie"))).message, /output schema/)
    }))

  it.effect("carry much at once, there and back", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const much = "much \u{1f600} ".repeat(100_000)
      assert.strictEqual(said(yield* foreign.callTool("echo", { text: much })), much)
    }))

  it.effect("agree on arguments that HTTP repeats in headers", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      yield* foreign.all("tools")
      for (const region of ["eu-1", " größer ✓ ", "=?base64?YQ==?="]) {
        const heard = said(yield* foreign.callTool("place", { region, at: 3 }))
        assert.strictEqual(heard, JSON.stringify([region, 3]))
      }
    }))

  it.effect("carry pictures and links", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      assert.deepStrictEqual((yield* foreign.callTool("picture")).content, [
        { type: "text", text: "look" },
        { type: "image", data: offered.pixel, mimeType: "image/png" },
        { type: "resource_link", uri: "text://greeting", name: "greeting" }
      ])
    }))

  it.effect("tell a tool that failed from a call that is wrong and from a server that broke", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const refused = yield* foreign.callTool("refuse")
      assert.deepStrictEqual([refused.isError, refused.content], [true, text("not today")])
      const misfit = yield* foreign.callTool("echo", { text: 5 })
      assert.strictEqual(misfit.isError, true)
      assert.include(said(misfit), "text")
      assert.strictEqual((yield* refusal(foreign.callTool("nobody"))).code, -32602)
      const broken = yield* refusal(foreign.callTool("break"))
      assert.strictEqual(broken.code, -32603)
      assert.notInclude(JSON.stringify([broken, broken.message]), "secret")
    }))

  it.effect("report progress in its order, while the call goes on", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const heard = yield* Queue.unbounded<unknown>()
      // Version 1 of the official SDK loses what comes in one piece with the answer, so that the answer waits.
      const counting = yield* Effect.forkChild(foreign.callTool("count", { to: 20, until: "heard" }, {
        onProgress: (progress) => void Queue.offerUnsafe(heard, progress)
      }))
      assert.deepStrictEqual(
        yield* Queue.takeN(heard, 20),
        Array.from({ length: 20 }, (_, index) => ({ progress: index + 1, total: 20, message: `step ${index + 1}` }))
      )
      yield* foreign.callTool("happen", { name: "heard" })
      assert.deepStrictEqual((yield* Fiber.join(counting)).content, text("20 steps"))
      assert.deepStrictEqual((yield* foreign.callTool("count", { to: 3 })).content, text("3 steps"))
    }))

  it.effect("log what the client wants to hear", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      yield* forget
      yield* foreign.setLogLevel("debug")
      yield* foreign.callTool("say", { text: "one" })
      assert.deepStrictEqual(yield* Queue.takeN(foreign.heard.logs, 2), [
        { level: "debug", logger: "offered", data: { text: "one", fine: true } },
        { level: "warning", logger: "offered", data: { text: "one" } }
      ])
      yield* foreign.setLogLevel("warning")
      yield* foreign.callTool("say", { text: "two" })
      yield* foreign.callTool("say", { text: "three" })
      const texts = (yield* Queue.takeN(foreign.heard.logs, 2)).map((log) =>
        (log as { data: { text: string } }).data.text
      )
      assert.deepStrictEqual(texts, ["two", "three"])
    }))

  it.effect("interrupt a handler whose call the client aborts", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const controller = new AbortController()
      const { signal } = controller
      const waiting = yield* Effect.forkChild(refusal(foreign.callTool("wait", { name: "aborted" }, { signal })))
      yield* foreign.callTool("until", { happens: "aborted began" })
      controller.abort("enough")
      yield* foreign.callTool("until", { happens: "aborted was interrupted" })
      assert.match((yield* Fiber.join(waiting)).message, /enough|abort/i)
    }))

  it.effect("ask the person by a form", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const asked = yield* foreign.callTool("askForm", { message: "Who are you?" })
      assert.deepStrictEqual(JSON.parse(said(asked) ?? ""), {
        _tag: "Accepted",
        content: { name: "Ada", colour: "green" }
      })
      const declined = yield* foreign.callTool("askForm", { message: "How dull are you?" })
      assert.deepStrictEqual(declined.content, text("{\"_tag\":\"Declined\"}"))
    }))

  it.effect("ask, and go on when the client has no answer", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      // In the modern era the client gives up by itself.
      const outcome = yield* Effect.exit(foreign.callTool("askForm", { message: "Why so rude?" }))
      if (foreign.era === "modern") assert.strictEqual(outcome._tag, "Failure")
      else assert.deepInclude(yield* outcome, { isError: true })
      assert.deepStrictEqual((yield* foreign.callTool("echo", { text: "a" })).content, text("a"))
    }))

  it.effect("ask the person to open a URL", () =>
    Effect.gen(function*() {
      assert.property(capabilities.elicitation, "url")
      const foreign = yield* Foreign
      assert.deepStrictEqual((yield* foreign.callTool("askUrl")).content, text("Accepted"))
    }))

  it.effect("ask the model", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      assert.strictEqual(
        said(yield* foreign.callTool("askModel")),
        `foreign-1: ${
          JSON.stringify({ type: "text", text: "heard [{\"type\":\"text\",\"text\":\"Say something.\"}]" })
        }`
      )
    }))

  it.effect("ask for the roots", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const asked = yield* foreign.callTool("askRoots")
      assert.deepStrictEqual(JSON.parse(said(asked) ?? ""), [{ uri: "file:///work", name: "work" }])
    }))

  it.effect("ask twice within a call, and what is done once is done once", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const asked = yield* foreign.callTool("askTwice", { name: "twice" })
      // In the modern era a handler runs again for each answer.
      const runs = (foreign.served ?? foreign.era) === "modern" ? 3 : 1
      assert.deepStrictEqual(JSON.parse(said(asked) ?? ""), { roots: 1, answer: "Accepted", done: 1, runs })
    }))

  it.effect("read resources, of text, of bytes and by template", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      assert.deepStrictEqual((yield* foreign.readResource("text://greeting")).contents, [
        { uri: "text://greeting", mimeType: "text/plain", text: "hello" }
      ])
      assert.deepStrictEqual((yield* foreign.readResource("data://bytes")).contents, [
        { uri: "data://bytes", mimeType: "application/octet-stream", blob: "AP8KDQ==" }
      ])
      assert.deepStrictEqual((yield* foreign.readResource("note://ada/On%20engines")).contents, [
        { uri: "note://ada/On%20engines", text: "On engines by ada" }
      ])
      for (const uri of ["text://nowhere", "note://nobody/x"]) {
        assert.strictEqual((yield* refusal(foreign.readResource(uri))).code, foreign.notFound, uri)
      }
    }))

  it.effect("tell of a resource that changes to who listens to it", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const { updates } = foreign.heard
      yield* forget
      const one = yield* foreign.subscribe("text://greeting")
      const other = yield* foreign.subscribe("data://bytes")
      yield* foreign.callTool("touch", { uri: "text://greeting" })
      assert.strictEqual(yield* Queue.take(updates), "text://greeting")
      yield* one
      for (const uri of ["text://greeting", "text://third", "data://bytes"]) yield* foreign.callTool("touch", { uri })
      assert.strictEqual(yield* Queue.take(updates), "data://bytes")
      yield* other
    }))

  it.effect("get prompts", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const greet = yield* foreign.getPrompt("greet", { name: "Ada", tone: "warm" })
      assert.deepStrictEqual(greet.messages, [
        { role: "user", content: { type: "text", text: "Say a warm hello to Ada." } }
      ])
      assert.strictEqual(greet.description, "Greets somebody.")
      assert.deepStrictEqual((yield* foreign.getPrompt("talk")).messages, [
        { role: "user", content: { type: "text", text: "How are you?" } },
        { role: "assistant", content: { type: "text", text: "Well." } }
      ])
      assert.strictEqual((yield* refusal(foreign.getPrompt("nobody"))).code, -32602)
      assert.strictEqual((yield* refusal(foreign.getPrompt("greet"))).code, -32602)
    }))

  it.effect("complete what is typed", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const tone = yield* foreign.complete({
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "tone", value: "w" }
      })
      assert.deepInclude(tone.completion, { values: ["warm"] })
      const title = yield* foreign.complete({
        ref: { type: "ref/resource", uri: "note://{author}/{title}" },
        argument: { name: "title", value: "On" },
        context: { arguments: { author: "ada" } }
      })
      assert.deepInclude(title.completion, { values: ["On by ada"] })
    }))

  it.effect("tell of lists that change", () =>
    Effect.gen(function*() {
      const foreign = yield* Foreign
      const { changes } = foreign.heard
      yield* forget
      yield* foreign.callTool("grow")
      assert.deepStrictEqual(yield* three(changes), ["prompts", "resources", "tools"])
      for (const what of ["tools", "resources", "prompts"] as const) {
        assert.include((yield* foreign.all(what)).map(nameOf), "extra")
      }
      assert.deepStrictEqual((yield* foreign.callTool("extra")).content, text("more"))
      yield* foreign.callTool("shrink")
      assert.deepStrictEqual(yield* three(changes), ["prompts", "resources", "tools"])
      for (const what of ["tools", "resources", "prompts"] as const) {
        assert.notInclude((yield* foreign.all(what)).map(nameOf), "extra")
      }
      assert.strictEqual(codeOf(yield* refusal(foreign.callTool("extra"))), -32602)
    }))
}
