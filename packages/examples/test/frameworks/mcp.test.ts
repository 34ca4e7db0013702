/** MCP inside the frameworks that people have, in both eras, with the official client as well. */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { McpHttp, McpHttpClient, McpServer, McpTool } from "@parley/mcp"
import { NodeHttp } from "@parley/node"
import { Deferred, Effect, Exit, Fiber, Option, Queue, Scope, Stream } from "effect"
import { as, type Framework, frameworks, User } from "./Frameworks.ts"

const serving = Effect.fnUntraced(function*(framework: Framework) {
  const begun = yield* Queue.unbounded<void>()
  const interrupted = yield* Queue.unbounded<void>()
  const finish = yield* Deferred.make<void>()
  const server = yield* McpServer.make({
    name: "framed",
    version: "1.0.0",
    principals: [User],
    features: [
      McpTool.make(
        "who",
        {},
        (_, call) => Effect.succeed(`${call.principal} ${Option.getOrUndefined(call.auth.get(User))?.id}`)
      ),
      McpTool.make(
        "count",
        {},
        (_, call) =>
          Effect.as(Effect.forEach([1, 2, 3], (progress) => call.progress({ progress, total: 3 })), "counted")
      ),
      McpTool.make("wait", {}, () =>
        Queue.offer(begun, undefined).pipe(
          Effect.andThen(Deferred.await(finish)),
          Effect.as("waited"),
          Effect.onInterrupt(() => Queue.offer(interrupted, undefined))
        ))
    ]
  })
  const scope = yield* Scope.fork(yield* Effect.scope)
  const origin = yield* McpHttp.endpoint(server, { limits: { frame: 4_000 } }).pipe(
    Effect.flatMap((endpoint) => framework.serve(endpoint)),
    Scope.provide(scope)
  )
  const url = `${origin}/mcp`
  const fetcher = yield* NodeHttp.makeFetcher()
  const connect = (user: string, protocolVersion: Version) =>
    McpHttpClient.make(fetcher, { name: "me", version: "1.0.0", url, headers: as(user), protocolVersion })
  return { url, server, connect, begun, interrupted, finish, scope }
})

const versions = ["2025-11-25", "2026-07-28"] as const
type Version = typeof versions[number]

const cases = frameworks.flatMap((framework) => versions.map((version) => ({ ...framework, framework, version })))

const textOf = ({ content }: { readonly content: ReadonlyArray<{ readonly type: string }> }) =>
  content.map((block) => "text" in block ? block.text : block.type).join()

describe.each(cases)("MCP $version inside $name", ({ framework, version }) => {
  it.live("answers each user of the host as who they are", () =>
    Effect.gen(function*() {
      const { connect } = yield* serving(framework)
      for (const user of ["ada", "bob"]) {
        const client = yield* connect(user, version)
        assert.strictEqual(textOf(yield* client.callTool("who")), `${user} ${user}`)
      }
    }))

  it.live("streams the progress of a call", () =>
    Effect.gen(function*() {
      const { connect } = yield* serving(framework)
      const client = yield* connect("ada", version)
      const steps: Array<number> = []
      yield* client.callTool("count", {}, { onProgress: ({ progress }) => steps.push(progress) })
      assert.deepStrictEqual(steps, [1, 2, 3])
    }))

  it.live("tells of changes in a stream that stays", () =>
    Effect.gen(function*() {
      const { connect, server } = yield* serving(framework)
      const client = yield* connect("ada", version)
      const told = yield* client.changes.pipe(
        Stream.tap((event) => event._tag === "Subscribed" ? server.listChanged("tools") : Effect.void),
        Stream.takeUntil((event) => event._tag === "ListChanged"),
        Stream.runLast
      )
      assert.strictEqual(Option.getOrUndefined(told)?._tag, "ListChanged")
    }))

  it.live("interrupts the handler of a call that is given up", () =>
    Effect.gen(function*() {
      const { begun, connect, interrupted } = yield* serving(framework)
      const client = yield* connect("ada", version)
      const call = yield* Effect.forkChild(client.callTool("wait"))
      yield* Queue.take(begun)
      yield* Fiber.interrupt(call)
      yield* Queue.take(interrupted)
    }))

  it.live("refuses a call that is too large", () =>
    Effect.gen(function*() {
      const { connect } = yield* serving(framework)
      const client = yield* connect("ada", version)
      const error = yield* Effect.flip(client.callTool("who", { text: "x".repeat(5_000) }))
      assert.include(error.message, "413")
    }))
})

describe.each(cases.filter(({ drains }) => drains))("MCP $version inside $name, when it closes,", (one) => {
  it.live("answers the calls that run, and ends its streams", () =>
    Effect.gen(function*() {
      const { begun, connect, finish, scope } = yield* serving(one.framework)
      const client = yield* connect("ada", one.version)
      const open = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        Stream.runForEach(client.changes, () => Deferred.succeed(open, undefined)).pipe(Effect.ignore)
      )
      yield* Deferred.await(open)
      const call = yield* Effect.forkChild(client.callTool("wait"))
      yield* Queue.take(begun)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(finish, undefined)
      assert.strictEqual(textOf(yield* Fiber.join(call)), "waited")
      yield* Fiber.join(closing)
    }))
})

describe.each(frameworks)("a session inside $name", (framework) => {
  it.live("belongs to the user who began it, and no other finds it", () =>
    Effect.gen(function*() {
      const { url } = yield* serving(framework)
      const post = (user: string, body: object, session?: string) =>
        Effect.promise(async () => {
          const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
          const own = session === undefined ? {} : { "mcp-session-id": session }
          const response = await fetch(url, {
            method: "POST",
            body: JSON.stringify(body),
            headers: { ...headers, ...as(user), ...own }
          })
          return {
            status: response.status,
            session: response.headers.get("mcp-session-id"),
            text: await response.text()
          }
        })
      const initialize = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "me", version: "1.0.0" } }
      }
      const [ada, bob] = [yield* post("ada", initialize), yield* post("bob", initialize)]
      assert.notStrictEqual(ada.session, bob.session)
      const who = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "who", arguments: {} } }
      assert.strictEqual((yield* post("bob", who, ada.session ?? "")).status, 404)
      assert.include((yield* post("ada", who, ada.session ?? "")).text, "ada ada")
    }))

  it.live("is one for the official client, too", () =>
    Effect.gen(function*() {
      const { server, url } = yield* serving(framework)
      const told = yield* Deferred.make<void>()
      const client = new Client({ name: "official", version: "1.0.0" }, {
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: () => Deferred.doneUnsafe(told, Exit.void) }
        }
      })
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: as("ada") } })
      yield* Effect.acquireRelease(
        // Its `sessionId` may be `undefined`, which exact types do not allow for.
        Effect.promise(() => client.connect(transport as Parameters<Client["connect"]>[0])),
        () => Effect.promise(() => client.close())
      )
      assert.isString(transport.sessionId)
      const steps: Array<number> = []
      const counted = yield* Effect.promise(() =>
        client.callTool({ name: "count", arguments: {} }, undefined, {
          onprogress: ({ progress }) => steps.push(progress)
        })
      )
      assert.deepStrictEqual(counted.content, [{ type: "text", text: "counted" }])
      assert.deepStrictEqual(steps, [1, 2, 3])
      yield* server.listChanged("tools")
      yield* Deferred.await(told)
      yield* Effect.promise(() => transport.terminateSession())
    }))
})
