/** Calls over a subject of NATS: what is promised to callers, to services, and to programs of others. */
import { assert, it } from "@effect/vitest"
import type { Law } from "@parley/conformance/Laws"
import * as Laws from "@parley/conformance/Laws"
import * as Specimen from "@parley/conformance/Specimen"
import * as NatsRpc from "@parley/nats/NatsRpc"
import * as NatsTransport from "@parley/nats/NatsTransport"
import type { CallError } from "@parley/peer/Caller"
import * as Router from "@parley/peer/Router"
import { Deferred, Effect, Exit, Fiber, Layer, References, Result, Schedule, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { served } from "../support/nats.ts"
import * as NatsServer from "../support/NatsServer.ts"

const check = (laws: ReadonlyArray<Law>): void => {
  for (const law of laws) it.live(law.name, () => law.check)
}

const decoder = new TextDecoder()

const subject = "bank"

const routerOf = (handlers: Router.Handlers, options?: Router.RouterOptions) =>
  Effect.map(Layer.build(Router.layer(handlers, options)), (context) => context)

/** Serves handlers on a connection of their own. */
const serving = Effect.fnUntraced(function*(
  { connected }: Effect.Success<ReturnType<typeof served>>,
  handlers: Router.Handlers,
  options: Partial<NatsRpc.NatsServerOptions> = {}
) {
  const context = yield* routerOf(handlers)
  return yield* connected(Effect.provide(NatsRpc.serve({ subject, ...options }), context))
})

const tagOf = (error: CallError) =>
  error._tag === "Disconnected" ? `${error._tag} ${error.reason._tag} ${error.sent ? "sent" : "unsent"}` : error._tag

NatsServer.suites("the laws of a service over NATS", () => {
  const quietly = Effect.provideService(References.MinimumLogLevel, "None")
  const scope = Scope.makeUnsafe()
  let ask: (text: string) => Promise<string | undefined>
  beforeAll(() =>
    Effect.gen(function*() {
      const nats = yield* served()
      yield* quietly(serving(nats, Specimen.handlers))
      const { connection } = yield* nats.client
      ask = async (text) => {
        const { data } = await connection.request(subject, text, { timeout: 10_000 })
        return data.length === 0 ? undefined : decoder.decode(data)
      }
    }).pipe(Scope.provide(scope), Effect.runPromise)
  )
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  check(Laws.ofHost({
    name: "service",
    answer: (text) => Effect.promise(() => ask(text))
  }, { runs: 10 }))
})

NatsServer.suites("calls over NATS", () => {
  it.live("are answered, also as batches, and notifications ask for no answer", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const noted = yield* Deferred.make<unknown>()
      const { address } = yield* serving(nats, {
        add: ({ params }) => Effect.succeed((params as ReadonlyArray<number>).reduce((sum, each) => sum + each, 0)),
        note: ({ params }) => Effect.asVoid(Deferred.succeed(noted, params))
      })
      assert.strictEqual(address, `nats://${nats.server.address}/${subject}`)
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      assert.strictEqual(yield* caller.request("add", [1, 2]), 3)
      assert.deepStrictEqual(
        yield* caller.batch([{ method: "add", params: [1, 2] }, { method: "add", params: [3, 4] }]),
        [Result.succeed(3), Result.succeed(7)]
      )
      yield* caller.notify("note", { id: 1 })
      assert.deepStrictEqual(yield* Deferred.await(noted), { id: 1 })
      const unknown = yield* Effect.flip(caller.request("subtract", [1]))
      assert.deepInclude(unknown, { _tag: "RemoteError", code: -32601 })
    }))

  it.live("fail at once, unsent, where nobody serves the subject", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject, timeout: "1 hour" }))
      const error = yield* Effect.flip(caller.request("add", [1]))
      assert.strictEqual(tagOf(error), "Disconnected Open unsent")
      assert.include(error.message, "NATS at bank: nobody hears it")
    }))

  it.live("and conversations that the server forbids fail at once, unsent", () =>
    Effect.gen(function*() {
      const nats = yield* served(`
        authorization {
          users: [{ user: alice, password: secret, permissions: { publish: "_INBOX.>", subscribe: "_INBOX.>" } }]
        }
        no_auth_user: alice`)
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject, timeout: "1 hour" }))
      const error = yield* Effect.flip(caller.request("add", [1]))
      assert.strictEqual(tagOf(error), "Disconnected Open unsent")
      assert.include(error.message, "NATS at bank: the server forbids it to this user")
      const unopened = yield* Effect.flip(nats.connected(NatsTransport.makeTransport({ subject })))
      assert.include(unopened.message, "NATS at bank.conversation: the server forbids it to this user")
      const unserved = yield* Effect.flip(serving(nats, {}))
      assert.include(unserved.message, "NATS at bank: the server forbids it to this user")
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.live("that are larger than the server takes are refused here, and answers that are so by the service", () =>
    Effect.gen(function*() {
      const nats = yield* served("max_payload: 65536")
      let calls = 0
      yield* Effect.provideService(
        serving(nats, {
          repeat: ({ params }) => {
            calls++
            return Effect.succeed("x".repeat((params as readonly [number])[0]))
          }
        }),
        References.MinimumLogLevel,
        "None"
      )
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      const long = yield* Effect.flip(caller.request("repeat", [1, "y".repeat(70_000)]))
      assert.strictEqual(tagOf(long), "InvalidArguments")
      assert.strictEqual(calls, 0)
      const answer = yield* Effect.flip(caller.request("repeat", [70_000]))
      assert.deepInclude(answer, { _tag: "RemoteError", code: -32001, text: "Response too large" })
      assert.strictEqual(yield* caller.request("repeat", [3]), "xxx")
      const [one, other] = yield* caller.batch([
        { method: "repeat", params: [1] },
        { method: "repeat", params: [70_000] }
      ])
      assert.isTrue(Result.isFailure(one!) && Result.isFailure(other!))
    }))

  it.live("are shared by the processes of a queue, and each is answered once", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const counts = [0, 0, 0]
      for (const index of counts.keys()) {
        yield* serving(nats, { count: () => Effect.sync(() => counts[index]!++) })
      }
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      yield* Effect.forEach(Array.from({ length: 300 }), () => caller.request("count"), { concurrency: 16 })
      assert.strictEqual(counts.reduce((sum, each) => sum + each, 0), 300)
      assert.isTrue(counts.every((count) => count > 30), counts.join())
    }))

  it.live("beyond what a service has room for are refused with an error, and never with silence", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const open = yield* Deferred.make<void>()
      yield* serving(nats, { wait: () => Effect.as(Deferred.await(open), "done") }, { limits: { inFlight: 4 } })
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      const calls = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Effect.forkChild(Effect.result(caller.request("wait")), { startImmediately: true })
      )
      const refused = yield* Effect.forEach(calls.slice(4), Fiber.join)
      for (const each of refused) {
        assert.isTrue(
          Result.isFailure(each) && each.failure._tag === "RemoteError" && each.failure.text === "Overloaded"
        )
      }
      yield* Deferred.succeed(open, undefined)
      assert.deepStrictEqual(
        yield* Effect.forEach(calls.slice(0, 4), Fiber.join),
        Array(4).fill(Result.succeed("done"))
      )
    }))

  it.live("that a service has taken are finished when it ends, and others go to who is left", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const begun = yield* Deferred.make<void>()
      const open = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      yield* Scope.provide(
        serving(nats, {
          slow: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(open), "finished"))
        }),
        scope
      )
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      const slow = yield* Effect.forkChild(caller.request("slow"), { startImmediately: true })
      yield* Deferred.await(begun)
      yield* serving(nats, { slow: () => Effect.succeed("by the other") })
      const ending = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      // Once the first takes no more, only the other answers.
      let heard = ""
      for (let row = 0; row < 20; row = heard === "by the other" ? row + 1 : 0) {
        const next = yield* Effect.forkChild(caller.request("slow"), { startImmediately: true })
        heard = String(
          yield* Effect.timeoutOrElse(Fiber.join(next), {
            duration: "100 millis",
            orElse: () => Effect.succeed("")
          })
        )
      }
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual(yield* Fiber.join(slow), "finished")
      yield* Fiber.join(ending)
    }))

  it.live("that are given up run to their end, and their answers go to nobody", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const [begun, open, ended] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      yield* serving(nats, {
        slow: () =>
          Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(open)).pipe(
            Effect.andThen(Deferred.succeed(ended, undefined)),
            Effect.as("too late")
          ),
        next: () => Effect.succeed("next")
      })
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      const call = yield* Effect.forkChild(caller.request("slow"), { startImmediately: true })
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(call)
      const late = yield* Effect.flip(caller.request("slow", [], { timeout: "20 millis" }))
      assert.strictEqual(late._tag, "RequestTimeout")
      yield* Deferred.succeed(open, undefined)
      yield* Deferred.await(ended)
      assert.strictEqual(yield* caller.request("next"), "next")
    }))

  it.live("that run when a service has no more time are answered that it shuts down", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const begun = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const never = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      yield* Scope.provide(serving(nats, { never }, { limits: { drain: 50 } }), scope)
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      const call = yield* Effect.forkChild(Effect.flip(caller.request("never")), { startImmediately: true })
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      const ended = { _tag: "RemoteError", code: -32000, text: "Shutting down", data: { started: true } } as const
      assert.deepInclude(yield* Fiber.join(call), ended)
    }))

  it.live("under way end when the server of NATS goes, later ones are not sent, and new ones work when it is back", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const begun = yield* Deferred.make<void>()
      yield* serving(nats, {
        never: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
        add: () => Effect.succeed(1)
      }, { limits: { drain: 10 } })
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject, timeout: "1 hour" }))
      const call = yield* Effect.forkChild(Effect.flip(caller.request("never")), { startImmediately: true })
      yield* Deferred.await(begun)
      yield* nats.server.stop
      assert.strictEqual(tagOf(yield* Fiber.join(call)), "Disconnected Lost sent")
      assert.strictEqual(tagOf(yield* Effect.flip(caller.request("add"))), "Disconnected Open unsent")
      yield* nats.server.start()
      const again = Effect.retry(caller.request("add"), {
        schedule: Schedule.spaced("50 millis"),
        while: (error) => error._tag === "Disconnected"
      })
      assert.strictEqual(yield* again, 1)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
})
