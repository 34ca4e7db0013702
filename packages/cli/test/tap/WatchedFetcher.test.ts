import { assert, describe, it } from "@effect/vitest"
import type { HttpFetcher } from "@parley/http/shared/client"
import { Disconnected } from "@parley/peer/Caller"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Fiber } from "effect"
import * as lines from "../../src/internal/tap/lines.ts"
import { Sessions } from "../../src/internal/tap/Sessions.ts"
import { type Seen, Story } from "../../src/internal/tap/Story.ts"
import * as WatchedFetcher from "../../src/internal/tap/WatchedFetcher.ts"

const url = "http://localhost/mcp"
const encoder = new TextEncoder()

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces?: ReadonlyArray<string>
  readonly fails?: boolean
}

const lost = new Disconnected({ reason: { _tag: "Lost", cause: new Error("gone") }, sent: true })

const responseOf = ({ fails = false, headers = {}, pieces = [], status = 200 }: Answer): HttpFetcher.Response => ({
  status,
  header: (name) => headers[name],
  read: (take) =>
    Effect.andThen(
      Effect.forEach(pieces, (piece) => take(encoder.encode(piece)) ?? Effect.void, { discard: true }),
      fails ? Effect.fail(lost) : Effect.void
    )
})

/** A fetcher that answers one request after the other like this, what is seen of it, and the bodies that reach the reader. */
const watching = (answers: ReadonlyArray<Answer>, limit = 1_000) => {
  const rest = [...answers]
  const seen: Array<Seen> = []
  const requests: Array<HttpFetcher.Request> = []
  const read: Array<string> = []
  const fetcher = WatchedFetcher.make({
    fetch: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        const answer = rest.shift()
        return answer === undefined ? Effect.fail(lost) : Effect.succeed(responseOf(answer))
      })
  }, { url, limit, sessions: new Sessions(), see: (one) => Effect.sync(() => void seen.push(one)) })
  const send = (request: Partial<HttpFetcher.Request>) =>
    Effect.scoped(Effect.gen(function*() {
      const response = yield* fetcher.fetch({ method: "POST", url, ...request })
      let body = ""
      yield* response.read((piece) => Effect.sync(() => void (body += new TextDecoder().decode(piece))))
      read.push(body)
    }))
  const told = () => {
    const story = new Story()
    return seen.flatMap((one) => story.tell(one)).map((entry) =>
      lines.forPerson(entry, { width: 300, coloured: false, several: true }).slice("00:00:00.000 ".length)
    )
  }
  return { fetcher, send, told, read, requests, seen }
}

const post = (id: number, method: string, headers: Readonly<Record<string, string>> = {}) => ({
  headers: { "content-type": "application/json", ...headers },
  body: `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`
})

const result = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":0}`
const json = { "content-type": "application/json" }
const stream = { "content-type": "text/event-stream; charset=utf-8" }

describe("a watched fetcher", () => {
  it.effect("shows what is posted and what comes back, by sessions where there are some", () =>
    Effect.gen(function*() {
      const session = { "mcp-session-id": "s" }
      const { read, requests, send, told } = watching([
        { headers: { ...json, ...session }, pieces: [result(1)] },
        {
          headers: stream,
          pieces: ["event: message\nda", `ta: ${post(1, "ask").body}\n\nid: 7\ndata: ${result(2)}\n\n`]
        },
        { status: 202 },
        { headers: stream, pieces: [": open\n\n"] },
        { status: 204 },
        { headers: json, pieces: [result(1)] }
      ])
      yield* send(post(1, "initialize"))
      yield* send(post(2, "tools/call", session))
      yield* send({ headers: { ...json, ...session }, body: result(1) })
      yield* send({ method: "GET", headers: { ...session, "last-event-id": "7" } })
      yield* send({ method: "DELETE", headers: session })
      yield* send(post(1, "server/discover"))
      assert.deepStrictEqual(told(), [
        `→ #1 initialize 1 46 B ${post(1, "initialize").body}`,
        `← #1 initialize 1 0 ms 35 B ${result(1)}`,
        `→ #1 tools/call 2 46 B ${post(2, "tools/call").body}`,
        `← #1 ask 1 39 B ${post(1, "ask").body}`,
        `← #1 tools/call 2 0 ms 35 B ${result(2)}`,
        `→ #1 ask 1 0 ms 35 B ${result(1)}`,
        "← #1 GET: 200, event stream resumed after 7",
        "← #1 DELETE: 204, session ended",
        `→ #2 server/discover 1 51 B ${post(1, "server/discover").body}`,
        `← #2 server/discover 1 0 ms 35 B ${result(1)}`
      ])
      assert.strictEqual(read[1], `event: message\ndata: ${post(1, "ask").body}\n\nid: 7\ndata: ${result(2)}\n\n`)
      assert.strictEqual(requests[0]?.headers?.["accept-encoding"], "identity")
    }))

  it.effect("shows a session that began before as one connection", () =>
    Effect.gen(function*() {
      const { send, told } = watching([{ status: 202 }, { status: 202 }, { status: 202 }, { status: 202 }])
      for (const name of ["a", "b", "a"]) yield* send({ ...post(1, name), headers: { "mcp-session-id": name } })
      yield* send(post(1, "c"))
      assert.deepStrictEqual(told().map((line) => line.slice(0, "→ #1 a".length)), [
        "→ #1 a",
        "→ #2 b",
        "→ #1 a",
        "→ #3 c"
      ])
    }))

  it.effect("tells of an event stream that ends without its response, or within an event", () =>
    Effect.gen(function*() {
      const { send, told } = watching([
        { headers: stream, pieces: [`data: ${post(1, "ask").body}\n\n`] },
        { headers: stream, pieces: [`data: ${result(2)}\n\ndata: {"jso`] },
        { headers: stream, pieces: [`data: ${result(3)}\n\n`] }
      ])
      yield* send(post(1, "a"))
      yield* send(post(2, "a"))
      yield* send(post(3, "a"))
      assert.deepStrictEqual(told().filter((line) => line.includes("stream")), [
        "← #1 the event stream ended without the response of 1",
        "← #2 the event stream ended within an event"
      ])
    }))

  it.effect("tells of statuses, challenges, other places and ends, without the secrets of URLs", () =>
    Effect.gen(function*() {
      const { send, told } = watching([
        { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="https://a/m"` } },
        { status: 307, headers: { location: "/other" } },
        { headers: json, pieces: [`{"access_token":"x"}`] },
        { status: 400, headers: json, pieces: [result(4)] },
        { headers: stream, pieces: ["event: endpoint\ndata: /messages?sessionId=1\n\n"] },
        { headers: json, pieces: [result(5)] },
        { headers: json, pieces: ["{"], fails: true }
      ])
      yield* send(post(1, "a"))
      yield* send(post(2, "b"))
      yield* send({ url: "https://me:secret@a/token?code=c", headers: { "content-type": "x" }, body: "grant" })
      yield* send(post(4, "d"))
      yield* send({ method: "GET", url: "http://localhost/sse" })
      yield* send({ ...post(5, "e"), url: "http://localhost/messages?sessionId=1" })
      yield* Effect.flip(send(post(6, "f")))
      yield* Effect.flip(send(post(7, "g")))
      assert.deepStrictEqual(told().filter((line) => !line.startsWith("→")), [
        `← #1 POST: 401, www-authenticate: Bearer resource_metadata="https://a/m"`,
        "← #2 POST: 307, location: /other",
        "← #3 POST https://a/token: 200",
        "← #4 POST: 400",
        `← #4 d 4 0 ms 35 B ${result(4)}`,
        "← #5 GET http://localhost/sse: 200, event stream opened",
        "← #5 event endpoint: /messages?sessionId=1",
        `← #5 e 5 0 ms 35 B ${result(5)}`,
        "← #6 (the connection was lost: gone)",
        "← #7 (the connection was lost: gone)"
      ])
    }))

  it.effect("gives the last piece to the reader when all was shown, and the pieces before it at once", () =>
    Effect.gen(function*() {
      const shown = yield* Deferred.make<void>()
      const taken: Array<string> = []
      const { fetch } = WatchedFetcher.make(
        { fetch: () => Effect.succeed(responseOf({ headers: json, pieces: ["[", "{", "}]"] })) },
        {
          url,
          limit: 100,
          sessions: new Sessions(),
          see: ({ _tag }) => _tag === "Received" ? Deferred.await(shown) : Effect.void
        }
      )
      const reading = yield* Effect.forkChild(
        Effect.scoped(Effect.flatMap(fetch({ method: "GET", url }), ({ read }) =>
          read((piece) => {
            taken.push(new TextDecoder().decode(piece))
            return undefined
          }))),
        { startImmediately: true }
      )
      assert.deepStrictEqual(taken, ["[", "{"])
      yield* Deferred.succeed(shown, undefined)
      yield* Fiber.join(reading)
      assert.deepStrictEqual(taken, ["[", "{", "}]"])
    }))

  it.effect("passes a text on unseen that is too large, or for which the budget has no room", () =>
    Effect.gen(function*() {
      const large = JSON.stringify("x".repeat(2_000))
      const answers: ReadonlyArray<Answer> = [
        { headers: json, pieces: [large.slice(0, 900), large.slice(900)] },
        { headers: stream, pieces: [`data: ${large}`, "\n\n", `data: ${result(1)}\n\n`] }
      ]
      const { read, send, told } = watching(answers)
      yield* send(post(1, "a"))
      yield* send(post(2, "b"))
      assert.deepStrictEqual(read, [large, `data: ${large}\n\ndata: ${result(1)}\n\n`])
      assert.deepStrictEqual(told().filter((line) => line.startsWith("←")), [
        "← #1 (TooLarge) 0 B ",
        `← #1 an answer of ${read[0]?.length} B`,
        "← #2 (TooLarge) 0 B ",
        `← #2 an answer of ${read[1]?.length} B`
      ])
      const budget = Budget.make(1_000)
      const other = watching(answers, 100_000)
      yield* Effect.provideService(other.send(post(1, "a")), Budget.Budget, budget)
      assert.deepStrictEqual(other.told().at(-2), "← #1 (TooLarge) 0 B ")
      assert.strictEqual(budget.taken(), 0)
    }))
})
