import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parley from "../../Parley.ts"

const uri = "test://watched-resource"

const serving = Effect.gen(function*() {
  const server = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
  return { server, address: (yield* server.line).replace(/^listening /, "") }
})

/** The next line, without its time. */
const changeOf = (watch: Parley.Running) =>
  Effect.map(watch.line, (line) => {
    const { time, ...change } = JSON.parse(line)
    assert.match(time, /^\d{4}-\d\d-\d\dT/)
    return change
  })

/** What a server needs to say of itself, and then its end. */
const quitting = "const i = process.stdin;i.once('data', (d) => {"
  + "const {id, method} = JSON.parse(String(d));"
  + "console.log(JSON.stringify({jsonrpc: '2.0', id, ...method === 'initialize' ? {result: {protocolVersion: '2025-11-25',"
  + "capabilities: {tools: {listChanged: true}}, serverInfo: {name: 'a', version: '1'}}} : {error: {code: -32601, message: ''}}}));"
  + "i.once('data', () => setTimeout(() => process.exit(3), 300))})"

describe("parley mcp watch", () => {
  for (const revision of ["2026-07-28", "2025-11-25"]) {
    it.live(`prints each change as it comes, until Ctrl-C, which is no failure: ${revision}`, () =>
      Effect.gen(function*() {
        const { address } = yield* serving
        const watch = yield* Parley.start(["mcp", "watch", address, uri, "--protocol-version", revision])
        const begun = [yield* changeOf(watch), yield* changeOf(watch)]
        assert.deepInclude(begun, { event: "watching", lists: true })
        assert.deepInclude(begun, { event: "watching", resource: uri })
        const tools = ["touch_watched_resource", "test_trigger_tool_change", "test_trigger_prompt_change"]
        yield* Parley.runAll(...tools.map((tool) => ["mcp", "call", address, tool]))
        const changes = [yield* changeOf(watch), yield* changeOf(watch), yield* changeOf(watch)]
        assert.sameDeepMembers(changes, [
          { event: "updated", resource: uri, uri },
          { event: "listChanged", list: "tools" },
          { event: "listChanged", list: "prompts" }
        ])
        yield* watch.signal("SIGINT")
        assert.deepInclude(yield* watch.outcome, { code: 0, stderr: "" })
      }))
  }

  it.live("ends well when nothing has changed for the time of --timeout", () =>
    Effect.gen(function*() {
      const { address } = yield* serving
      const [idle] = yield* Parley.runAll(["mcp", "watch", address, "--timeout", "2s"])
      assert.deepInclude(idle, { code: 0, stderr: "" })
      assert.match(idle?.stdout ?? "", /^{"time":"[^"]+","event":"watching","lists":true}\n$/)
    }))

  it.live("says that changes may be missing where the server was started again", () =>
    Effect.gen(function*() {
      const server = `stdio:"${process.execPath}" -e "${quitting}"`
      const watch = yield* Parley.start(["mcp", "watch", server, "--protocol-version", "2025-11-25"])
      assert.deepStrictEqual(yield* changeOf(watch), { event: "watching", lists: true })
      assert.deepStrictEqual(yield* changeOf(watch), { event: "resumed", lists: true, reason: "SessionExpired" })
      yield* watch.signal("SIGTERM")
      assert.strictEqual((yield* watch.outcome).code, 0)
    }))

  it.live("says so where a server tells no changes", () =>
    Effect.gen(function*() {
      const script = new URL("../../fixtures/environment.ts", import.meta.url).pathname
      const [none] = yield* Parley.runAll(["mcp", "watch", Parley.stdio(script), uri])
      assert.deepInclude(none, { code: 1, stdout: "" })
    }))

  it.live("watches a resource once that is named twice", () =>
    Effect.gen(function*() {
      const { address } = yield* serving
      const [watched] = yield* Parley.runAll(["mcp", "watch", address, uri, uri, "--timeout", "2s"])
      const resources = (watched?.stdout ?? "").trimEnd().split("\n").flatMap((line) => JSON.parse(line).resource ?? [])
      assert.deepStrictEqual(resources, [uri])
    }))

  it.live("takes only URIs", () =>
    Effect.gen(function*() {
      for (const word of ["", "bad uri", "name", "file:///a b"]) {
        const [outcome] = yield* Parley.runAll(["mcp", "watch", "http://127.0.0.1:1/mcp", word])
        assert.deepStrictEqual([outcome?.code, outcome?.stdout], [64, ""])
        assert.include(outcome?.stderr, `${JSON.stringify(word)} is not the URI of a resource`)
      }
    }))
})
