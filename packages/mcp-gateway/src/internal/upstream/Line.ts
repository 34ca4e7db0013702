/**
 * One connection to an upstream, with what it needs beside its client: where its questions go, and what the server lists.
 */
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { ClientSession } from "@parley/mcp/McpContext"
import type { LogLevel } from "@parley/mcp/payload/LogLevel"
import type { Feature } from "@parley/mcp/server/Feature"
import type { Change } from "@parley/mcp/server/ServerChanges"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Asker } from "./attribution.ts"
import type { Room } from "./calls/Backlog.ts"
import { isOfLine } from "./failures.ts"
import { asOwner, type Lines, type Use } from "./Lines.ts"
import { Catalog, type Lists } from "./lists/Catalog.ts"
import type { Reach } from "./reach.ts"
import { Seat, type Seated } from "./Seat.ts"
import type { SoleCaller } from "./SoleCaller.ts"

/** @internal */
export interface Line {
  readonly client: McpClient
  readonly seat: Seat
  readonly catalog: Catalog
  /** Done when the connection is closed. */
  readonly closed: Deferred.Deferred<void>
  /** The level of log messages that the server was told. */
  level: LogLevel | undefined
}

/** Opens a connection whose server may ask as much. @internal */
export type Connect = (
  seat: Seat,
  reach: Reach,
  onComplete: (elicitationId: string) => void
) => Effect.Effect<McpClient, McpConnectError, Scope.Scope>

/** The parts that all connections of an upstream share. @internal */
export interface Host {
  readonly name: string
  /** Who asks, where questions of the server say it. */
  readonly asker: Asker | undefined
  readonly connect: Connect
  /** The only caller, where there is one. */
  readonly sole: SoleCaller | undefined
  readonly lines: Lines<Line, McpConnectError>
  /** The room for what waits for clients. */
  readonly room: Room
  readonly featuresOf: (lists: Lists) => ReadonlyArray<Feature>
  readonly tell: (change: Change) => void
  /** The same for changes that come as often as the server wants. */
  readonly calm: (change: Change) => void
  /** Takes the method of a list that the server does not give, and why, where it has answered. */
  readonly missing: (method: string, cause: unknown) => Effect.Effect<void>
}

/** @internal */
export interface Options extends Host {
  readonly reach: Reach
  /** The session that the connection is for. */
  readonly session: ClientSession | undefined
  /** The session or connection of ours with which it ends. */
  readonly owner: ClientSession | undefined
  readonly use: Use
  /** The place of the call that opens it, where the connection is for that alone. */
  readonly seated: Seated | undefined
}

/** Opens a connection. It ends with the Scope. @internal */
export const open = Effect.fnUntraced(function*(
  { asker, calm, connect, featuresOf, lines, missing, name, owner, reach, room, seated, session, sole, tell, use }:
    Options
): Effect.fn.Return<Line, McpConnectError, Scope.Scope> {
  const seat = new Seat(name, asker, session, room.of(use.party), sole)
  // Its finalizer runs behind that of the client, which answers nobody then.
  const closed = Deferred.makeUnsafe<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(closed, undefined))
  // The server may ask while it shakes hands.
  seated?.take(seat)
  const client = yield* connect(seat, reach, (elicitationId) => tell({ elicitationId }))
  const scope = yield* Effect.scope
  const catalog = new Catalog({
    server: name,
    client,
    scope,
    use,
    featuresOf,
    onTold: (list) => calm({ list }),
    onChange: (list) => tell({ list }),
    onMissing: missing
  })
  // A server of the modern era is asked for changes by a request, which is made where lists are read.
  const isSession = RevisionCodec.of(client.protocolVersion).features.subscriptions === "session"
  if (isSession || use.kind !== "exclusive") yield* Effect.forkScoped(asOwner(use, catalog.follow))
  if (owner !== undefined) {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const forget = [
      owner.onEnd(() => void fork(lines.close(use.key))),
      owner.onRootsChanged(() => void fork(Effect.ignore(client.notifyRootsChanged)))
    ]
    yield* Effect.addFinalizer(() => Effect.sync(() => forget.forEach((each) => each())))
  }
  const line: Line = { client, seat, catalog, closed, level: undefined }
  // One that connects again by itself never says so.
  yield* Effect.forkScoped(Effect.andThen(client.disconnected, Effect.suspend(() => lines.discard(line))))
  return line
})

/** Fails where the server does not answer any more. An answer of any kind is a sign of life. @internal */
export const check = (client: McpClient): Effect.Effect<void, McpConnectError> => {
  const { features, serverServes } = RevisionCodec.of(client.protocolVersion)
  const asked = serverServes("ping") ? client.ping : features.metaEnvelope ? client.discover : Effect.void
  return Effect.catch(Effect.asVoid(asked), (error) => isOfLine(error) ? Effect.fail(error) : Effect.void)
}
