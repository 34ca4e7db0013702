/** Plain JSON-RPC 2.0: no handshake, and as operations the methods of an OpenRPC document where there is one. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Unverified } from "../../Suite.ts"
import type { Target } from "../../Target.ts"
import * as HttpLine from "../probe/HttpLine.ts"
import * as Json from "../probe/Json.ts"
import * as Line from "../probe/Line.ts"
import type { Spoken } from "./Protocol.ts"

/** A method that no server has: its answer shows that a server has read what was sent before. */
const sentinel = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"parley.conform.sentinel"}`

/** The reply to a request of the server: this side has no methods. */
const reply = (text: string): string | undefined => {
  const message = Json.objectOf(text)
  if (message === undefined || !Object.hasOwn(message, "method") || !Object.hasOwn(message, "id")) return undefined
  return JSON.stringify({ jsonrpc: "2.0", id: message["id"], error: { code: -32601, message: "Method not found" } })
}

/** Opens a conversation. */
export const open = (target: Target, patience: Line.Patience): Effect.Effect<Line.Line, Unverified, Scope.Scope> =>
  target._tag === "Http"
    ? HttpLine.make(target, { patience })
    : Effect.flatMap(
      connect(target, patience.answer),
      (transport) => Line.make(transport, { patience, reply, sentinel })
    )

/** Whether a server is there: it answers a request of a method that it does not have, or anything else. */
export const reach = <E>(open: Effect.Effect<Line.Line, E, Scope.Scope>) =>
  Effect.flatMap(
    open,
    (line) =>
      Effect.flatMap(line.ask(sentinel("\"parley-conform\""), (texts) => texts.length > 0), ({ ended, texts }) =>
        ended === undefined || texts.length > 0
          ? Effect.succeed(line)
          : Effect.fail(new Unverified({ reason: ended })))
  )

/** A server of which nothing more is known. */
export const spoken = (target: Target, patience: Line.Patience): Spoken => ({
  name: "jsonrpc",
  title: "JSON-RPC 2.0",
  usage: { batches: true, positional: true, nullIds: true, unreadable: "null" },
  open: open(target, patience),
  harmless: [],
  operations: Effect.succeed([]),
  suites: []
})

/** Connects, or says why not. */
export const connect = (target: Target & { readonly _tag: "Duplex" }, patience: Duration.Duration) =>
  target.connect.pipe(
    Effect.mapError(({ message }) => new Unverified({ reason: `no connection: ${message}` })),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new Unverified({ reason: `no connection within ${Duration.format(patience)}` }))
    })
  )
