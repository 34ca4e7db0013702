import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@parley/peer"
import { Exchange } from "@parley/peer/shared"
import { Dialect } from "@parley/protocol"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Result, Scope } from "effect"
import { TestClock } from "effect/testing"

type Post = Exchange.Exchange["post"]
type Take = Parameters<Post>[1]

/** Gives the texts, and waits for what taking each asks for. */
const give = (take: Take, ...texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => take(text) ?? Effect.void, { discard: true })

const answer = (...texts: ReadonlyArray<string>): Post => (_, take) => Effect.as(give(take, ...texts), "answer")
const stream = (...texts: ReadonlyArray<string>): Post => (_, take) => Effect.as(give(take, ...texts), "stream")

const calling = (post: Post, options?: Exchange.CallerOptions) => Exchange.makeCaller({ post }, options)

const success = (id: number, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result })
const failure = (id: number | null, code: number) =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: "no" } })
const notification = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", method, params })

/** An exchange that never ends, and tells how often it began and was given up. */
const hanging = () => {
  const seen = { begun: 0, givenUp: 0 }
  const post: Post = () => {
    seen.begun++
    return Effect.onInterrupt(Effect.never, () => Effect.sync(() => void seen.givenUp++))
  }
  return { seen, post }
}

const lost = (sent: boolean) =>
  new Caller.Disconnected({ reason: { _tag: sent ? "Lost" : "Open", cause: "gone" }, sent })

/** How a call ended, in a few words. */
const inWords = (exit: Exit.Exit<unknown, Caller.CallError>): string => {
  if (Exit.isSuccess(exit)) return `success ${JSON.stringify(exit.value)}`
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  switch (error?._tag) {
    case "Disconnected":
      return `Disconnected ${error.reason._tag} ${error.sent}`
    case "RemoteError":
      return `RemoteError ${error.code}`
    case "HttpStatusError":
      return `HttpStatusError ${error.status}`
    case "InvalidResponse":
      return `InvalidResponse ${error.method}`
    default:
      return String(error?._tag)
  }
}

const status = new Caller.HttpStatusError({ status: 502, excerpt: "<html>" })

const endings: ReadonlyArray<readonly [title: string, post: Post, ending: string]> = [
  ["a result", answer(success(1, [5])), "success [5]"],
  ["a result in a batch", answer(`[${success(1, 5)}]`), "success 5"],
  ["an error", answer(failure(1, 1234)), "RemoteError 1234"],
  ["an error whose sender could not read the id", answer(failure(null, -32700)), "RemoteError -32700"],
  ["a result with another id", answer(success(2, 5)), "InvalidResponse m"],
  ["a result with the id as a string", answer(`{"jsonrpc":"2.0","id":"1","result":5}`), "InvalidResponse m"],
  ["a response that breaks a rule", answer(`{"jsonrpc":"2.0","id":1,"error":7}`), "InvalidResponse m"],
  ["no JSON", answer("<html>"), "InvalidResponse m"],
  ["no text", answer(), "InvalidResponse m"],
  ["a request", answer(`{"jsonrpc":"2.0","id":1,"method":"m"}`), "InvalidResponse m"],
  ["two results", answer(success(1, 5), success(1, 6)), "success 5"],
  ["a stream that ends without a result", stream(notification("n", [])), "Disconnected EndOfInput true"],
  ["a stream of nothing that fits", stream("{}"), "InvalidResponse m"],
  ["what holds no text", () => Effect.fail(new Exchange.BadAnswer({ rule: "no" })), "InvalidResponse m"],
  ["a status", () => Effect.fail(status), "HttpStatusError 502"],
  [
    "a status with a response",
    (_, take) => Effect.andThen(give(take, failure(1, 3)), Effect.fail(status)),
    "RemoteError 3"
  ],
  [
    "a status with other JSON",
    (_, take) => Effect.andThen(give(take, "{}"), Effect.fail(status)),
    "HttpStatusError 502"
  ],
  ["a way that is not there", () => Effect.fail(lost(false)), "Disconnected Open false"],
  ["a connection that is lost", () => Effect.fail(lost(true)), "Disconnected Lost true"],
  ["a defect", () => Effect.die(new Error("broken")), "Disconnected Lost true"],
  ["an interruption from inside", () => Effect.interrupt, "Disconnected Lost true"]
]

const never = { timeout: "1 hour" } as const

describe("promise 7: a call ends exactly once, over exchanges", () => {
  it.effect.each(endings)("by %s", ([_, post, ending]) =>
    Effect.gen(function*() {
      const caller = yield* calling(post)
      assert.strictEqual(inWords(yield* Effect.exit(caller.request("m"))), ending)
    }))
})

describe("Exchange", () => {
  it.effect("promise 16: ids start at 1 and are never reused, whichever calls are made at once", () =>
    Effect.gen(function*() {
      const ids: Array<number> = []
      const caller = yield* calling((text, take) => {
        const { id } = JSON.parse(text)
        ids.push(id)
        return Effect.andThen(Effect.yieldNow, answer(success(id, id))(text, take))
      })
      const all = Array.from({ length: 500 }, () => caller.request("m"))
      const results = yield* Effect.all(all, { concurrency: 64 })
      assert.deepStrictEqual(ids.toSorted((a, b) => a - b), Array.from({ length: 500 }, (_, index) => index + 1))
      assert.strictEqual(new Set(results).size, 500)
    }))

  it.effect("a response belongs to its exchange: that of another call settles nothing", () =>
    Effect.gen(function*() {
      const first = yield* Deferred.make<void>()
      const caller = yield* calling((text, take) =>
        JSON.parse(text).id === 1
          ? Effect.andThen(Deferred.await(first), answer(success(1, "mine"))(text, take))
          : answer(success(1, "theirs"))(text, take)
      )
      const waiting = yield* Effect.forkChild(caller.request("a"), { startImmediately: true })
      assert.strictEqual(inWords(yield* Effect.exit(caller.request("b"))), "InvalidResponse b")
      yield* Deferred.succeed(first, undefined)
      assert.strictEqual(yield* Fiber.join(waiting), "mine")
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, its exchange is given up", () =>
    Effect.gen(function*() {
      const { post, seen } = hanging()
      const caller = yield* calling(post)
      const interrupted = yield* Effect.forkChild(caller.request("m"), { startImmediately: true })
      yield* Fiber.interrupt(interrupted)
      assert.deepStrictEqual(seen, { begun: 1, givenUp: 1 })
      const late = yield* Effect.forkChild(caller.request("m", [], { timeout: 1_000 }), { startImmediately: true })
      yield* TestClock.adjust(999)
      assert.isUndefined(late.pollUnsafe())
      yield* TestClock.adjust(20)
      assert.strictEqual(inWords(yield* Fiber.await(late)), "RequestTimeout")
      assert.deepStrictEqual(seen, { begun: 2, givenUp: 2 })
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, in a batch of them", () =>
    Effect.gen(function*() {
      const { post, seen } = hanging()
      const caller = yield* calling(post)
      const outcomes = yield* Effect.forkChild(caller.batch([{ method: "a" }, { method: "b" }]), {
        startImmediately: true
      })
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual((yield* Fiber.join(outcomes)).map(tagOf), ["RequestTimeout", "RequestTimeout"])
      assert.deepStrictEqual(seen, { begun: 1, givenUp: 1 })
    }))

  it.effect("promise 9: closing ends every call with Disconnected, and every later one", () =>
    Effect.gen(function*() {
      const { post, seen } = hanging()
      const scope = yield* Scope.make()
      const caller = yield* Scope.provide(calling(post), scope)
      const call = yield* Effect.forkChild(caller.request("m", [], never), { startImmediately: true })
      const note = yield* Effect.forkChild(caller.notify("n"), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(inWords(yield* Fiber.await(call)), "Disconnected Closed true")
      assert.strictEqual(inWords(yield* Fiber.await(note)), "Disconnected Closed true")
      assert.strictEqual(inWords(yield* Effect.exit(caller.request("m"))), "Disconnected Closed false")
      assert.strictEqual(inWords(yield* Effect.exit(caller.notify("m"))), "Disconnected Closed false")
      assert.strictEqual(inWords(yield* Effect.exit(caller.batch([{ method: "m" }]))), "Disconnected Closed false")
      assert.deepStrictEqual(seen, { begun: 2, givenUp: 2 })
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response, and notifications who listens", () =>
    Effect.gen(function*() {
      const heard: Array<unknown> = []
      const caller = yield* calling((text, take) => {
        const { params: { partialResultToken, workDoneToken } } = JSON.parse(text)
        return stream(
          notification("$/progress", { token: workDoneToken, percentage: 50 }),
          notification("tick", [1]),
          notification("nobody", []),
          notification("$/progress", { token: partialResultToken, value: ["a"] }),
          success(1, ["b"])
        )(text, take)
      })
      yield* caller.listen("tick", { take: (params) => heard.push(params) > 0, end: () => {} })
      const result = yield* caller.request("m", {}, {
        onProgress: (params) => heard.push(params),
        onPartialResult: (value) => heard.push(value)
      })
      heard.push(result)
      assert.deepStrictEqual(heard, [{ token: "progress-1", percentage: 50 }, [1], ["a"], ["b"]])
    }))

  it.effect("a pause holds a stream of partial results, and no other answer", () =>
    Effect.gen(function*() {
      const heard: Array<unknown> = []
      const caller = yield* calling((text, take) => {
        const { id, params: { partialResultToken } } = JSON.parse(text)
        return stream(notification("$/progress", { token: partialResultToken, value: id }), success(id, id))(text, take)
      })
      const goOn = caller.pause()
      const streaming = yield* Effect.forkChild(
        caller.request("m", {}, { onPartialResult: (value) => heard.push(value) }),
        { startImmediately: true }
      )
      assert.strictEqual(yield* caller.request("m", {}), 2)
      assert.deepStrictEqual(heard, [])
      goOn()
      assert.strictEqual(yield* Fiber.join(streaming), 1)
      assert.deepStrictEqual(heard, [1])
    }))

  it.effect("a batch is one exchange, whose answers come in any order, or not", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const caller = yield* calling((text, take) => {
        texts.push(text)
        return answer(`[${success(3, "c")},${success(1, "a")},${failure(1, 5)},${success(9, "x")}]`)(text, take)
      })
      const outcomes = yield* caller.batch([
        { method: "a" },
        { method: "n", notification: true },
        { method: "b" },
        { method: "c", params: [1] }
      ])
      assert.strictEqual(texts.length, 1)
      assert.deepStrictEqual(outcomes.map(tagOf), ["a", undefined, "InvalidResponse", "c"])
    }))

  it.effect("an error without id is the answer to a whole batch", () =>
    Effect.gen(function*() {
      const caller = yield* calling(answer(failure(null, -32600)))
      const outcomes = yield* caller.batch([{ method: "a" }, { method: "b" }])
      assert.deepStrictEqual(outcomes.map(tagOf), ["RemoteError", "RemoteError"])
    }))

  it.effect("an error without id in a batch is no answer to calls that have theirs, wherever it stands", () =>
    Effect.gen(function*() {
      const members = [{ method: "n", notification: true }, { method: "a" }, { method: "b" }] as const
      const batch = (...texts: ReadonlyArray<string>) =>
        Effect.map(
          Effect.flatMap(calling(answer(`[${texts.join(",")}]`)), (caller) => caller.batch(members)),
          (outcomes) => outcomes.map(tagOf)
        )
      const general = failure(null, 1)
      assert.deepStrictEqual(yield* batch(general, success(1, "a"), success(2, "b")), [undefined, "a", "b"])
      assert.deepStrictEqual(yield* batch(general, success(2, "b")), [undefined, "RemoteError", "b"])
    }))

  it.effect("a batch without requests returns when it is taken, and an empty one sends nothing", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const caller = yield* calling((text) => Effect.sync(() => (texts.push(text), "answer")))
      assert.deepStrictEqual(yield* caller.batch([{ method: "n", notification: true }]), [undefined])
      assert.deepStrictEqual(yield* caller.batch([]), [])
      assert.deepStrictEqual(texts, [`[{"jsonrpc":"2.0","method":"n"}]`])
    }))

  it.effect("a dialect without batches sends each member by itself", () =>
    Effect.gen(function*() {
      const caller = yield* calling((text, take) => answer(success(JSON.parse(text).id, text.length))(text, take), {
        dialect: Dialect.lsp
      })
      const outcomes = yield* caller.batch([{ method: "a" }, { method: "n", notification: true }])
      assert.deepStrictEqual(outcomes.map(tagOf), [37, undefined])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, where a batch goes out one by one", () =>
    Effect.gen(function*() {
      const { post, seen } = hanging()
      const caller = yield* calling(post, { dialect: Dialect.lsp })
      const members = [{ method: "a" }, { method: "n", notification: true }, { method: "b" }]
      yield* Fiber.interrupt(yield* Effect.forkChild(caller.batch(members), { startImmediately: true }))
      assert.deepStrictEqual(seen, { begun: 3, givenUp: 3 })
    }))

  it.effect("calls beyond `waiting` are Overloaded, and batches that would go beyond", () =>
    Effect.gen(function*() {
      const { post } = hanging()
      const caller = yield* calling(post, { limits: { waiting: 2, batch: 4 } })
      yield* Effect.forkChild(caller.request("m"), { startImmediately: true })
      const batch = yield* caller.batch([{ method: "a" }, { method: "b" }])
      assert.deepStrictEqual(batch.map(tagOf), ["Overloaded", "Overloaded"])
      yield* Effect.forkChild(caller.request("m"), { startImmediately: true })
      assert.strictEqual(inWords(yield* Effect.exit(caller.request("m"))), "Overloaded")
      const large = yield* Effect.exit(caller.batch(Array.from({ length: 5 }, () => ({ method: "m" }))))
      assert.strictEqual(inWords(large), "InvalidArguments")
    }))

  it.effect("what has no text is InvalidArguments, and nothing of it waits", () =>
    Effect.gen(function*() {
      const cycle: Record<string, never> = {}
      Object.assign(cycle, { cycle })
      const caller = yield* calling(answer(), { limits: { waiting: 1 } })
      for (let again = 0; again < 2; again++) {
        assert.strictEqual(inWords(yield* Effect.exit(caller.request("m", cycle))), "InvalidArguments")
        assert.strictEqual(inWords(yield* Effect.exit(caller.notify("m", cycle))), "InvalidArguments")
      }
      assert.strictEqual(
        inWords(yield* Effect.exit(caller.batch([{ method: "m", params: cycle }]))),
        "InvalidArguments"
      )
    }))

  it.effect("a notification ends with its exchange, whatever comes back", () =>
    Effect.gen(function*() {
      const note = (post: Post) =>
        Effect.map(
          Effect.exit(Effect.flatMap(calling(post), (caller) => caller.notify("n"))),
          inWords
        )
      assert.strictEqual(yield* note(answer()), "success undefined")
      assert.strictEqual(yield* note(answer("OK")), "success undefined")
      assert.strictEqual(yield* note(() => Effect.fail(new Exchange.BadAnswer({ rule: "no" }))), "success undefined")
      assert.strictEqual(yield* note(() => Effect.fail(status)), "HttpStatusError 502")
      assert.strictEqual(yield* note(() => Effect.fail(lost(false))), "Disconnected Open false")
      const { post, seen } = hanging()
      const late = yield* Effect.forkChild(note(post), { startImmediately: true })
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual(yield* Fiber.join(late), "Disconnected Lost true")
      assert.deepStrictEqual(seen, { begun: 1, givenUp: 1 })
    }))

  it.effect("an exchange that goes on behind the response is given up after a second", () =>
    Effect.gen(function*() {
      const { post: hang, seen } = hanging()
      const caller = yield* calling((text, take) => Effect.andThen(give(take, success(1, 5)), hang(text, take)))
      assert.strictEqual(yield* caller.request("m"), 5)
      yield* Effect.yieldNow
      yield* TestClock.adjust(900)
      assert.deepStrictEqual(seen, { begun: 1, givenUp: 0 })
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(seen, { begun: 1, givenUp: 1 })
    }))

  it.effect("an exchange runs with the services of its call", () =>
    Effect.gen(function*() {
      const caller = yield* calling((text, take) =>
        Effect.flatMap(Effect.service(Name), (name) => answer(success(JSON.parse(text).id, name))(text, take))
      )
      assert.strictEqual(yield* caller.request("m"), "nobody")
      assert.strictEqual(yield* Effect.provideService(caller.request("m"), Name, "somebody"), "somebody")
    }))
})

const Name = Context.Reference<string>("test/Name", { defaultValue: () => "nobody" })

const tagOf = (outcome: Outcomes[number]): unknown =>
  outcome === undefined ? undefined : Result.isSuccess(outcome) ? outcome.success : outcome.failure._tag

type Outcomes = Effect.Success<ReturnType<Caller.Caller["batch"]>>
