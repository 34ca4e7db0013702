/** The calls of a peer, with the specimen server as a child process. */
import { Contract, Method, Notification } from "@parley/contract"
import { NodeChildProcess } from "@parley/node"
import { Peer, Router } from "@parley/peer"
import type { Transport } from "@parley/transport"
import { Deferred, Effect, Fiber, Layer, Result, Schema } from "effect"
import { parleyServe } from "../Programs.ts"
import type { Report } from "./Report.ts"

/** A transport that also passes every received text to a callback. */
const watched = (
  inner: Transport.Transport,
  onText: (text: string) => void
): Transport.Transport => ({
  ...inner,
  receive: Effect.tap(
    inner.receive,
    (received) => Effect.sync(() => received.forEach((text) => typeof text === "string" && onText(text)))
  )
})

const Detail = Schema.Struct({ detail: Schema.String })

/** The methods of the specimen server that are called here. */
class Specimen extends Contract.make("Specimen", {
  echo: Method.make({
    params: { text: Schema.String, at: Schema.Finite },
    result: Schema.Struct({ text: Schema.String, at: Schema.Finite })
  }),
  subtract: Method.make({ params: [Schema.Finite, Schema.Finite], result: Schema.Finite }),
  sum: Method.make({ params: Schema.Array(Schema.Finite), result: Schema.Finite }),
  update: Notification.make({ params: [Schema.Int] }),
  get_data: Method.make({ result: Schema.Tuple([Schema.String, Schema.Int]) }),
  no_such_method: Method.make(),
  fail: Method.make({ errors: { 1234: Detail } }),
  sleep: Method.make({ params: { ms: Schema.Finite } }),
  callback: Method.make({
    params: { method: Schema.String, params: Schema.Array(Schema.String) },
    result: Schema.String
  })
}) {}

/** The methods that the server may call. */
const Greeter = Contract.make("Greeter", { greet: Method.make({ params: [Schema.String], result: Schema.String }) })

/** Calls of every kind, and a call in the other direction. */
export const parley = (report: Report) =>
  Effect.gen(function*() {
    const cancelled = yield* Deferred.make<string>()
    const transport = yield* NodeChildProcess.makeTransport(parleyServe)
    const router = yield* Router.make()
    yield* Layer.build(Greeter.toLayer({ greet: ([name]) => Effect.succeed(`hello, ${name}`) })).pipe(
      Effect.provideService(Router.Router, router)
    )
    const peer = yield* Peer.make(
      watched(transport, (text) => text.includes("-32800") && Deferred.doneUnsafe(cancelled, Effect.succeed(text))),
      { router }
    )
    const specimen = Specimen.client(peer)

    yield* report.step(
      "start, typed call",
      Effect.map(
        specimen.echo({ text: "hi", at: 1.5 }),
        ({ at, text }) => `echo returned the text "${text}" and the number ${at}`
      ),
      /"hi" and the number 1.5$/
    )

    yield* report.step(
      "by position",
      Effect.map(specimen.subtract([42, 23]), (difference) => `subtract [42, 23] = ${difference}`),
      /= 19$/
    )

    yield* report.step(
      "batch",
      Effect.map(
        Specimen.batch(
          specimen,
          (calls) => [calls.sum([1, 2, 4]), calls.update([1]), calls.get_data(), calls.no_such_method()]
        ),
        (results) =>
          results.map((result: Result.Result<unknown, { readonly _tag: string; readonly code?: number }>) =>
            Result.isSuccess(result)
              ? JSON.stringify(result.success) ?? "(a notification)"
              : `${result.failure._tag} ${result.failure.code}`
          ).join(", ")
      ),
      /^7, \(a notification\), \["hello",5\], RemoteError -32601$/
    )

    yield* report.step(
      "typed error",
      Effect.map(
        Effect.flip(specimen.fail()),
        (error) => "detail" in error ? `error 1234 has typed data, { detail: "${error.detail}" }` : error.message
      ),
      /^error 1234 .*"boom" }$/
    )

    yield* report.step(
      "timeout",
      Effect.flip(specimen.sleep({ ms: 60_000 }, { timeout: "100 millis" })).pipe(
        Effect.flatMap((error) => error._tag === "RequestTimeout" ? Effect.succeed(error.message) : Effect.fail(error))
      ),
      /within 100 ms$/
    )

    yield* report.step(
      "interruption",
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(specimen.sleep({ ms: 60_000 }), { startImmediately: true })
        yield* Fiber.interrupt(call)
        const { error } = JSON.parse(yield* Deferred.await(cancelled))
        return `the server cancelled sleep: ${error.code} ${error.message}`
      }),
      /-32800/
    )

    yield* report.step(
      "call from the server",
      Effect.map(
        specimen.callback({ method: "greet", params: ["server"] }),
        (greeting) => `the server called greet here, and got "${greeting}"`
      ),
      /"hello, server"$/
    )
  }).pipe(Effect.scoped)
