/** The server of the chat, over TCP and WebSockets. */
import { Authentication } from "@parley/middleware"
import { NodeTcp, NodeWebSocket } from "@parley/node"
import { Broadcast, Router } from "@parley/peer"
import { Handshake } from "@parley/transport"
import { Context, Effect, Layer, Stream } from "effect"
import { Chat, Denied, Door, Events, NotHere } from "./contract.ts"

class User extends Context.Service<User, { readonly name: string }>()("User") {}

const tokens = new Map([["t-ada", { name: "ada" }], ["t-bob", { name: "bob" }]])
const userOf = (token: string) => Effect.mapError(Effect.fromNullishOr(tokens.get(token)), () => new Denied())

const DoorLive = Door.toLayer({
  login: ({ token }) => Effect.flatMap(userOf(token), (user) => Authentication.logIn(User, user, user.name))
})

const ChatLive = Chat.toLayer(
  Effect.gen(function*() {
    const everyone = yield* Broadcast.make<string>({ slow: "disconnect" })
    const presence = Stream.runForEach(
      everyone.changes,
      ({ _tag, recipient }) =>
        Effect.ignore(Events.notifier(everyone).presence({ name: recipient.value, isHere: _tag === "Joined" }))
    )
    yield* Effect.forkScoped(presence)

    return Chat.of({
      join: Effect.fnUntraced(function*(_, call) {
        const { name } = yield* User
        const me = yield* Effect.orDie(everyone.join(call, name))
        yield* me.enter(`user ${name}`)
        return (yield* everyone.recipients).map(({ value }) => value)
      }),
      enter: ({ room }, call) =>
        Effect.ignore(
          Effect.flatMap(Effect.fromOption(everyone.recipientOf(call)), ({ enter }) => enter(`room ${room}`))
        ),
      say: ({ room, text }) =>
        Effect.flatMap(
          User,
          ({ name: from }) => Effect.orDie(Events.notifier(everyone.in(`room ${room}`)).said({ room, from, text }))
        ),
      tell: Effect.fnUntraced(function*({ text, to }) {
        const group = everyone.in(`user ${to}`)
        if ((yield* group.size) === 0) return yield* new NotHere({ name: to })
        yield* Effect.orDie(Events.notifier(group).told({ from: (yield* User).name, text }))
      })
    })
  }),
  Authentication.principal(User)
)

const authorize = Handshake.authorize(User, (head) => {
  const token = Handshake.protocolsOf(head).find((name) => name.startsWith("bearer."))?.slice(7) ?? ""
  return Effect.mapError(userOf(token), () => Handshake.unauthenticated("Bearer"))
})

/** Both wires serve one router, and so one broadcast. */
export const server = (ports: { readonly tcp: number; readonly ws: number }, page: string) =>
  Layer.mergeAll(
    NodeTcp.layerServer({ port: ports.tcp }),
    NodeWebSocket.layerServer({ port: ports.ws, authorize, protocols: ["chat"], access: { origins: [page] } })
  ).pipe(Layer.provide(Router.layer(Layer.merge(DoorLive, ChatLive))))
