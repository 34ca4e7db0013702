/** A caller chooses where its reply goes, and a service where replies may go. */
import { assert, describe, it } from "@effect/vitest"
import * as NatsClient from "@parley/nats/NatsClient"
import * as NatsRpc from "@parley/nats/NatsRpc"
import { Effect, Logger, Option } from "effect"
import * as Replies from "../src/internal/Replies.ts"
import { FakeNats } from "./support/fake/FakeNats.ts"

describe("replies", () => {
  const replies = Replies.make({ replies: ["_INBOX.>", "answers.*.of"] })

  it("go where the option allows, and to no subject of the server", () => {
    for (const reply of ["_INBOX.a", "_INBOX.a.b", "answers.x.of"]) {
      assert.deepStrictEqual(replies.of({ reply }), { subject: reply })
    }
    for (
      const reply of [
        "_INBOX",
        "_INBOX.",
        "_INBOX..a",
        "_INBOX.>",
        "_INBOX.*",
        "_INBOXES.a",
        "data.forged",
        "$JS.API.INFO"
      ]
        .concat("answers.x", "answers.x.of.y", "a._INBOX.b", ">")
    ) {
      assert.strictEqual(replies.of({ reply }), "refused", reply)
    }
    assert.isUndefined(replies.of({ reply: "" }))
    const all = Replies.make({})
    assert.deepStrictEqual(all.of({ reply: "data.forged" }), { subject: "data.forged" })
    assert.isUndefined(all.of({ reply: "$JS.API.INFO" }))
  })

  it.effect("elsewhere are refused with their calls, and of many the log has a few", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    return Effect.gen(function*() {
      const nats = yield* FakeNats.make()
      const [service, caller] = [yield* nats.connected, yield* nats.connected]
      const ran: Array<string> = []
      yield* Effect.provideService(
        NatsRpc.serveWith({ subject: "bank", replies: "_INBOX.>" }, (text) => {
          ran.push(text)
          return Effect.succeed(Option.some("reply"))
        }),
        NatsClient.NatsClient,
        // A service asks its connection where the server is.
        Object.create(service.client, { connection: { value: { getServer: () => "127.0.0.1:4222" } } })
      )
      const heard: Array<string> = []
      for (const subject of ["_INBOX.x", "data.forged"]) {
        yield* caller.client.subscribe(subject, (message) => void heard.push(message.subject))
      }
      for (let count = 0; count < 30; count++) {
        yield* caller.client.publish("bank", `${count}`, { reply: "data.forged\u202e" })
      }
      yield* caller.client.publish("bank", "last", { reply: "_INBOX.x" })
      for (let turns = 0; turns < 50; turns++) yield* Effect.yieldNow
      assert.deepStrictEqual(ran, ["last"])
      assert.deepStrictEqual(heard, ["_INBOX.x"])
      assert.lengthOf(lines, 10)
      assert.include(lines[0], "Refused a message on bank that wants its reply at \"data.forged\\u202e\"")
    }).pipe(Effect.scoped, Effect.provide(logger))
  })
})
