/**
 * A link over a connection to NATS: the subjects of a conversation, and what the connection tells about it.
 *
 * Each side has a subject of its own, below which it listens: `data` for packets of the other side, and `beat`. It names one
 * of them as the reply of each packet that it sends, where the server answers with the status 503 when nobody has
 * heard the packet.
 */
import type { Msg } from "@nats-io/transport-node"
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as FramedTransport from "@parley/transport/FramedTransport"
import { Budget } from "@parley/transport/shared"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { NatsClient } from "../../NatsClient.ts"
import * as OpenError from "../OpenError.ts"
import * as Status from "../Status.ts"
import { window } from "./Inbox.ts"
import { Link, type Patience } from "./Link.ts"
import * as Packet from "./Packet.ts"

/** How a conversation is kept, on either side. */
export interface Options {
  readonly keepAlive?:
    | { readonly interval?: Duration.Input | undefined; readonly timeout?: Duration.Input | undefined }
    | undefined
  readonly limits?: Partial<Limits.Limits> | undefined
}

/** The subject on which clients begin conversations. */
export const doorOf = (subject: string): string => `${subject}.conversation`

const nobody = "nobody listens to it any more"

/** Well below the minutes after which a server of NATS gives up a silent client. */
const usual = { interval: "10 seconds", timeout: "20 seconds" } as const

/** The times of these options. */
const patienceOf = ({ keepAlive }: Options): Patience => ({
  interval: Math.min(
    Packet.longestBeat,
    Math.max(1, Math.ceil(Duration.toMillis(keepAlive?.interval ?? usual.interval)))
  ),
  timeout: Duration.toMillis(keepAlive?.timeout ?? usual.timeout)
})

/** The subject of the other side, and what it has told about itself. */
export interface Other {
  readonly subject: string
  readonly hello: Packet.Hello
}

/** The line of one side. */
export interface Line {
  /** Tells the other side about this one, at the subject where it listens. */
  readonly greet: (subject: string) => Effect.Effect<void, TransportError>
  /** Begins the conversation. Packets may come from the next turn on. */
  readonly begin: (other: Other) => Link
  /** The transport over a link that has begun, closed with the Scope. */
  readonly transport: (link: Link) => Effect.Effect<Transport, never, Scope.Scope>
}

/** Listens on a subject of our own, until the Scope closes. `onGreeting` gets the messages before the conversation begins. */
export const make = Effect.fnUntraced(function*(
  client: NatsClient,
  options: Options,
  onGreeting: (message: Msg) => void
): Effect.fn.Return<Line, TransportError, Scope.Scope> {
  const patience = patienceOf(options)
  const limits = Limits.make(options.limits)
  const budget = yield* Budget.Budget
  const inbox = Status.newInbox()
  const own = `${inbox}.data`
  const clock = yield* Clock.Clock
  const scope = yield* Scope.fork(yield* Effect.scope)
  const fork = Effect.runForkWith(yield* Effect.context())
  const greeting = Packet.hello({ version: 1, window, beat: patience.interval })
  let link: Link | undefined
  const take = (message: Msg) => {
    if (link === undefined) return onGreeting(message)
    if (Status.isNobody(message)) return message.subject === own ? link.lose(nobody) : link.miss(nobody)
    // The bytes are those of a buffer that is used again.
    link.take(message.data.slice())
  }
  yield* client.subscribe(`${inbox}.*`, take).pipe(Effect.mapError(OpenError.make), Scope.provide(scope))
  yield* Scope.provide(
    client.watch((state) => {
      if (state === "connected") link?.resume()
      else if (state === "closed") link?.lose("the connection to NATS was closed")
    }),
    scope
  )
  return {
    greet: (subject) => Effect.mapError(client.publish(subject, greeting, { reply: own }), OpenError.make),
    begin: ({ hello, subject }) => {
      const begun = link = new Link({
        hello,
        patience,
        budget,
        clock,
        wire: {
          publish: (packet, isBeat) =>
            client.connection.publish(subject, packet, { reply: isBeat ? `${inbox}.beat` : own }),
          largest: () => client.server().maxPayload,
          isUp: () => client.state() === "connected",
          release: () => fork(Scope.close(scope, Exit.void))
        }
      })
      fork(Scope.provide(client.watchForbidden(subject, ({ message }) => begun.lose(message)), scope))
      return begun
    },
    transport: (link) => Effect.tap(transportOf(link, limits), () => Effect.forkScoped(link.beating))
  }
})

/** Not framed for its users: which framing is inside of the packets is no choice of theirs. */
export const transportOf = (
  { bytes }: Pick<Link, "bytes">,
  limits?: Partial<Limits.Limits>
): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.map(FramedTransport.fromBytes(bytes, { framing: Framing.contentLength, limits }), (transport) => ({
    ...transport,
    framing: undefined,
    receive: Effect.suspend(() => transport.receive)
  }))
