import { assert, it } from "@effect/vitest"
import { Disconnected, HttpStatusError } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import { Weight } from "@parley/protocol/shared"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as ExchangeTransport from "../../src/internal/proxy/ExchangeTransport.ts"

const request = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`

const success = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":null}`

const failure = (id: number, error: object) => ({ jsonrpc: "2.0", id, error })

const note = `{"jsonrpc":"2.0","method":"n"}`

/** A post that has begun, and how the test lets it go on. */
interface Begun {
  readonly text: string
  readonly share: Exchange.Share
  readonly give: (text: string) => Effect.Effect<void>
  readonly end: (exit: Exit.Exit<Exchange.Ending, Exchange.ExchangeError>) => Effect.Effect<unknown>
  readonly isGivenUp: () => boolean
}

const make = (limits: Partial<Limits.Limits> = {}, dialect = Dialect.jsonRpc) =>
  Effect.gen(function*() {
    const posts = yield* Queue.unbounded<Begun>()
    const complaints: Array<string> = []
    const exchange: Exchange.Exchange = {
      post: (text, take) =>
        Effect.gen(function*() {
          const ended = yield* Deferred.make<Exchange.Ending, Exchange.ExchangeError>()
          let isGivenUp = false
          yield* Queue.offer(posts, {
            text,
            share: yield* Exchange.Share,
            give: (text) => take(text) ?? Effect.void,
            end: (exit) => Deferred.done(ended, exit),
            isGivenUp: () => isGivenUp
          })
          return yield* Effect.onInterrupt(Deferred.await(ended), () => Effect.sync(() => isGivenUp = true))
        })
    }
    const transport = yield* ExchangeTransport.make(exchange, {
      rules: { ...dialect, ...Limits.make(limits) },
      complain: (text) => Effect.sync(() => void complaints.push(text))
    })
    return { transport, posted: Queue.take(posts), posts, complaints }
  })

const answered = Exit.succeed<Exchange.Ending>("answer")

it.effect("posts requests at once, and receives what comes back as it comes", () =>
  Effect.gen(function*() {
    const { posted, transport } = yield* make()
    yield* transport.send([request(1), request(2)])
    const [first, second] = [yield* posted, yield* posted]
    assert.deepStrictEqual([first.text, second.text], [request(1), request(2)])
    yield* second.give(note)
    yield* second.give(success(2))
    assert.deepStrictEqual(yield* transport.receive, [note, success(2)])
    yield* first.give(success(1))
    assert.deepStrictEqual(yield* transport.receive, [success(1)])
  }))

it.effect("tells the exchange what must not wait behind calls", () =>
  Effect.gen(function*() {
    const { posted, transport } = yield* make()
    const texts = [request(1), success(1), note, `[${note},${request(2)}]`] as const
    yield* Effect.forkChild(transport.send(texts))
    const shares = []
    for (const _ of texts) {
      const { end, share } = yield* posted
      shares.push(share)
      yield* end(answered)
    }
    assert.deepStrictEqual(shares, ["call", "reply", "reply", "call"])
  }))

it.effect("sends no more than so many requests at once", () =>
  Effect.gen(function*() {
    const { posted, posts, transport } = yield* make({ inFlight: 1 })
    const sending = yield* Effect.forkChild(transport.send([request(1), request(2)]))
    const first = yield* posted
    yield* Effect.yieldNow
    assert.strictEqual(yield* Queue.size(posts), 0)
    assert.isUndefined(sending.pollUnsafe())
    yield* first.end(answered)
    assert.strictEqual((yield* posted).text, request(2))
    yield* Fiber.join(sending)
  }))

it.effect("keeps the place of a notification: the next text is posted when it was answered", () =>
  Effect.gen(function*() {
    const { posted, posts, transport } = yield* make()
    yield* Effect.forkChild(transport.send([request(1), note, request(2)]))
    assert.strictEqual((yield* posted).text, request(1))
    const middle = yield* posted
    assert.strictEqual(middle.text, note)
    yield* TestClock.adjust(1_000)
    assert.strictEqual(yield* Queue.size(posts), 0)
    yield* middle.end(answered)
    assert.strictEqual((yield* posted).text, request(2))
  }))

it.effect("waits for the answer to a notification no longer than its limit", () =>
  Effect.gen(function*() {
    const { posted, posts, transport } = yield* make({ notification: 500 })
    yield* Effect.forkChild(transport.send([note, request(2)]))
    const slow = yield* posted
    yield* TestClock.adjust(499)
    assert.strictEqual(yield* Queue.size(posts), 0)
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* posted).text, request(2))
    assert.isFalse(slow.isGivenUp())
  }))

it.effect("answers each request of a post that fails, and says so where nobody waits", () =>
  Effect.gen(function*() {
    const { complaints, posted, transport } = yield* make()
    yield* Effect.forkChild(transport.send([`[${request(1)},${note},${request(2)}]`, request(3), note]))
    const batch = yield* posted
    yield* batch.give(success(1))
    yield* batch.end(Exit.fail(new HttpStatusError({ status: 503, excerpt: "busy" })))
    const error = {
      code: -32000,
      message: "The endpoint answered with status 503",
      data: { status: 503, excerpt: "busy" }
    }
    const [given, rest] = yield* transport.receive
    assert.strictEqual(given, success(1))
    assert.deepStrictEqual(JSON.parse(String(rest)), [failure(2, error)])

    yield* (yield* posted).end(
      Exit.fail(new Disconnected({ reason: { _tag: "Open", cause: new Error("nobody") }, sent: false }))
    )
    assert.deepStrictEqual(
      JSON.parse(String((yield* transport.receive)[0])),
      failure(3, {
        code: -32000,
        message: "The endpoint cannot be reached",
        data: "could not be opened: nobody"
      })
    )
    assert.deepStrictEqual(complaints, [])
    yield* (yield* posted).end(Exit.fail(new HttpStatusError({ status: 404, excerpt: "" })))
    yield* Effect.yieldNow
    assert.deepStrictEqual(complaints, ["a text was not passed on: answered with HTTP status 404"])
  }))

it.effect("answers a request whose post ends without a response, with the error that came in its place", () =>
  Effect.gen(function*() {
    const { posted, transport } = yield* make()
    yield* transport.send([request(1), request(2)])
    yield* (yield* posted).end(Exit.succeed("stream"))
    const unanswered = failure(1, { code: -32000, message: "The endpoint gave no answer" })
    assert.deepStrictEqual(JSON.parse(String((yield* transport.receive)[0])), unanswered)
    const second = yield* posted
    yield* second.give(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`)
    yield* second.end(answered)
    const [text, ...others] = yield* transport.receive
    assert.deepStrictEqual(JSON.parse(String(text)), failure(2, { code: -32700, message: "what?" }))
    assert.deepStrictEqual(others, [])
  }))

const deep = "[".repeat(600) + "]".repeat(600)

it.effect.each([
  { name: "a response that is cut off", text: `{"jsonrpc":"2.0","id":1,"result":` },
  { name: "a response that nests too deep", text: `{"jsonrpc":"2.0","id":1,"result":${deep}}` },
  { name: "a notification that is no JSON", text: `{"jsonrpc":"2.0","method":"n","params":[NaN]}` },
  { name: "a notification that nests too deep", text: `{"jsonrpc":"2.0","method":"n","params":${deep}}` },
  { name: "a batch that begins with a response", text: `[{"jsonrpc":"2.0","id":1,"result":1},` }
])("answers nothing to $name", ({ text }) =>
  Effect.gen(function*() {
    const { posted, transport } = yield* make()
    yield* Effect.forkChild(transport.send([text, request(2)]))
    yield* (yield* posted).end(answered)
    const { end, give } = yield* posted
    yield* give(success(2))
    yield* end(answered)
    assert.deepStrictEqual(yield* transport.receive, [success(2)])
  }))

it.effect("lets what comes back wait while nobody receives", () =>
  Effect.gen(function*() {
    const { posted, transport } = yield* make()
    yield* transport.send([request(1)])
    const { give } = yield* posted
    for (let n = 0; n < 16; n++) yield* give(note)
    const beyond = yield* Effect.forkChild(give(success(1)), { startImmediately: true })
    yield* Effect.yieldNow
    assert.isUndefined(beyond.pollUnsafe())
    assert.strictEqual((yield* transport.receive).length, 16)
    yield* Fiber.join(beyond)
    assert.deepStrictEqual(yield* transport.receive, [success(1)])
  }))

it.effect("gives up what runs when it closes", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const { posted, transport } = yield* Scope.provide(make(), scope)
    yield* transport.send([request(1)])
    const post = yield* posted
    yield* transport.close
    assert.isTrue(post.isGivenUp())
    assert.strictEqual((yield* Effect.flip(transport.receive)).reason._tag, "Closed")
    assert.strictEqual((yield* Effect.flip(transport.send([request(2)]))).reason._tag, "Closed")
  }))

it.effect("an error of the proxy has the id of the request, also where only JSON-RPC 1.0 knows such ids", () =>
  Effect.gen(function*() {
    const { posted, transport } = yield* make({}, Dialect.jsonRpc1)
    const [answer, none] = [`{"id":{ "a": 1 },"method":"m","params":[]}`, `{"id":{ "a": 2 },"method":"m","params":[]}`]
    yield* transport.send([answer, none])
    const [first, second] = [yield* posted, yield* posted]
    assert.deepStrictEqual([first.text, second.text], [answer, none])
    yield* first.give(`{"id":{ "a": 1 },"result":1,"error":null}`)
    yield* first.end(answered)
    assert.deepStrictEqual(yield* transport.receive, [`{"id":{ "a": 1 },"result":1,"error":null}`])
    yield* second.end(answered)
    assert.match((yield* transport.receive).join(), /^\{"id":\{ "a": 2 \},"result":null,"error":\{"code":-32000/)
  }))

it.effect("counts what came back until it is received, and makes room for it where the budget is spent", () =>
  Effect.gen(function*() {
    const budget = Budget.make(1_000)
    const [own, heavier] = [budget.share(), budget.share()]
    heavier.take(500)
    let ended = 0
    heavier.onEvict(() => ended++)
    const { posted, transport } = yield* Effect.provideService(make(), Budget.Budget, own)
    yield* transport.send([request(1)])
    const post = yield* posted
    yield* post.give("x".repeat(19))
    assert.deepStrictEqual([own.taken(), ended], [Weight.ofWaiting("x".repeat(19)), 0])
    yield* post.give("y".repeat(200))
    assert.deepStrictEqual(ended, 1)
    yield* transport.receive
    assert.strictEqual(own.taken(), 0)
    yield* post.give("z")
    yield* transport.close
    assert.strictEqual(own.taken(), 0)
  }))
