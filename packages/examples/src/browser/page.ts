/**
 * A page that talks to a server over a WebSocket, connecting again when it is lost, and to its worker.
 *
 * `?server=ws://…` names the server. Every button is a call, every output what came of it.
 */
import * as Peer from "@parley/peer/Peer"
import * as Reconnecting from "@parley/peer/Reconnecting"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { Desk, dialect } from "./Desk.ts"

const show = (id: string, value: unknown) =>
  Effect.sync(() => {
    const output = document.getElementById(id)
    if (output !== null) output.textContent = typeof value === "string" ? value : JSON.stringify(value)
  })

/** A click starts a fiber that runs beside the others. */
const onClick = (id: string, effect: Effect.Effect<unknown>) =>
  Effect.sync(() => document.getElementById(id)?.addEventListener("click", () => Effect.runFork(effect)))

type Client = ReturnType<typeof Desk.client>

/** The buttons and outputs of one side. */
const desk = (name: string, client: Client) =>
  Effect.gen(function*() {
    let pondering: Fiber.Fiber<unknown, unknown> | undefined
    const told = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
      Effect.flatMap(Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: (value) => value }), (value) =>
        show(`${name}-result`, value))
    yield* onClick(`${name}-add`, told(client.add({ left: 2, right: 3 })))
    yield* onClick(
      `${name}-ponder`,
      Effect.sync(() => {
        pondering = Effect.runFork(told(client.ponder()))
      })
    )
    yield* onClick(
      `${name}-give-up`,
      Effect.suspend(() =>
        pondering === undefined ? Effect.void : Fiber.interrupt(pondering)
      )
    )
  })

const program = Effect.gen(function*() {
  const url = new URLSearchParams(location.search).get("server") ?? "ws://127.0.0.1:4000"

  const server = yield* Reconnecting.make({ open: WebSocketTransport.make({ url }), dialect })
  yield* Effect.forkScoped(
    Stream.runForEach(
      server.changes,
      (state) => show("state", state._tag === "Connected" ? `Connected ${state.connection}` : state._tag)
    )
  )
  const remote = Desk.client(server)
  yield* desk("server", remote)
  const items: Array<string> = []
  yield* Effect.forkScoped(
    Stream.runForEach(Reconnecting.resume(server)(remote.count()), (item) => {
      items.push(Reconnecting.isGap(item) ? "gap" : String(item))
      return show("server-items", items.join(" "))
    })
  )

  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })
  const near = Desk.client(yield* Peer.make(yield* MessagePortTransport.make(worker), { dialect }))
  yield* desk("worker", near)
  yield* Effect.forkScoped(Stream.runForEach(near.count(), (pondering) => show("worker-items", pondering)))

  return yield* Effect.never
})

Effect.runFork(Effect.scoped(Effect.provide(program, Socket.layerWebSocketConstructorGlobal)))
