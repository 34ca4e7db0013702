/** The page of the chat: it runs in a browser, and in Node.js as well. */
import { Reconnecting, Router } from "@parley/peer"
import { WebSocketTransport } from "@parley/transport"
import { Effect, Layer } from "effect"
import { Socket } from "effect/socket"
import { Chat, Events } from "./contract.ts"

/** The chat of one user in one room, whose events become lines. */
export const chat = (url: string, token: string, room: string, show: (line: string) => void) => {
  const events = Events.toLayer({
    said: ({ from, text }) => Effect.sync(() => show(`${from}: ${text}`)),
    told: ({ from, text }) => Effect.sync(() => show(`${from} whispers: ${text}`)),
    presence: ({ isHere, name }) => Effect.sync(() => show(`${name} ${isHere ? "is here" : "has left"}`))
  })
  const connection = Layer.unwrap(Effect.map(Router.Router, (router) =>
    Reconnecting.layer({
      router,
      open: WebSocketTransport.make({ url, protocols: ["chat", `bearer.${token}`] }),
      onConnect: (peer) => Effect.andThen(Chat.client(peer).join(), Chat.client(peer).enter({ room }))
    })))
  return Chat.layerClient().pipe(
    Layer.provide(connection),
    Layer.provide([Router.layer(events), Socket.layerWebSocketConstructorGlobal])
  )
}
