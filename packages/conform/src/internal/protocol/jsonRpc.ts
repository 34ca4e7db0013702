/** Plain JSON-RPC 2.0: no handshake, and as operations the methods of an OpenRPC document where there is one. */
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import { Excerpt } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type NotApplicable, Unverified } from "../../Suite.ts"
import type { Http, Target } from "../../Target.ts"
import * as HttpLine from "../probe/HttpLine.ts"
import * as Json from "../probe/Json.ts"
import * as Line from "../probe/Line.ts"
import { type Patience, startOf } from "../probe/Patience.ts"
import type { Harmless, Spoken } from "./Protocol.ts"

/**
 * A request whose answer shows that a server has read what was sent before: one that is known to succeed, or of a method
 * that no server has.
 */
const sentinelOf = ([known]: ReadonlyArray<Harmless>) => {
  const call = JSON.stringify(known ?? { method: "parley.conform.sentinel" })
  return (id: string): string => `{"jsonrpc":"2.0","id":${id},${call.slice(1)}`
}

/** The reply to a request of the server: this side has no methods. */
const reply = (text: string): string | undefined => {
  const message = Json.objectOf(text)
  if (message === undefined || !Object.hasOwn(message, "method") || !Object.hasOwn(message, "id")) return undefined
  return JSON.stringify({ jsonrpc: "2.0", id: message["id"], error: { code: -32601, message: "Method not found" } })
}

/** Opens a conversation. */
export const open = (
  target: Target,
  patience: Patience,
  harmless: ReadonlyArray<Harmless>
): Effect.Effect<Line.Line, Unverified, Scope.Scope> =>
  target._tag === "Http"
    ? HttpLine.make(target, { patience })
    : Effect.flatMap(
      connect(target, patience.answer),
      (transport) =>
        Line.make(transport, { patience, start: startOf(target, patience), reply, sentinel: sentinelOf(harmless) })
    )

/**
 * Fails where no server of JSON-RPC is there, or where it says nothing at all. One that ends at what it is sent is there:
 * that is for the rules to tell.
 */
export const reach = (
  target: Target,
  patience: Patience,
  { harmless, open }: Pick<Spoken, "harmless" | "open">
): Effect.Effect<void, NotApplicable | Unverified> =>
  Effect.scoped(target._tag === "Http" ? reachHttp(target, patience, harmless) : reachDuplex(open))

/** The address may be that of something else, which knows no such page, or has one for people. */
const reachHttp = Effect.fnUntraced(function*(target: Http, patience: Patience, harmless: ReadonlyArray<Harmless>) {
  const line = yield* HttpLine.make(target, { patience })
  const requests = [
    sentinelOf([]),
    sentinelOf([{ method: OpenRpc.discover }]),
    ...harmless.map((one) => sentinelOf([one]))
  ]
  let reason = ""
  for (const request of requests) {
    const { failure, head, texts } = yield* line.exchange({ method: "POST", body: request("\"parley-conform\"") })
    if (head === undefined) return yield* new Unverified({ reason: `the POST was not answered: ${failure}` })
    const { status } = head
    // Whoever asks for credentials may be right.
    if (status === 401 || status === 403) return
    const isRight = status < 300
    // Whether it is a right one is for the rules.
    const isMessage = (text: string) => isRight ? /^\s*[[{]/.test(text) : text.includes("\"jsonrpc\"")
    if (texts.some(isMessage) || isRight && texts.length === 0) return
    reason = isRight ? `its answer is no JSON-RPC: ${Excerpt.line(texts.join())}` : `HTTP ${status}`
  }
  return yield* new Unverified({ reason })
})

const reachDuplex = Effect.fnUntraced(function*(open: Spoken["open"]) {
  const line = yield* open
  const { ended, isWhole, texts } = yield* line.ask(
    sentinelOf([])("\"parley-conform\""),
    (texts) => texts.length > 0
  )
  if (texts.length > 0 || ended === undefined && isWhole) return
  if (ended === undefined) {
    return yield* new Unverified({
      reason: "it answers nothing, not even a request of an unknown method; --method names one that it has"
    })
  }
  const silent = yield* open
  yield* silent.until(() => false, start)
  if (silent.ended() !== undefined) return yield* new Unverified({ reason: ended })
})

/** How long a command may take to find out that it cannot start. */
const start = Duration.millis(1_500)

/** A server of which no more is known than some calls. */
export const spoken = (target: Target, patience: Patience, harmless: ReadonlyArray<Harmless>): Spoken => ({
  name: "jsonrpc",
  title: "JSON-RPC 2.0",
  usage: { batches: true, positional: true, nullIds: true, fractions: true, unreadable: "null" },
  open: open(target, patience, harmless),
  harmless,
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
