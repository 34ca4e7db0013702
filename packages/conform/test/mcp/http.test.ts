/** Rules of HTTP alone, and servers that break them. */
import { assert, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect, Fiber, Latch } from "effect"
import { describe } from "vitest"
import * as Server from "./Server.ts"

type Respond = NonNullable<Server.Fault["respond"]>

/** Changes the headers of a request before the server reads them. */
const reading = (change: (headers: Headers, request: Request) => void): Respond => (request, _, right) => {
  const headers = new Headers(request.headers)
  change(headers, request)
  for (const [name] of request.headers) if (!headers.has(name)) request.headers.delete(name)
  for (const [name, value] of headers) request.headers.set(name, value)
  return right()
}

/** Changes an answer. */
const writing =
  (change: (response: Response, request: Request, body: string) => Response): Respond => async (request, body, right) =>
    change(await right(), request, body)

const withHeader = ({ body, headers, status }: Response, name: string, value: string) => {
  const all = new Headers(headers)
  all.set(name, value)
  return new Response(body, { status, headers: all })
}

const sessions = "mcp-session-id"

/** Gives sessions the ids that `make` gives, and knows them by these. */
const named = (make: (count: number) => string): Respond => {
  const ids = new Map<string, string>()
  return async (request, _, right) => {
    const known = ids.get(request.headers.get(sessions) ?? "")
    if (known !== undefined) request.headers.set(sessions, known)
    const response = await right()
    const own = response.headers.get(sessions)
    if (own === null) return response
    const id = make(ids.size)
    ids.set(id, own)
    return withHeader(response, sessions, id)
  }
}

/** An answer as an event stream that begins with an event of another name. */
const streamed = (response: Response): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: async (controller) => {
        const text = await response.text()
        const message = text.startsWith("{") ? `data: ${text}\n\n` : text
        controller.enqueue(new TextEncoder().encode(`event: ping\ndata: now\n\n${message}`))
        controller.close()
      }
    }),
    { status: 200, headers: { "content-type": "text/event-stream" } }
  )

/** The first report of a call comes on the stream of the session, and is read behind all that came on the stream of the call. */
const overtaken = (): Respond => {
  let listener: ReadableStreamDefaultController<Uint8Array> | undefined
  return async (request, body, right) => {
    if (request.method === "GET") {
      const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (listener = controller) })
      return new Response(stream, { headers: { "content-type": "text/event-stream" } })
    }
    const response = await right()
    const isOfSession = request.headers.has(sessions) && body.includes(`"progressToken"`)
    if (listener === undefined || !isOfSession) return response
    const [session, events] = [listener, (await response.text()).split("\n\n")]
    const isFirst = (event: string) => event.includes(`"progress":1,`)
    const moved = events.filter(isFirst).map((event) => `${event}\n\n`).join("")
    setTimeout(() => session.enqueue(new TextEncoder().encode(moved)), 30)
    return new Response(events.filter((event) => !isFirst(event)).join("\n\n"), response)
  }
}

/** Three requests find out what a server speaks. From then on it answers with nothing but a status. */
const closing = (status: number): Respond => {
  let asked = 0
  return (request, body, right) => {
    if (body.includes(`"initialize"`) || body.includes(`"server/discover"`)) asked++
    return asked > 3 && request.method === "POST" ? Promise.resolve(new Response(null, { status })) : right()
  }
}

const isNotification = (body: string) => body.includes(`"method":"notifications/`)

const faults: ReadonlyArray<readonly [rule: string, verdict: "fail" | "warning", respond: Respond]> = [
  ["mcp/http/accepted", "fail", writing((response, _, body) => isNotification(body) ? Response.json({}) : response)],
  [
    "mcp/http/content-type",
    "fail",
    writing((response, _, body) =>
      body.includes("tools/list") ? withHeader(response, "content-type", "text/plain") : response
    )
  ],
  ["mcp/http/get", "fail", writing((response, { method }) => method === "GET" ? new Response("hello") : response)],
  ["mcp/http/session-id", "fail", named((count) => `a session ${count} of ${crypto.randomUUID()}`)],
  ["mcp/http/session-secure", "fail", named((count) => `session-${count}`)],
  [
    "mcp/http/session-missing",
    "warning",
    writing((response, { headers }) =>
      response.status === 400 && !headers.has(sessions)
        ? Response.json({ jsonrpc: "2.0", id: 1, result: {} })
        : response
    )
  ],
  [
    "mcp/http/session-unknown",
    "warning",
    writing((response) => response.status === 404 ? new Response(response.body, { status: 400 }) : response)
  ],
  [
    "mcp/http/session-terminated",
    "fail",
    writing((response) => response.status === 404 ? new Response(response.body, { status: 400 }) : response)
  ],
  [
    "mcp/http/version-header",
    "fail",
    reading((headers) => {
      if (headers.get("mcp-protocol-version") === "1999-12-31") headers.set("mcp-protocol-version", "2025-11-25")
    })
  ],
  [
    "mcp/http/method-mismatch",
    "fail",
    reading((headers) => {
      if (headers.get("mcp-method") === "tools/list") headers.set("mcp-method", "server/discover")
    })
  ],
  [
    "mcp/http/method-missing",
    "fail",
    reading((headers) => {
      if (headers.has("mcp-protocol-version") && !headers.has("mcp-method")) {
        headers.set("mcp-method", "server/discover")
      }
    })
  ],
  [
    "mcp/http/name-mismatch",
    "fail",
    reading((headers) => {
      if (headers.has("mcp-name")) headers.set("mcp-name", "parley_conform_unknown_tool")
    })
  ],
  [
    "mcp/http/name-missing",
    "fail",
    reading((headers) => {
      if (headers.get("mcp-method") === "tools/call" && !headers.has("mcp-name")) {
        headers.set("mcp-name", "parley_conform_unknown_tool")
      }
    })
  ],
  [
    "mcp/http/unknown-method",
    "fail",
    writing((response, _, body) =>
      body.includes("parley/conform/unknown") ? new Response(response.body, { headers: response.headers }) : response
    )
  ],
  ["mcp/http/origin", "fail", reading((headers) => headers.delete("origin"))],
  ["mcp/http/host", "warning", reading((headers) => headers.delete("host"))]
]

describe.concurrent("a server of HTTP", () => {
  for (const [rule, verdict, respond] of faults) {
    it.live(`is found where it breaks ${rule}`, () =>
      Effect.gen(function*() {
        const [result] = (yield* Conform.run(yield* Server.http({ respond }), { only: [rule] })).results.filter((
          { id }
        ) => id === rule)
        assert.deepStrictEqual([result?.verdict, result?.reason], [verdict, undefined])
      }))
  }

  for (
    const [status, rules] of [
      [401, ["mcp/http/host", "mcp/http/origin"]],
      [403, ["mcp/http/origin"]],
      [429, ["mcp/http/host", "mcp/http/origin"]]
    ] as const
  ) {
    it.live(`has refused nothing where ${status} is its answer to what is right, too`, () =>
      Effect.gen(function*() {
        const target = yield* Server.http({ respond: closing(status) })
        const { results } = yield* Conform.run(target, { only: rules })
        assert.deepStrictEqual(results.map(({ verdict }) => verdict), rules.map(() => "unverified"))
      }))
  }

  for (
    const [rule, status] of [
      ["session-missing", 400],
      ["session-unknown", 404],
      ["session-terminated", 404],
      ["version-header", 400],
      ["get", 401]
    ] as const
  ) {
    it.live(`breaks or keeps mcp/http/${rule} by no status that ping has anyway`, () =>
      Effect.gen(function*() {
        const respond: Respond = (request, body, right) =>
          body.includes(`"ping"`) || request.method === "GET"
            ? Promise.resolve(new Response(null, { status }))
            : right()
        const only = [`mcp/http/${rule}`]
        const { results } = yield* Conform.run(yield* Server.http({ respond }), { only })
        assert.deepStrictEqual(results.map(({ verdict }) => verdict), ["unverified"])
      }))
  }

  it.live("is left without a session when a run is over", () =>
    Effect.gen(function*() {
      const open = new Set<string | null>()
      const respond: Respond = writing((response, { headers, method }) => {
        const own = response.headers.get(sessions)
        if (method === "POST" && own !== null) open.add(own)
        if (method === "DELETE") open.delete(headers.get(sessions))
        return response
      })
      const target = yield* Server.http({ respond })
      const only = ["mcp/lifecycle", "mcp/http/host", "jsonrpc/id-same", "mcp/auth"]
      yield* Effect.scoped(Conform.run(target, { only }))
      assert.deepStrictEqual([...open], [])
    }))

  it.live("is left without a session when a run is interrupted", () =>
    Effect.gen(function*() {
      const open = new Set<string | null>()
      const isHeld = yield* Latch.make()
      const respond: Respond = async (request, body, right) => {
        if (body.includes(`"ping"`)) {
          isHeld.openUnsafe()
          return new Promise(() => {})
        }
        const response = await right()
        const own = response.headers.get(sessions)
        if (request.method === "POST" && own !== null) open.add(own)
        if (request.method === "DELETE") open.delete(request.headers.get(sessions))
        return response
      }
      const target = yield* Server.http({ respond })
      const run = yield* Effect.forkChild(Effect.scoped(Conform.run(target, { only: ["mcp/ping/answered"] })))
      yield* isHeld.await
      assert.isAbove(open.size, 0)
      yield* Fiber.interrupt(run)
      assert.deepStrictEqual([...open], [])
    }))

  it.live("is asked once to end a session where it ends none", () =>
    Effect.gen(function*() {
      let asked = 0
      const respond: Respond = (request, _, right) => {
        if (request.method !== "DELETE") return right()
        asked++
        return Promise.resolve(new Response(null, { status: 405 }))
      }
      const target = yield* Server.http({ respond })
      yield* Effect.scoped(Conform.run(target, { only: ["mcp/lifecycle"] }))
      assert.strictEqual(asked, 1)
    }))

  it.live("is right where the progress of a call is read on the stream of its session after the response", () =>
    Effect.gen(function*() {
      const { results } = yield* Conform.run(yield* Server.http({ respond: overtaken() }), { only: ["mcp/progress"] })
      assert.deepStrictEqual(results.map(({ id, verdict }) => [id, verdict]), [
        ["mcp/progress/own-token", "pass"],
        ["mcp/progress/increases", "pass"],
        ["mcp/progress/stops", "pass"]
      ])
    }))

  it.live("is right where events of other names come between its messages", () =>
    Effect.gen(function*() {
      const pinging: Respond = writing((response, { method }, body) =>
        method !== "POST" || !body.includes("parley.conform") && !body.includes("parley/conform")
          ? response
          : streamed(response)
      )
      const { results } = yield* Conform.run(yield* Server.http({ respond: pinging }), {
        only: ["jsonrpc/method-not-found", "mcp/messages/valid"]
      })
      assert.deepStrictEqual(results.map(({ id, verdict }) => [id, verdict]), [
        ["jsonrpc/method-not-found", "pass"],
        ["mcp/messages/valid", "pass"]
      ])
    }))
})
