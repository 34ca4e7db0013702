/** JSON-RPC inside the frameworks that people have. */
import { assert, describe, it } from "@effect/vitest"
import { HttpCaller, HttpEndpoint } from "@parley/http"
import { ErrorResponse, Router } from "@parley/peer"
import { Handshake } from "@parley/transport"
import { Deferred, Effect, Exit, Fiber, Option, Queue, Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { as, type Framework, frameworks, User } from "./Frameworks.ts"

const serving = Effect.fnUntraced(function*(framework: Framework) {
  const router = yield* Router.make()
  const begun = yield* Queue.unbounded<void>()
  const heard = yield* Queue.unbounded<void>()
  const interrupted = yield* Queue.unbounded<void>()
  const finish = yield* Deferred.make<void>()
  yield* router.addAll({
    who: () => Effect.map(Handshake.principal(User), (user) => Option.isSome(user) ? user.value.id : null),
    count: ({ peer }) =>
      Effect.forEach([1, 2], (step) => Effect.andThen(peer.notify("step", [step]), Queue.take(heard))).pipe(
        Effect.as("counted"),
        Effect.mapError(ErrorResponse.internalError)
      ),
    wait: () =>
      Queue.offer(begun, undefined).pipe(
        Effect.andThen(Deferred.await(finish)),
        Effect.as("waited"),
        Effect.onInterrupt(() => Queue.offer(interrupted, undefined))
      )
  })
  const metadata: HttpEndpoint.HttpEndpoint = {
    ...HttpEndpoint.gate({ methods: ["GET"] }),
    answer: () => Effect.succeed({ status: 200, headers: {}, body: "metadata" })
  }
  const scope = yield* Scope.fork(yield* Effect.scope)
  const endpoint = HttpEndpoint.jsonRpcWith(router.answer, {
    limits: { frame: 2_000 },
    wellKnown: new Map([["/.well-known/rpc", metadata]])
  })
  const origin = yield* Scope.provide(framework.serve(endpoint), scope)
  const post = (body: string, headers?: Readonly<Record<string, string>>, signal?: AbortSignal) =>
    Effect.promise(async () => {
      const response = await fetch(`${origin}/mcp`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
        ...(signal && { signal })
      })
      return { status: response.status, text: await response.text() }
    })
  const callerFor = (user: string, router?: Router.Router) =>
    HttpCaller.make({ url: `${origin}/mcp`, headers: as(user), router }).pipe(Effect.provide(FetchHttpClient.layer))
  return { origin, post, callerFor, begun, heard, interrupted, finish, scope }
})

describe.each(frameworks)("JSON-RPC inside $name", (framework) => {
  it.live("answers each user of the host as who they are", () =>
    Effect.gen(function*() {
      const { callerFor, post } = yield* serving(framework)
      for (const user of ["ada", "bob"]) {
        const caller = yield* callerFor(user)
        assert.strictEqual(yield* caller.request("who"), user)
      }
      assert.deepStrictEqual(yield* post(`{"jsonrpc":"2.0","id":1,"method":"who"}`), {
        status: 200,
        text: `{"jsonrpc":"2.0","id":1,"result":null}`
      })
    }))

  it.live("streams what a handler sends while it runs", () =>
    Effect.gen(function*() {
      const { callerFor, heard } = yield* serving(framework)
      const steps: Array<unknown> = []
      const router = yield* Router.make()
      // The handler goes on when its client has heard of a step.
      yield* router.add("step", ({ params }) => {
        steps.push(params)
        return Queue.offer(heard, undefined)
      })
      const caller = yield* callerFor("ada", router)
      assert.strictEqual(yield* caller.request("count"), "counted")
      assert.deepStrictEqual(steps, [[1], [2]])
    }))

  it.live("interrupts the handler of a client that leaves", () =>
    Effect.gen(function*() {
      const { begun, interrupted, post } = yield* serving(framework)
      const gone = new AbortController()
      const call = yield* Effect.forkChild(post(`{"jsonrpc":"2.0","id":1,"method":"wait"}`, {}, gone.signal))
      yield* Queue.take(begun)
      gone.abort()
      yield* Queue.take(interrupted)
      yield* Fiber.await(call)
    }))

  it.live("refuses a body that is too large, and another type", () =>
    Effect.gen(function*() {
      const { post } = yield* serving(framework)
      const large = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "who", params: ["x".repeat(3_000)] })
      assert.strictEqual((yield* post(large)).status, 413)
      assert.strictEqual((yield* post("who?", { "content-type": "text/csv" })).status, 415)
    }))

  it.live("serves the paths that belong to the endpoint, and leaves the others to the host", () =>
    Effect.gen(function*() {
      const { origin } = yield* serving(framework)
      const seen = yield* Effect.forEach(
        ["/.well-known/rpc", "/health", "/elsewhere"],
        (path) =>
          Effect.promise(async () => {
            const response = await fetch(origin + path)
            return [response.status, path === "/elsewhere" ? "" : await response.text()]
          })
      )
      assert.deepStrictEqual(seen.map(([status]) => status), [200, 200, 404])
      assert.strictEqual(seen[0]?.[1], "metadata")
    }))
})

describe.each(frameworks.filter(({ drains }) => drains))("JSON-RPC inside $name, when it closes,", (framework) => {
  it.live("answers the calls that run, and says that it closes", () =>
    Effect.gen(function*() {
      const { begun, callerFor, finish, origin, post, scope } = yield* serving(framework)
      const caller = yield* callerFor("ada")
      const call = yield* Effect.forkChild(caller.request("wait"))
      yield* Queue.take(begun)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.strictEqual((yield* post(`{"jsonrpc":"2.0","id":1,"method":"who"}`)).status, 503)
      assert.strictEqual((yield* Effect.promise(() => fetch(`${origin}/health`))).status, 503)
      yield* Deferred.succeed(finish, undefined)
      assert.strictEqual(yield* Fiber.join(call), "waited")
      yield* Fiber.join(closing)
    }))
})
