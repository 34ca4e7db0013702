/** What the errors of a call say: what has happened, to which method, and which limit or side is the cause. */
import { assert, describe, it } from "@effect/vitest"
import * as Caller from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Peer from "@parley/peer/Peer"
import * as Reconnecting from "@parley/peer/Reconnecting"
import * as Router from "@parley/peer/Router"
import * as Session from "@parley/peer/Session"
import { Exchange } from "@parley/peer/shared"
import * as Transport from "@parley/transport/Transport"
import { Effect, Exit, Fiber, Logger, References, Result, Schedule, type Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { tablesOf } from "../../../tools/errors/page.ts"
import { connect, notification, request, settle, success } from "./wire.ts"

type Reason = Caller.DisconnectReason

/** A reason of each kind, and its text. */
const reasons: {
  readonly [tag in Reason["_tag"]]: readonly [reason: Omit<Extract<Reason, { _tag: tag }>, "_tag">, text: string]
} = {
  EndOfInput: [{}, "the other side writes no more"],
  Closed: [{}, "this side closed the transport"],
  Open: [{ cause: new Error("ENOENT") }, "could not be opened: ENOENT"],
  Lost: [{ cause: "reset" }, "the connection was lost: reset"],
  LostPlace: [{ detail: "no header", offset: 7, excerpt: "{}" }, "no header (at byte 7: {})"],
  ForeignProtocol: [{ excerpt: "GET /" }, "the other side speaks another protocol: GET /"],
  TooLarge: [{ frame: 9 }, "a message was larger than the limit `frame` of 9 bytes"],
  FrameTimeout: [{ milliseconds: 9 }, "a frame did not end in 9 ms"],
  BudgetSpent: [{}, "the connections of the listener hold all of the limit `budget`, and this one held most of it"],
  CloseCode: [{ code: 1008, text: "" }, "the other side closed with code 1008: a message that its policy forbids"],
  KeepAlive: [{ milliseconds: 9 }, "no answer to a ping in 9 ms"],
  Unread: [{ bytes: 9 }, "9 bytes came faster than they were read"],
  Exited: [
    { code: 3, signal: null, stderr: "at work\nno such model\n" },
    "the process exited with code 3: no such model"
  ],
  Overrun: [{}, "the limit `budget` is reached, and what came had no room"],
  Lagged: [{}, "the other side reads more slowly than a broadcast publishes"],
  WriteStalled: [{}, "the other side has taken nothing for as long as the limit `writeStall`"],
  BadFrames: [{}, "as many texts in a row were no JSON as the limit `badFrames` says"],
  NoPeer: [{}, "there is no other side to call here"],
  ShuttingDown: [{}, "the other side shuts down"]
}

/** An error of each other kind, and its text. */
const errors: {
  readonly [tag in Exclude<Caller.CallError["_tag"], "Disconnected">]: readonly [error: Error, text: string]
} = {
  RemoteError: [
    new Caller.RemoteError({ method: "work", code: -32601, text: "Method not found" }),
    "work was answered with error -32601: Method not found"
  ],
  RequestTimeout: [
    new Caller.RequestTimeout({ method: "work", id: 7, milliseconds: 30 }),
    "no response to work (id 7) within 30 ms"
  ],
  InvalidResponse: [
    new Caller.InvalidResponse({ method: "work", rule: "it has no result" }),
    "the response to work is invalid: it has no result"
  ],
  HttpStatusError: [
    new Caller.HttpStatusError({ status: 502, excerpt: "bad gateway" }),
    "HTTP status 502: bad gateway"
  ],
  Overloaded: [new Caller.Overloaded({ limit: 9 }), "9 calls wait already, as many as the limit `waiting` allows"],
  InvalidArguments: [
    new Caller.InvalidArguments({ method: "work", cause: new TypeError("a function has no JSON text") }),
    "the arguments of work cannot be sent: a function has no JSON text"
  ]
}

describe("the text of an error", () => {
  for (const [tag, [reason, text]] of Object.entries(reasons)) {
    it(`Disconnected, ${tag}`, () => {
      const { message } = new Caller.Disconnected({ reason: { _tag: tag, ...reason } as Reason, sent: true })
      assert.strictEqual(message, `${text} (${tag}), request sent`)
    })
  }

  it("a process that ended by a signal and said nothing", () => {
    const reason = { _tag: "Exited", code: null, signal: "SIGKILL", stderr: "" } as const
    const { message } = new Caller.Disconnected({ reason, sent: false })
    assert.strictEqual(message, "the process was ended by SIGKILL (Exited), request not sent")
  })

  it("a cause that has no text of its own", () => {
    const cause = Object.create(null)
    const arguments_ = new Caller.InvalidArguments({ method: "work", cause })
    assert.match(arguments_.message, /^the arguments of work cannot be sent: /)
    const reason = { _tag: "Lost", cause } as const
    assert.match(new Caller.Disconnected({ reason, sent: true }).message, /^the connection was lost: /)
  })

  for (const [tag, [error, text]] of Object.entries(errors)) {
    it(tag, () => assert.strictEqual(error.message, text))
  }
})

/** The message of the error of a call by a peer whose other side sends these texts. */
const endOf = (
  options: Peer.PeerOptions,
  call: (caller: Caller.Caller) => Effect.Effect<unknown, { readonly message: string }>,
  ...texts: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const { peer, wire } = yield* connect({}, options)
    const outcome = yield* Effect.forkChild(Effect.flip(call(peer)), { startImmediately: true })
    yield* settle
    yield* texts.length === 0 ? wire.transport.close : wire.send(...texts)
    return (yield* Fiber.join(outcome)).message
  })

describe("an error names its call", () => {
  const no = { code: 1, message: "no" }

  it.effect("as it is on the wire, whoever chose the id", () =>
    Effect.gen(function*() {
      const says = (id: string | number) =>
        Effect.sync(() => new Caller.RemoteError({ method: "work", id, code: no.code, text: no.message }).message)
      const answer = JSON.stringify({ jsonrpc: "2.0", id: "a b-1", error: no })
      assert.strictEqual(
        yield* endOf({ idPrefix: "a b-" }, (caller) => caller.request("work"), answer),
        `work (id "a b-1") was answered with error 1: no`
      )
      assert.strictEqual(yield* says(""), `work (id "") was answered with error 1: no`)
      assert.strictEqual(yield* says(0), "work (id 0) was answered with error 1: no")
      const { message } = new Caller.RequestTimeout({ method: "work", id: 0, milliseconds: 30 })
      assert.strictEqual(message, "no response to work (id 0) within 30 ms")
      assert.strictEqual(yield* says(2 ** 60), "work (id 1152921504606847000) was answered with error 1: no")
      assert.strictEqual(yield* says(1e21), "work (id 1e+21) was answered with error 1: no")
      assert.strictEqual(
        yield* says("\u001b".repeat(1_000)),
        `work (id "${"\\u001b".repeat(42)}\\u0…) was answered with error 1: no`
      )
    }))

  it.effect("where the response is no JSON-RPC", () =>
    Effect.gen(function*() {
      const text = `{"jsonrpc":"2.0","id":"x1","error":7}`
      assert.match(
        yield* endOf({ idPrefix: "x" }, (caller) => caller.request("work"), text),
        /^the response to work \(id "x1"\) is invalid: /
      )
    }))

  it.effect("where the connection is lost, whether the call was sent or not", () =>
    Effect.gen(function*() {
      const idPrefix = "call-"
      assert.match(
        yield* endOf({ idPrefix }, (caller) => caller.request("work")),
        / \(EndOfInput\), work \(id "call-1"\) sent$/
      )
      const { peer } = yield* connect({}, { idPrefix })
      yield* peer.shutdown
      const late = Effect.fnUntraced(function*(call: Effect.Effect<unknown, { readonly message: string }>) {
        return (yield* Effect.flip(call)).message
      })
      assert.match(yield* late(peer.request("work")), / \(Closed\), work not sent$/)
      assert.match(yield* late(peer.notify("tell")), / \(Closed\), tell not sent$/)
      assert.match(yield* late(peer.batch([{ method: "work" }])), / \(Closed\), a batch not sent$/)
    }))

  it.effect("where a handler has no other side to call", () =>
    Effect.gen(function*() {
      const messages: Array<string> = []
      const router = yield* Router.make()
      yield* Effect.orDie(router.add("ask", ({ peer }) =>
        Effect.gen(function*() {
          for (const call of [peer.request("work"), peer.notify("tell"), peer.batch([{ method: "work" }])]) {
            messages.push((yield* Effect.flip<unknown, { readonly message: string }, never>(call)).message)
          }
          return null
        }).pipe(Effect.orDie)))
      yield* router.answer(request(1, "ask"))
      assert.deepStrictEqual(
        messages,
        ["work", "tell", "a batch"].map((name) => `there is no other side to call here (NoPeer), ${name} not sent`)
      )
    }))

  it.effect("where a session ends", () =>
    Effect.gen(function*() {
      const messages: Array<string> = []
      const router = yield* Router.make()
      yield* Effect.orDie(router.add("ask", ({ peer }) =>
        Effect.catch(peer.request("work"), (error) =>
          Effect.sync(() => (messages.push(error.message), null)))))
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(Session.make({ router }), scope)
      const lane = {
        send: () =>
          Effect.void
      }
      yield* Effect.forkChild(session.answer(request(1, "ask"), lane), { startImmediately: true })
      yield* settle
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(messages, ["this side closed the transport (Closed), work (id 1) sent"])
    }))

  it.effect("where its exchange fails, which knows no calls", () =>
    Effect.gen(function*() {
      const says = (
        ending: Effect.Effect<Exchange.Ending, Exchange.ExchangeError>,
        call: (caller: Caller.Caller) => Effect.Effect<unknown, { readonly message: string }> = (caller) =>
          caller.request("work")
      ) =>
        Effect.map(
          Effect.flatMap(Exchange.makeCaller({ post: () => ending }), (caller) => Effect.flip(call(caller))),
          ({ message }) => message
        )
      const lost = Effect.fail(
        new Caller.Disconnected({ reason: { _tag: "Lost", cause: "gone" }, sent: true, url: "http://h/" })
      )
      const refused = Effect.fail(new Caller.HttpStatusError({ status: 502, excerpt: "", url: "http://h/" }))
      assert.strictEqual(yield* says(lost), "the connection was lost: gone (Lost), work (id 1) to http://h/ sent")
      assert.strictEqual(
        yield* says(lost, (caller) => caller.notify("tell")),
        "the connection was lost: gone (Lost), tell to http://h/ sent"
      )
      assert.strictEqual(yield* says(refused), "work (id 1) was answered with HTTP status 502 from http://h/")
      assert.strictEqual(
        yield* says(refused, (caller) => caller.notify("tell")),
        "tell was answered with HTTP status 502 from http://h/"
      )
      assert.strictEqual(
        yield* says(Effect.fail(new Exchange.BadAnswer({ rule: "it is no text" }))),
        "the response to work (id 1) is invalid: it is no text"
      )
      assert.strictEqual(
        yield* says(Effect.succeed("answer")),
        "the response to work (id 1) is invalid: no response came"
      )
      assert.strictEqual(
        yield* says(Effect.succeed("stream")),
        "the other side writes no more (EndOfInput), work (id 1) sent"
      )
    }))

  it.effect("where there is no connection, and none follows", () =>
    Effect.gen(function*() {
      const caller = yield* Reconnecting.make({
        open: Effect.andThen(Effect.sleep(1_000), Transport.transportError({ _tag: "EndOfInput" })),
        schedule: Schedule.recurs(0)
      })
      const calls = yield* Effect.forEach(
        [caller.request("work"), caller.notify("tell"), caller.batch([{ method: "work" }])],
        (call) => Effect.forkChild(Effect.flip<unknown, { readonly message: string }, never>(call))
      )
      yield* TestClock.adjust(1_000)
      for (const [index, name] of ["work", "tell", "a batch"].entries()) {
        assert.strictEqual(
          (yield* Fiber.join(calls[index]!)).message,
          `the other side writes no more (EndOfInput), ${name} not sent`
        )
      }
    }))

  it.effect("in the members of a batch", () =>
    Effect.gen(function*() {
      const call = (caller: Caller.Caller) =>
        Effect.flatMap(caller.batch([{ method: "a" }, { method: "b" }]), (outcomes) =>
          Effect.fail({
            message: outcomes.map((outcome) => outcome && Result.isFailure(outcome) ? outcome.failure.message : "")
              .join("; ")
          }))
      assert.strictEqual(
        yield* endOf({}, call, JSON.stringify([1, 2].map((id) => ({ jsonrpc: "2.0", id, error: no })))),
        "a (id 1) was answered with error 1: no; b (id 2) was answered with error 1: no"
      )
    }))
})

/** The lines that the page of errors has for this package, as patterns: an ellipsis stands for a value. */
const onThePage = () => {
  const page = readFileSync(new URL("../../../docs/reference/errors.md", import.meta.url), "utf8")
  return (tablesOf(page).get("Logged by peer") ?? []).map(({ name }) => ({
    name,
    pattern: new RegExp(`^${name.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&").replaceAll("…", ".+")}$`)
  }))
}

const cycle: Array<Schema.Json> = []
cycle.push(cycle)

it.effect("real lines of the log are on the page of errors", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const wire = yield* Effect.gen(function*() {
      const { peer, wire } = yield* connect({
        die: () => Effect.die("no"),
        refuse: () => Effect.fail(ErrorResponse.make(1, "no")),
        explain: () => Effect.fail(ErrorResponse.internalError("no")),
        cycle: () => Effect.succeed(cycle),
        large: () => Effect.succeed("x".repeat(2_000)),
        late: (call) => Effect.sync(() => (call.afterReply(Effect.die("no")), null)),
        slow: () => Effect.never
      }, { limits: { frame: 1_024, notification: 1_000 } })
      yield* peer.listen("heard", {
        take: () => {
          throw new Error("no")
        },
        end: () => {}
      })
      return wire
    }).pipe(
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.provide(Logger.layer([logger]))
    )
    for (const method of ["die", "explain", "cycle", "large", "late"]) {
      yield* wire.send(request(method, method))
    }
    for (const method of ["refuse", "nobody", "heard", "slow"]) yield* wire.send(notification(method))
    yield* wire.send(success("x", 1), `{"jsonrpc":"2.0","method":"far","params":[1e999]}`)
    yield* settle
    yield* TestClock.adjust(1_000)
    yield* settle
    const rows = onThePage()
    for (const line of lines) assert.isTrue(rows.some(({ pattern }) => pattern.test(line)), line)
    const seen = rows.filter(({ pattern }) => lines.some((line) => pattern.test(line))).map(({ name }) => name)
    assert.deepStrictEqual(seen, [
      "an effect that a handler gave to `afterReply` failed",
      "dropped the response with id …: …",
      "dropped the notification …: …",
      "nothing serves the notification …",
      "the `…` of a listener to … threw",
      "the handler of … answered …",
      "the handler of … failed in a way it did not declare",
      "the handler of … failed with …",
      "the result of … cannot be written as JSON",
      "the result of … has … bytes, more than the limit `frame` of … bytes",
      "…: the calls after it start"
    ])
  }))
