import { assert, describe, it } from "@effect/vitest"
import * as Method from "@parley/contract/Method"
import * as Notification from "@parley/contract/Notification"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpServer from "@parley/mcp/McpServer"
import { Cause, Context, Effect, Exit, Schema } from "effect"

/** Extensions that are made from declarations ask nothing of their host. */
const nothing = {} as never

const serve = (identifier: string, method: string) =>
  McpExtension.make(identifier, { server: { methods: { go: Method.make({ method }) } } }).serve({
    handlers: { go: () => Effect.void }
  })

const defect = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "nothing is wrong"

const serving = (...extensions: ReadonlyArray<McpExtension.ServerExtension>) =>
  Effect.map(Effect.exit(McpServer.make({ name: "s", version: "1", features: [], extensions })), defect)

describe("a declaration", () => {
  it("has an identifier with a prefix of labels and a name", () => {
    for (const identifier of ["com.example/weather", "a/b", "io.modelcontextprotocol/ui", "x-1.y2/A.b_c-d9"]) {
      assert.strictEqual(McpExtension.make(identifier, {}).identifier, identifier)
    }
    for (
      const identifier of [
        "weather",
        "/weather",
        "com.example/",
        "com.example/a/b",
        "com..example/a",
        "1com/a",
        "com-/a",
        "com.example/-a",
        "com.example/a-",
        "com.example/ä",
        "com example/a",
        "com.example/a\n"
      ]
    ) assert.throws(() => McpExtension.make(identifier, {}), TypeError, "an extension is called like")
  })

  it("names the member that cannot be, and topics of what it has", () => {
    const wrong = Method.make({ errors: { [1.5]: Schema.String } })
    assert.throws(
      () => McpExtension.make("a/b", { server: { methods: { wrong } } }),
      TypeError,
      "extension a/b, member wrong: "
    )
    const notifications = { told: Notification.make() }
    assert.throws(
      () => McpExtension.make("a/b", { client: { notifications, topics: { t: { notification: "other" } } } }),
      TypeError,
      "the topic t of a/b names a notification other"
    )
  })

  it("has no topic that the core has", () => {
    const notifications = { told: Notification.make() }
    for (const topic of ["toolsListChanged", "resourceSubscriptions"]) {
      assert.throws(
        () => McpExtension.make("a/b", { client: { notifications, topics: { [topic]: { notification: "told" } } } }),
        TypeError,
        `a/b has the topic ${topic}, which the core has`
      )
    }
  })

  it.effect("may have members that are called like those of all objects", () =>
    Effect.gen(function*() {
      const constructor = Notification.make({ method: "notifications/x", params: { n: Schema.Int } })
      const Odd = McpExtension.make("a/b", {
        server: { methods: { toString: Method.make({ method: "x/go" }) }, named: {}, notifications: { constructor } },
        client: { notifications: { constructor } }
      })
      const served = Odd.serve({ handlers: { toString: () => Effect.void }, hearers: {}, cache: {} })
      assert.deepStrictEqual([...served.methods], [["x/go", { named: undefined, cache: undefined }]])
      assert.strictEqual(served.bind(Context.empty(), nothing).notifications.size, 0)
      assert.strictEqual(Odd.use({ handlers: {} }).bind(Context.empty(), nothing).hear.size, 0)
      assert.throws(() => Odd.serve({ handlers: {} as never }), TypeError, "the handlers of a/b have none for toString")
    }))

  it.effect("a server takes no two of one name, and no method of the core or of another", () =>
    Effect.gen(function*() {
      assert.include(yield* serving(serve("a/b", "x/go"), serve("a/b", "x/come")), "there is an extension a/b already")
      assert.include(yield* serving(serve("a/b", "x/go"), serve("a/c", "x/go")), "two extensions have the method x/go")
      assert.include(yield* serving(serve("a/b", "tools/call")), "a/b has the method tools/call, which the core has")
      assert.include(yield* serving(serve("a/b", "server/discover")), "which the core has")
      assert.strictEqual(yield* serving(serve("a/b", "x/go"), serve("a/c", "x/come")), "nothing is wrong")
    }))

  it.effect("a client takes no two of one name", () =>
    Effect.gen(function*() {
      const one = McpExtension.make("a/b", { client: {} }).use()
      const made = McpClient.make(() => Effect.never, { name: "c", version: "1", extensions: [one, one] })
      assert.include(defect(yield* Effect.exit(Effect.scoped(made))), "there is an extension a/b already")
    }))
})
