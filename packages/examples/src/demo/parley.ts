/** What a peer can do, shown with the specimen server as a child process. */
import { NodeChildProcess } from "@parley/node"
import { type CallerError, Peer, Router } from "@parley/peer"
import type { Transport } from "@parley/transport"
import { Deferred, Effect, Fiber, Result, Schema } from "effect"
import { parleyServe } from "../Programs.ts"
import type { Report } from "./Report.ts"
import { typed } from "./typed.ts"

/** A transport that also tells every text that is received. */
const watched = (
  inner: Transport.Transport["Service"],
  onText: (text: string) => void
): Transport.Transport["Service"] => ({
  ...inner,
  receive: Effect.tap(
    inner.receive,
    (received) => Effect.sync(() => received.forEach((text) => typeof text === "string" && onText(text)))
  )
})

const onlyRemote = (error: CallerError.CallError) =>
  error._tag === "RemoteError" ? Effect.succeed(error) : Effect.fail(error)

/** Calls of every kind, and a call in the other direction. */
export const parley = (report: Report) =>
  Effect.gen(function*() {
    const cancelled = yield* Deferred.make<string>()
    const transport = yield* NodeChildProcess.makeTransport(parleyServe)
    const router = yield* Router.make()
    yield* router.add("greet", ({ params }) => Effect.succeed(`hello, ${Array.isArray(params) ? params[0] : "you"}`))
    const peer = yield* Peer.make(
      watched(transport, (text) => text.includes("-32800") && Deferred.doneUnsafe(cancelled, Effect.succeed(text))),
      { router }
    )

    yield* report.step(
      "typed echo",
      Effect.map(
        typed(peer, "echo", { text: "hi", at: 1.5 }, Schema.Struct({ text: Schema.String, at: Schema.Finite })),
        ({ at, text }) => `${text} at ${at}`
      ),
      /^hi at 1.5$/
    )

    yield* report.step(
      "typed subtract",
      Effect.map(typed(peer, "subtract", [42, 23], Schema.Finite), (difference) => `42 - 23 = ${difference}`),
      /= 19$/
    )

    yield* report.step(
      "batch",
      Effect.map(
        peer.batch([
          { method: "sum", params: [1, 2, 4] },
          { method: "update", params: [1], notification: true },
          { method: "get_data" },
          { method: "no_such_method" }
        ]),
        (results) =>
          results.map((result) =>
            result === undefined
              ? "(notification)"
              : Result.match(result, {
                onSuccess: (value) => JSON.stringify(value),
                onFailure: ({ message }) => message
              })
          ).join(", ")
      ),
      /^7, \(notification\), \["hello",5\], Method not found$/
    )

    yield* report.step(
      "remote error",
      Effect.map(
        Effect.flatMap(Effect.flip(peer.request("fail")), onlyRemote),
        ({ code, data, message }) => `${code} ${message} ${JSON.stringify(data)}`
      ),
      /^1234 .*"boom"/
    )

    yield* report.step(
      "timeout",
      Effect.flip(peer.request("sleep", [60_000], { timeout: "100 millis" })).pipe(
        Effect.flatMap((error) => error._tag === "RequestTimeout" ? Effect.succeed(error.message) : Effect.fail(error))
      ),
      /within 100 ms$/
    )

    yield* report.step(
      "interruption",
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(peer.request("sleep", { ms: 60_000 }), { startImmediately: true })
        yield* Fiber.interrupt(call)
        const { error } = JSON.parse(yield* Deferred.await(cancelled))
        return `the server stopped: ${error.code} ${error.message}`
      }),
      /-32800/
    )

    yield* report.step(
      "call back",
      Effect.map(
        typed(peer, "callback", { method: "greet", params: ["server"] }, Schema.String),
        (greeting) => `the server called greet, and got: ${greeting}`
      ),
      /hello, server$/
    )
  }).pipe(Effect.scoped)
