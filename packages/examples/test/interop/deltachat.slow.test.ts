/** A contract that is written from the document of Delta Chat's server, of which both come in one program, talks to it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { NodeChildProcess } from "@parley/node"
import { Peer } from "@parley/peer"
import { Context, Effect, Layer } from "effect"
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

/** Its package has one for each platform. */
const program = (): string | undefined => {
  const { arch, platform } = process
  try {
    return createRequire(createRequire(import.meta.url).resolve("@deltachat/stdio-rpc-server/package.json"))
      .resolve(`@deltachat/stdio-rpc-server-${platform}-${arch}`)
  } catch {
    return undefined
  }
}

const server = program()

const document = () => {
  const { stdout } = spawnSync(server ?? "", ["--openrpc"], { encoding: "utf8", maxBuffer: 2 ** 24 })
  return JSON.parse(stdout) as { readonly methods: ReadonlyArray<{ readonly name: string }> }
}

interface Event {
  readonly contextId: number
  readonly event: { readonly kind: string }
}

const start = Effect.gen(function*() {
  const folder = yield* Folder.make()
  const { contract, notices, text } = yield* Generated.load("DeltaChat", document(), {})
  const transport = yield* NodeChildProcess.makeTransport({
    command: server ?? "",
    env: { DC_ACCOUNTS_PATH: `${folder}/accounts` }
  })
  const client = Generated.clientOf(contract, yield* Peer.make(transport))
  return { client, contract, notices, text }
})

class DeltaChat extends Context.Service<DeltaChat, Effect.Success<typeof start>>()("test/DeltaChat") {
  static readonly layer = Layer.effect(DeltaChat, start)
}

/** The descriptions that references point to. */
const described = [
  "CallInfo/properties/state",
  "Event/properties/event",
  "EventType/oneOf/32/properties/chatType",
  "Message/properties/systemMessageType",
  "MessageLoadResult/oneOf/0/properties/systemMessageType",
  "TransportListEntry/properties/param"
]

const suites = () => {
  layer(DeltaChat.layer)("a contract of the document of Delta Chat", (it) => {
    it.effect("has every method of the document, and checks all that it says", () =>
      Effect.map(DeltaChat, ({ contract, notices }) => {
        assert.deepStrictEqual(Object.keys(contract.members), document().methods.map(({ name }) => name))
        const issue = "description beside $ref is left out"
        assert.deepStrictEqual(notices, described.map((place) => ({ path: `#/components/schemas/${place}`, issue })))
      }))

    it.effect("calls without params, and reads records", () =>
      Effect.gen(function*() {
        const { client } = yield* DeltaChat
        const info = yield* client.call("get_system_info")
        assert.match(String(info["deltachat_core_version"]), /^v2\./)
        assert.strictEqual(yield* client.call<boolean>("check_email_validity", { email: "a@example.org" }), true)
      }))

    it.effect("makes accounts, chats and messages, of many kinds of alternatives and nulls", () =>
      Effect.gen(function*() {
        const { client } = yield* DeltaChat
        const accountId = yield* client.call<number>("add_account")
        assert.include(yield* client.call<ReadonlyArray<number>>("get_all_account_ids"), accountId)
        assert.deepInclude(yield* client.call("get_account_info", { accountId }), {
          kind: "Unconfigured",
          id: accountId
        })
        yield* client.call("set_config", { accountId, key: "displayname", value: "Ada" })
        assert.deepStrictEqual(
          yield* client.call("batch_get_config", { accountId, keys: ["displayname", "selfstatus"] }),
          { displayname: "Ada", selfstatus: null }
        )
        yield* client.call("set_config", { accountId, key: "displayname", value: null })
        assert.strictEqual(yield* client.call<string | null>("get_config", { accountId, key: "displayname" }), null)
        const contactId = yield* client.call<number>("create_contact", {
          accountId,
          email: "bob@example.org",
          name: "Bob"
        })
        assert.deepInclude(yield* client.call("get_contact", { accountId, contactId }), {
          id: contactId,
          address: "bob@example.org",
          name: "Bob"
        })
      }))

    it.effect("takes events in turn, each of its kind", () =>
      Effect.gen(function*() {
        const { client } = yield* DeltaChat
        const contextId = yield* client.call<number>("add_account")
        const next = (): Effect.Effect<{ readonly kind: string }> =>
          Effect.flatMap(Effect.orDie(client.call<Event>("get_next_event")), (found) =>
            found.contextId === contextId ? Effect.succeed(found.event) : next())
        yield* client.call("set_config", { accountId: contextId, key: "selfstatus", value: "here" })
        assert.isString((yield* next()).kind)
      }))

    it.effect("fails with the error of the server, and does not send what the document refuses", () =>
      Effect.gen(function*() {
        const { client } = yield* DeltaChat
        assert.deepInclude(yield* Effect.flip(client.call("get_account_info", { accountId: 4_711 })), {
          _tag: "RemoteError",
          code: -1
        })
        assert.deepInclude(yield* Effect.flip(client.call("get_account_info", { accountId: -1 })), {
          _tag: "InvalidArguments"
        })
      }))
  })
}

if (server !== undefined) suites()
else {
  describe("Delta Chat", () => {
    it("needs its server, which its package has not for every platform", () => {
      if (process.env["CI"]) assert.fail(`there is none for ${process.platform} on ${process.arch}`)
    })
  })
}
