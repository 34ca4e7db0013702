/**
 * One server behind a bridge, which is reached again when it is gone.
 */
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { ClientCapabilities } from "@parley/mcp/payload/Capabilities"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Watch } from "../../tap/Watch.ts"
import { printableLine } from "../../terminal/output.ts"
import { version } from "../../terminal/version.ts"
import type { Wire } from "../../wire/Wire.ts"
import * as reach from "../reach.ts"
import type { Behind } from "./Bridge.ts"
import { of as nameOf } from "./name.ts"
import type { Narrator } from "./Narrator.ts"
import * as processes from "./processes.ts"
import * as reasons from "./reasons.ts"

export interface Options {
  readonly wire: Wire
  /** Whether all calls are of one client. */
  readonly isSole: boolean
  readonly narrator: Narrator
  /** Whether the server is reached for the first client, and not before. */
  readonly isLazy?: boolean
  /** Whether clients without a session may be of people who do not trust each other: then they share no process. */
  readonly isOpen?: boolean
  /** Sees what passes to the server. */
  readonly watch?: Watch | undefined
}

/** Calls of one client that may wait for its answers at once, and connections of one party: a bridge has one caller or few. */
const most = 1_024

/** Over stdio, each is a process. */
export const mostConnections = 64

/** How long a call may take. Its client knows better how long it waits, and cancels what takes longer. */
const longestCall = Duration.days(1)

/** Milliseconds after which people are told that a server has not answered yet. */
const longSilence = 5_000

/** What people are told then. */
export const silent = `the server has not answered for ${longSilence / 1_000} seconds: still waiting`

/** Tells people after a while of a server that is still silent then. */
export const tellingSilence = (narrator: Narrator, isSilent: () => boolean): Effect.Effect<void> =>
  Effect.andThen(Effect.sleep(longSilence), Effect.suspend(() => isSilent() ? narrator.say(silent) : Effect.void))

/** The options that all bridges have in common. */
export const common = {
  client: { name: "parley", version },
  budget: { deadline: longestCall },
  waiting: most,
  waitingPerPrincipal: most
} as const

/** What a bridge hears of the connections to its server. */
export interface Hearing extends Omit<processes.Options, "onStart"> {
  readonly narrator: Narrator
  /** Sees what passes to the server. */
  readonly watch?: Watch | undefined
}

/** Makes clients of the server for a bridge, with what its tools may need. Each may have a process of its own. */
export const clientOf = (
  wire: Wire,
  { narrator, onEnd, watch, ...options }: Hearing
): McpUpstream.BridgeOptions["connect"] =>
(own) =>
  Effect.suspend(() => {
    let starts = 0
    let hasShaken = false
    const start = processes.starting(wire, {
      ...options,
      onStart: Effect.suspend(() => {
        if (starts++ === 0) return Effect.void
        // Some servers end at the first message of a newer client.
        return narrator.say(
          hasShaken ? "the server is started again" : "starting it once more, as a client of an older revision"
        )
      }),
      // Without a handshake, the attempt to connect says why it has failed.
      onEnd: (why) => hasShaken ? onEnd(why) : Effect.void
    })
    return reach.clientOf(wire, { start, watch })({
      ...own,
      // A server of 2025-11-25 may have tools that are called as tasks only.
      extensions: [...own.extensions ?? [], TaskClient.use()]
    }).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          hasShaken = true
        })
      ),
      Effect.catchTag("TransportError", (error) => Effect.fail(reasons.unopened(error)))
    )
  })

/** Reaches the server until the Scope closes: at once, or when its only client has said what it can be asked. */
export const make = (
  { isLazy = false, isOpen = false, isSole, narrator, watch, wire }: Options
): Effect.Effect<Behind, never, Scope.Scope> =>
  Effect.gen(function*() {
    const name = nameOf(wire)
    const first = Deferred.makeUnsafe<ClientCapabilities>()
    let identity: Behind["identity"] = () => undefined
    let wasReached = false
    const reaching = clientOf(wire, {
      narrator,
      watch,
      onEnd: (why) => narrator.say(`the server has ended: ${why}`),
      onStray: narrator.stray
    })
    const scope = yield* Effect.scope
    /** Whether people have been told of a silence since the server was reached. */
    let hasTold = false
    /** How many attempts have ended. */
    let ends = 0
    /** Tells people of a server that has not shaken hands, or not given its lists, after a while. */
    const connect: typeof reaching = (own) =>
      Effect.suspend(() => {
        let isConnecting = true
        const before = ends
        const silence = tellingSilence(narrator, () => {
          const isStill = isConnecting || (before === ends && upstream.isAway?.() === true)
          if (hasTold || !isStill) return false
          return hasTold = true
        })
        return Effect.andThen(
          Effect.forkIn(silence, scope),
          Effect.ensuring(
            reaching(own),
            Effect.sync(() => {
              isConnecting = false
            })
          )
        )
      })
    const upstream = yield* McpUpstream.bridge({
      ...common,
      name,
      connect: isLazy ? (own) => Effect.andThen(Deferred.await(first), connect(own)) : connect,
      connectionsPerPrincipal: mostConnections,
      isProcess: wire.endpoint._tag === "Command" && !isOpen,
      sole: isSole ? Deferred.await(first) : undefined,
      onState: (state) => {
        if (state._tag === "Unlisted") return narrator.say(unlisted(state, name))
        ends++
        if (state._tag === "Away") {
          if (!state.isNew) return Effect.void
          const why = reasons.of(state.cause, name)
          return narrator.say(wasReached ? `the server is gone: ${why}` : `the server cannot be reached: ${why}`)
        }
        const sentence = `${wasReached ? "the server is back" : "the server is reached"}: ${introduction(state)}`
        wasReached = true
        hasTold = false
        const { serverInfo } = state
        if (serverInfo !== undefined) identity = () => serverInfo
        return narrator.say(sentence)
      }
    })
    if (!isLazy) {
      yield* narrator.say(isSole ? `connecting to ${name} when the client has said hello` : `connecting to ${name}`)
    }
    return {
      name,
      source: upstream,
      identity: () => identity(),
      instructions: upstream.instructions,
      away: () => {
        const cause = upstream.cause()
        if (cause !== undefined) return reasons.of(cause, name)
        return wasReached ? undefined : "it has not answered yet"
      },
      settled: upstream.again,
      met: (capabilities) => void Deferred.doneUnsafe(first, Effect.succeed(capabilities)),
      during: Effect.mapError((error) => reasons.explained(error, name))
    }
  })

/** A list that a server does not give, as a sentence. */
export const unlisted = (
  { cause, method }: Extract<McpUpstream.UpstreamState, { readonly _tag: "Unlisted" }>,
  name: string
): string =>
  `a list stays as it was: ${cause === undefined ? `${method} has not been answered yet` : reasons.of(cause, name)}`

/** What a server says of itself, in one line. */
export const introduction = (
  { features, protocolVersion, serverInfo }: Extract<McpUpstream.UpstreamState, { readonly _tag: "Reached" }>
): string => {
  const tools = features.filter(({ _tag, listed }) => _tag === "McpTool" && listed !== false).length
  const named = serverInfo === undefined ? "a server without a name" : `${serverInfo.name} ${serverInfo.version}`
  return printableLine(`${named}, MCP ${protocolVersion}, ${tools === 1 ? "1 tool" : `${tools} tools`}`)
}
