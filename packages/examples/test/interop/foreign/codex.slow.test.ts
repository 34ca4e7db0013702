/**
 * The server of OpenAI's Codex, from npm, whose messages leave out the version. It is as large as all our other
 * dependencies together, so it is fetched by this test alone. Without an account it still tells what it knows.
 */
import { assert, describe, it } from "@effect/vitest"
import { Contract, ContractPair, Method, Notification } from "@parley/contract"
import { NodeChildProcess } from "@parley/node"
import { Peer } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import * as Folder from "../Folder.ts"

class Codex extends Contract.make("Codex", {
  initialize: Method.make({
    params: { clientInfo: Schema.Struct({ name: Schema.String, version: Schema.String }) },
    result: Schema.Struct({ userAgent: Schema.String, platformFamily: Schema.String })
  }),
  "model/list": Method.make({
    params: {},
    result: Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String, displayName: Schema.String })) })
  }),
  "account/read": Method.make({ params: {}, result: Schema.Struct({ account: Schema.Null }) })
}) {}

class Events extends Contract.make("Events", {
  "remoteControl/status/changed": Notification.make({ params: { status: Schema.String } })
}) {}

const protocol = ContractPair.make({
  client: Events,
  server: Codex,
  dialect: Dialect.make({ name: "codex", version: "omit" })
})

describe("Codex, whose messages have no version", () => {
  it.live("answers typed calls, tells what happens, and refuses what it does not know", () =>
    Effect.gen(function*() {
      const home = yield* Folder.make()
      const status = yield* Deferred.make<string>()
      const side = protocol.layerClient({
        "remoteControl/status/changed": ({ status: now }) => Deferred.succeed(status, now)
      }).pipe(Layer.provide(NodeChildProcess.layerTransport({
        command: "npm",
        args: ["exec", "--yes", "--package=@openai/codex@0.169.0", "--", "codex", "app-server"],
        cwd: home,
        // npm asks for the registry by variables of its own, and trusts the certificates that others name.
        inherit: "all",
        env: { CODEX_HOME: home }
      })))
      const context = yield* Layer.build(side)
      const codex = Context.get(context, Codex.Client)
      const peer = Context.get(context, Peer.Peer)
      const clientInfo = { name: "parley", version: "0.1.0" }
      // It is fetched first, if this machine has not done so before.
      const { userAgent } = yield* codex.initialize({ clientInfo }, { timeout: "100 seconds" })
      assert.match(userAgent, /^parley\//)
      yield* peer.notify("initialized")
      assert.strictEqual(yield* Deferred.await(status), "disabled")
      const { data } = yield* codex["model/list"]({})
      assert.isAbove(data.length, 0)
      assert.deepInclude(yield* codex["account/read"]({}), { account: null })
      assert.deepInclude(yield* Effect.flip(peer.request("nope", {})), { _tag: "RemoteError", code: -32600 })
    }))
})
