/** A Correlator without a Peer and a Transport, over a custom wire: the topics of a message broker. */
import { type Caller, Correlator } from "@parley/peer"
import { Message } from "@parley/protocol"
import { Effect, Exit, Result, type Schema, Scope } from "effect"
import { EventEmitter } from "node:events"

const broker = new EventEmitter()

const publish = (topic: string, message: Message.Message) =>
  Result.map(Message.encode(message), (text) => void broker.emit(topic, text))

/** The worker at the other end, in plain JavaScript. It doubles, and never wakes up from its sleep. */
broker.on("work", (text: string) => {
  const { id, method, params } = JSON.parse(text)
  if (method === "stop") return console.log("the worker was told to stop", params.id)
  if (method === "sleep") return
  const answer = method === "double"
    ? { result: params[0] * 2 }
    : { error: { code: -32601, message: `no method ${method}` } }
  setImmediate(() => broker.emit("answers", JSON.stringify({ jsonrpc: "2.0", id, ...answer })))
})

const connect = Effect.gen(function*() {
  const correlator = yield* Correlator.make({
    onTimeout: ({ id }) => void publish("work", { _tag: "Notification", method: "stop", params: { id } })
  })

  const onAnswer = (text: string) => {
    const message = Message.decode(text)
    // Responses that match no waiting call are late, and dropped.
    if (Result.isFailure(message)) {
      if (message.failure._tag === "InvalidResponse") correlator.refuse(message.failure)
    } else if (message.success._tag === "Success" || message.success._tag === "Failure") {
      correlator.settle(message.success)
    }
  }
  broker.on("answers", onAnswer)
  yield* Effect.addFinalizer(() => Effect.sync(() => broker.off("answers", onAnswer)))

  const request = (method: string, params: ReadonlyArray<Schema.Json>) =>
    Effect.callback<Schema.Json, Caller.CallError>((resume) => {
      // It waits before it is sent: the answer may come at once.
      const call = correlator.register({ method, timeout: 500, resume: (outcome) => resume(outcome) })
      const sent = publish("work", { _tag: "Request", id: call.id, method, params })
      if (Result.isFailure(sent)) {
        correlator.forget(call)
        return resume(Effect.die(sent.failure))
      }
      call.place = call.id
      // An interrupted caller leaves nothing behind.
      return Effect.sync(() => void correlator.forget(call))
    })
  return { correlator, request }
})

await Effect.runPromise(Effect.gen(function*() {
  const scope = yield* Scope.make()
  const { correlator, request } = yield* Scope.provide(connect, scope)

  const told = (call: Effect.Effect<Schema.Json, Caller.CallError>) =>
    Effect.catch(call, (error) => Effect.succeed(`${error._tag}: ${error.message}`))
  const results = yield* Effect.all([
    told(request("double", [21])),
    told(request("triple", [21])),
    told(request("sleep", []))
  ], { concurrency: "unbounded" })
  console.log(JSON.stringify(results))
  console.log(correlator.size(), "calls wait")

  // The end of the Scope ends what still waits.
  correlator.register({
    method: "sleep",
    timeout: Number.POSITIVE_INFINITY,
    resume: (outcome) => {
      if (Exit.isFailure(outcome)) {
        const [reason] = outcome.cause.reasons
        const error = reason?._tag === "Fail" ? reason.error : undefined
        if (error?._tag === "Disconnected") console.log(`later: ${error.reason._tag}, sent: ${error.sent}`)
      }
    }
  }).place = 1
  yield* Scope.close(scope, Exit.void)
}))
