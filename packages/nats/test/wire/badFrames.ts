/** The rows of NATS in the table of bad frames, which `node/test/badFrames` has. */
import { assert } from "@effect/vitest"
import { NatsClient } from "@parley/nats/NatsClient"
import * as NatsRpc from "@parley/nats/NatsRpc"
import { Router } from "@parley/peer/Router"
import type * as Dialect from "@parley/protocol/Dialect"
import { Deferred, Effect, type Scope } from "effect"
import { frame, isLast, isPlain, last } from "../../../node/test/badFrames/messages.ts"
import * as Responses from "../../../node/test/badFrames/responses.ts"
import { type Ask, routerOf, row, type Wire } from "../../../node/test/badFrames/row.ts"

/** Makes a connection to one server, which is another one in each Scope. */
type Connect = Effect.Effect<Effect.Effect<NatsClient, unknown, Scope.Scope>, unknown, Scope.Scope>

const subject = "bank"

/**
 * Each text has one reply, which is empty where there is no answer. The request behind it shows whether the service has
 * room.
 */
const asking = (client: NatsClient, hasRoom: boolean): Ask => {
  let count = 0
  return (text) =>
    Effect.gen(function*() {
      const reply = `replies.${++count}`
      const heard: Array<unknown> = []
      const both = yield* Deferred.make<void>()
      let replies = 0
      yield* client.subscribe(reply, ({ data }) => {
        if (data.length > 0) heard.push(JSON.parse(new TextDecoder().decode(data)))
        if (++replies === 2) Deferred.doneUnsafe(both, Effect.void)
      })
      yield* client.publish(subject, text, { reply })
      yield* client.publish(subject, last, { reply })
      yield* Deferred.await(both)
      assert.deepEqual(heard.filter(isLast).map((each) => Object(each).error?.message), [
        hasRoom ? undefined : "Overloaded"
      ])
      return heard.filter((each) => !isLast(each))
    })
}

const service = (name: string, connect: Connect, dialect: Dialect.Dialect, hasRoom: boolean): Wire => ({
  name: hasRoom ? name : `${name}, by a service without room`,
  dialect,
  carries: isPlain,
  open: Effect.gen(function*() {
    const connected = yield* connect
    const limits = { frame, drain: 0, inFlight: hasRoom ? 1_000 : 1 }
    const router = yield* routerOf(dialect, limits)
    const begun = yield* Deferred.make<void>()
    yield* router.add("wait", () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
    yield* Effect.provideService(NatsRpc.serve({ subject, dialect, limits }), Router, router).pipe(
      Effect.provideService(NatsClient, yield* connected)
    )
    const client = yield* connected
    if (!hasRoom) {
      yield* client.publish(subject, `{"jsonrpc":"2.0","id":"waits","method":"wait"}`, { reply: "nowhere" })
      yield* Deferred.await(begun)
    }
    return asking(client, hasRoom)
  })
})

/** Calls a service that answers with bad responses. */
export const responses = (name: string, connect: Connect): Responses.Wire => ({
  name,
  carries: isPlain,
  isExchange: true,
  open: (answering) =>
    Effect.gen(function*() {
      const connected = yield* connect
      const other = yield* connected
      yield* other.subscribe(subject, ({ data, reply }) =>
        Responses.answerAll(
          answering,
          [JSON.parse(new TextDecoder().decode(data))],
          (text) => void other.publishUnsafe(reply ?? "", text)
        ))
      const { limits } = Responses
      const exchange = yield* Effect.provideService(
        NatsRpc.makeExchange({ subject, limits }),
        NatsClient,
        yield* connected
      )
      return yield* Responses.callerOf(exchange, answering)
    })
})

export const rows = (name: string, connect: Connect, dialects: ReadonlyArray<Dialect.Dialect>): void => {
  for (const dialect of dialects) {
    for (const hasRoom of [true, false]) row(service(name, connect, dialect, hasRoom))
  }
}
