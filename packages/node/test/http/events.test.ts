/** Callers over HTTP whose answers are streams with more than the response. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as NodeHttp from "@parley/node/NodeHttp"
import { type Caller, Router } from "@parley/peer"
import { Deferred, Effect, Fiber, Layer, type Scope } from "effect"
import { answering, withBody } from "../support/httpServers.ts"

const callers: ReadonlyArray<{
  readonly name: string
  readonly make: (options: HttpCaller.HttpCallerOptions) => Effect.Effect<Caller.Caller, unknown, Scope.Scope>
}> = [
  { name: "NodeHttp", make: NodeHttp.makeCaller },
  {
    name: "HttpCaller",
    make: (options) =>
      Effect.flatMap(
        Layer.build(NodeHttpClient.layerUndici),
        (context) => Effect.provideContext(HttpCaller.make(options), context)
      )
  }
]

/** Answers each call with an event of its own making, a notification and the response, in one stream. */
const eventful = answering(withBody((body, response) => {
  const { id } = JSON.parse(body)
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (
    const message of [
      { event: "begun" },
      { jsonrpc: "2.0", method: "update", params: [id] },
      { jsonrpc: "2.0", id, result: "response" }
    ]
  ) response.write(`data: ${JSON.stringify(message)}\n\n`)
  response.end()
}))

const calling = (make: (typeof callers)[number]["make"]) =>
  Effect.gen(function*() {
    const seen: Array<unknown> = []
    const see = (value: unknown) => Effect.sync(() => void seen.push(value))
    const gate = yield* Deferred.make<void>()
    const updating = yield* Deferred.make<void>()
    const router = yield* Router.make()
    yield* router.add("update", ({ params }) =>
      Deferred.succeed(updating, undefined).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.andThen(see(params))
      ))
    const caller = yield* make({ url: yield* eventful, router })
    const call = yield* Effect.forkChild(Effect.tap(caller.request("work"), see))
    return { call, seen, updating: Deferred.await(updating), open: Deferred.succeed(gate, undefined) }
  })

for (const { make, name } of callers) {
  describe(`the events of an answer, by ${name}`, () => {
    it.live("may have what is no message among them, which is no response and is dropped", () =>
      Effect.gen(function*() {
        const { call, open, seen, updating } = yield* calling(make)
        yield* updating
        yield* open
        yield* Fiber.join(call)
        assert.include(seen, "response")
      }))

    it.live("promise 13: notifications keep their order, and no response waits for them", () =>
      Effect.gen(function*() {
        const { call, open, seen } = yield* calling(make)
        yield* Fiber.join(call)
        assert.deepStrictEqual(seen, ["response"])
        yield* open
      }))
  })
}
