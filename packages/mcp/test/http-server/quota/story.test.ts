import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Arbitrary, Effect, Exit, Fiber, Queue, Schema } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "../../support/settled.ts"
import { sample } from "../support/sample.ts"
import * as web from "../support/web.ts"
import { at, open } from "./support/addressed.ts"

const quota = { sessions: 3, streams: 2, calls: 3 }

/** Two addresses, and a principal at one of them. */
const parties: ReadonlyArray<web.Headers> = [
  at("192.0.2.1"),
  at("2001:db8::1"),
  at("192.0.2.1", { authorization: "ann" })
]

const actions = ["begin", "call", "call", "call alone", "get", "listen", "finish", "leave", "remove", "wait"] as const

const below = (end: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: end - 1 })))

const step = Arbitrary.all([below(actions.length), below(parties.length), below(100)])

/** A call that runs, or a stream. */
interface Running {
  readonly kind: "calls" | "streams"
  readonly party: web.Headers
  /** The session that it ends with, and in which a call goes on without its client. */
  readonly session: string | undefined
  readonly finish: Effect.Effect<unknown>
  readonly leave: Effect.Effect<unknown>
}

interface Session {
  readonly id: string
  readonly party: web.Headers
  readonly headers: web.Headers
  readonly remove: Effect.Effect<unknown>
}

const served = Effect.gen(function*() {
  const { server, waiting } = yield* sample
  const client = yield* open({
    authorize: web.byAuthorization,
    quotas: { principal: quota, address: quota },
    sessions: { max: 7, idle: "10 minutes" }
  }, server)

  const called = Effect.fnUntraced(function*(
    party: web.Headers,
    session: string | undefined,
    post: Effect.Effect<web.Answer>
  ) {
    const fiber = yield* Effect.forkChild(post)
    const status = Effect.map(Fiber.join(fiber), ({ status }) => status)
    const begun = yield* Effect.raceFirst(Queue.take(waiting), status)
    if (typeof begun === "number") return begun
    const finish = Effect.sync(() => begun.finish("done"))
    // After a while the answer is a stream, which has begun.
    const leave = Effect.suspend(() => {
      const exit = fiber.pollUnsafe()
      return exit !== undefined && Exit.isSuccess(exit) ? Effect.sync(exit.value.abort) : Fiber.interrupt(fiber)
    })
    return { kind: "calls", party, session, finish, leave } satisfies Running
  })

  /** A stream is read, as clients do: one that nobody reads holds its place until its client leaves. */
  const streamed = (party: web.Headers, session: string | undefined, answer: Effect.Effect<web.Answer>) =>
    Effect.gen(function*() {
      const { abort, read, status } = yield* answer
      if (status !== 200) return status
      yield* Effect.forkChild(read.rest)
      const leave = Effect.sync(abort)
      return { kind: "streams", party, session, finish: leave, leave } satisfies Running
    })

  const waits = { name: "wait", arguments: { name: "a" } }
  const changes = { notifications: { toolsListChanged: true } }
  return {
    begin: Effect.fnUntraced(function*(party: web.Headers) {
      const { header, status } = yield* client.post(web.handshake("2025-11-25"), party)
      const id = header("mcp-session-id")
      if (id === null) return status
      const headers = { ...party, "mcp-session-id": id }
      return { id, party, headers, remove: client.send("DELETE", headers) }
    }),
    call: ({ headers, id, party }: Session) =>
      called(party, id, client.post(web.request("tools/call", waits), headers)),
    callAlone: (party: web.Headers) => called(party, undefined, web.modern(client, "tools/call", waits, party)),
    get: ({ headers, id, party }: Session) =>
      streamed(party, id, client.send("GET", { ...headers, accept: "text/event-stream" })),
    listen: (party: web.Headers) =>
      streamed(party, undefined, web.modern(client, "subscriptions/listen", changes, party))
  }
})

/** Takes until it is refused, and gives what was taken. */
const allOf = Effect.fnUntraced(function*<A extends object, R>(take: Effect.Effect<A | number, never, R>) {
  const taken: Array<A> = []
  let one = yield* take
  for (; typeof one === "object"; one = yield* take) taken.push(one)
  assert.strictEqual(one, 429)
  return taken
})

describe("what parties have", () => {
  it.effect.prop(
    "is never beyond their quota, and nothing of it is left, however calls, streams and sessions end",
    [Generators.sequence(step, 50)],
    ([steps]) =>
      Effect.gen(function*() {
        const { begin, call, callAlone, get, listen } = yield* served
        let sessions: ReadonlyArray<Session> = []
        let running: ReadonlyArray<Running> = []

        const add = (begun: Running | number) => {
          if (typeof begun === "number") return assert.include([404, 429], begun)
          running = [...running, begun]
          const beside = running.filter(({ kind, party }) => kind === begun.kind && party === begun.party)
          assert.isAtMost(beside.length, quota[begun.kind])
        }
        const forget = (one: Running) => {
          running = running.filter((other) => other !== one)
        }
        const remove = Effect.fnUntraced(function*(session: Session) {
          yield* session.remove
          sessions = sessions.filter((other) => other !== session)
          running = running.filter(({ session: id }) => id !== session.id)
        })

        const act = Effect.fnUntraced(function*(action: typeof actions[number], party: web.Headers, chosen: number) {
          const session = sessions[chosen % (sessions.length || 1)]
          const one = running[chosen % (running.length || 1)]
          if (action === "call alone") add(yield* callAlone(party))
          else if (action === "listen") add(yield* listen(party))
          else if (action === "wait") yield* TestClock.adjust("6 minutes")
          else if (action === "begin") {
            const begun = yield* begin(party)
            if (typeof begun === "number") assert.include([429, 503], begun)
            else sessions = [...sessions, begun]
          } else if (session !== undefined && action === "call") add(yield* call(session))
          else if (session !== undefined && action === "get") {
            const begun = yield* get(session)
            // A session has one stream of its own: the next one ends it.
            const ended = running.find(({ kind, session: id }) => kind === "streams" && id === session.id)
            if (typeof begun === "object" && ended !== undefined) forget(ended)
            add(begun)
          } else if (session !== undefined && action === "remove") yield* remove(session)
          else if (one !== undefined && action === "finish") {
            yield* one.finish
            forget(one)
          } else if (one !== undefined && action === "leave") {
            yield* one.leave
            // A legacy call goes on without its client.
            if (one.kind === "streams" || one.session === undefined) forget(one)
          }
        })

        for (const [action, whose, chosen] of steps) {
          yield* act(actions[action] ?? "wait", parties[whose] ?? {}, chosen)
          yield* settled
        }
        for (const { finish } of running) yield* finish
        for (const { remove } of sessions) yield* remove
        yield* settled
        for (const party of parties) {
          // A handshake is a call, too.
          const begun = yield* allOf(begin(party))
          const [calls, streams] = [yield* allOf(callAlone(party)), yield* allOf(listen(party))]
          assert.deepStrictEqual({ calls: calls.length, streams: streams.length, sessions: begun.length }, quota)
          for (const { leave } of [...calls, ...streams]) yield* leave
          for (const { remove } of begun) yield* remove
          yield* settled
        }
      }),
    { arbitrary: { runs: process.env["SLOW"] === "1" ? 100 : 10 } }
  )
})
