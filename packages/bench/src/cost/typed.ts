/**
 * Microseconds that a contract on both sides costs each call in memory over the same call and handler without it:
 * `node typed.ts 64`. Schemas are interpreted, or compiled where Node is started with
 * `--import effect/schema/SchemaJITCompiler/enable`.
 */
import * as Contract from "@parley/contract/Contract"
import * as Method from "@parley/contract/Method"
import type { Caller } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Client } from "../Subject.ts"
import { difference } from "./difference.ts"

const Position = Schema.Struct({
  uri: Schema.String,
  line: Schema.Int,
  character: Schema.Int,
  flag: Schema.Boolean
})

const Hover = Contract.make("Hover", {
  hover: Method.make({ params: Position, result: Schema.Struct({ contents: Schema.String, ok: Schema.Boolean }) })
})

const position = { uri: "file:///a/b/c.ts", line: 12, character: 34, flag: true }

const answer = ({ flag, uri }: typeof Position.Type) => Effect.succeed({ contents: uri, ok: flag })

type Call = (caller: Caller) => Effect.Effect<unknown, unknown>

const open = async (serve: Layer.Layer<never, unknown, Router.Router>, callOf: Call): Promise<Client> => {
  const scope = Scope.makeUnsafe()
  const peer = await Effect.runPromise(Scope.provide(
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const router = yield* Router.make()
      yield* Effect.provideService(Layer.build(serve), Router.Router, router)
      yield* Peer.make(far, { router })
      return yield* Peer.make(near)
    }),
    scope
  ))
  const call = callOf(peer)
  return { call: () => Effect.runPromise(call), callEffect: () => call, close: () => {} }
}

const typed = await open(Hover.toLayer({ hover: answer }), (caller) => {
  const { hover } = Hover.client(caller)
  return Effect.suspend(() => hover(position))
})

const untyped = await open(
  // It is what the client below sends.
  Layer.effectDiscard(
    Router.Router.use((router) => router.add("hover", ({ params }) => answer(params as typeof Position.Type)))
  ),
  (caller) => Effect.suspend(() => caller.request("hover", position))
)

const cost = await difference(typed, untyped, Number(process.argv[2] ?? 64))
process.stdout.write(`${cost}\n`, () => process.exit())
