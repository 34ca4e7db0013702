/** A server with a heap of 512 MB and the default limits lives and serves others, whatever one client makes it keep. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Agent, type IncomingMessage, request } from "node:http"
import { holds, run } from "../../../../node/test/support/littleMemory.ts"

const program = new URL("fixtures/heap.ts", import.meta.url).pathname

const objects = (count: number) => `[${Array.from({ length: count }, () => "{}").join(",")}]`

interface Said {
  readonly status: number
  readonly session: string | undefined
  readonly body: string
}

/** Posts a body, and gives the answer once its head has come. */
const send = (url: string, agent: Agent, body: string, headers: { readonly [name: string]: string }) =>
  new Promise<IncomingMessage | undefined>((resolve) => {
    const posting = request(url, {
      method: "POST",
      agent,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": Buffer.byteLength(body),
        ...headers
      }
    }, resolve)
    // A server that refuses a body may close the connection before it has come.
    posting.on("error", () => resolve(undefined))
    posting.end(body)
  })

const post = (url: string, agent: Agent, body: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.promise(async (): Promise<Said> => {
    const answer = await send(url, agent, body, headers)
    if (answer === undefined) return { status: 0, session: undefined, body: "" }
    const parts: Array<string> = []
    answer.setEncoding("utf8")
    for await (const part of answer) parts.push(part)
    return { status: answer.statusCode ?? 0, session: String(answer.headers["mcp-session-id"]), body: parts.join("") }
  })

const initialize = (capabilities: string, revision = "2025-06-18") =>
  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${revision}","capabilities":${capabilities},"clientInfo":{"name":"a","version":"1"}}}`

const modern = (method: string) => ({ "mcp-protocol-version": "2026-07-28", "mcp-method": method })

const meta =
  `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

const agents = Effect.acquireRelease(
  Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 600 })),
  (agent) => Effect.sync(() => agent.destroy())
)

/** A server, a client that began before the attack, and whether both are well after it. */
const attacked = (attack: (url: string, agent: Agent) => Effect.Effect<unknown>) =>
  Effect.gen(function*() {
    const running = yield* run(program)
    const url = yield* running.address
    // A refused request may close its connection, which is no other client's.
    const [agent, hostile] = yield* Effect.all([agents, agents])
    const { session = "" } = yield* post(url, agent, initialize("{}"))
    yield* attack(url, hostile)
    assert.isUndefined(running.end())
    const echo = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"well"}}}`
    const answer = yield* post(url, agent, echo, { "mcp-session-id": session })
    assert.deepStrictEqual([answer.status, answer.body.includes("well")], [200, true])
    const fresh = yield* post(url, agent, initialize("{}"))
    assert.strictEqual(fresh.status, 200)
    assert.isUndefined(running.end())
    yield* holds(running)
  })

describe("with little memory a server lives and serves others", () => {
  it.live("behind 1,000 sessions that say 64 KiB of themselves each", () =>
    attacked((url, agent) => {
      const body = initialize(`{"experimental":{"x":{"y":${objects(21_500)}}}}`)
      return Effect.replicateEffect(post(url, agent, body), 1_000, { concurrency: 8, discard: true })
    }), 300_000)

  it.live(
    "behind 80 sessions that listen to a thousand resources of 8 KiB each",
    () =>
      attacked((url, agent) =>
        Effect.replicateEffect(
          Effect.gen(function*() {
            const { session = "" } = yield* post(url, agent, initialize("{}", "2025-03-26"))
            const subscriptions = Array.from({ length: 1_000 }, (_, index) =>
              `{"jsonrpc":"2.0","id":${index},"method":"resources/subscribe","params":{"uri":"test://${index}${
                "x".repeat(8_150)
              }"}}`)
            const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-03-26" }
            yield* post(url, agent, `[${subscriptions.join()}]`, headers)
          }),
          80,
          { concurrency: 3, discard: true }
        )
      ),
    300_000
  )

  for (
    const [name, junk] of [
      ["text", `"${"a".repeat(15 * 1024 * 1024)}"`],
      ["objects", objects(15 * 1024 * 1024 / 3 - 1_000)],
      ["a few objects", objects(300_000)]
    ] as const
  ) {
    it.live(`behind 100 clients that listen and have asked for much: ${name}`, () =>
      attacked((url, agent) => {
        const params = `{${meta},"x":${junk},"notifications":{"toolsListChanged":true}}`
        const body = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":${params}}`
        return Effect.forEach(
          Array.from({ length: 100 }),
          () => Effect.promise(() => send(url, agent, body, modern("subscriptions/listen"))),
          { concurrency: 2, discard: true }
        )
      }), 300_000)
  }

  it.live("behind 60 calls that run, of a megabyte of objects each", () =>
    attacked((url, agent) => {
      const params = `{${meta},"name":"sleep","arguments":{},"x":${objects(350_000)}}`
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
      const headers = { ...modern("tools/call"), "mcp-name": "sleep" }
      return Effect.promise(async () => {
        for (let count = 0; count < 60; count++) void send(url, agent, body, headers)
        // They have arrived when another that came after them is answered.
        await Effect.runPromise(post(url, agent, initialize("{}")))
      })
    }), 300_000)
})
