/** A contract whose subscriptions give what a test wants, and how that looks on the wire. */
import type { Router } from "@parley/peer"
import { Effect, type Layer, Schema } from "effect"
import { Contract, Method, Subscription } from "../../src/index.ts"
import { notification, parsed, request, settle, type Wire } from "../wire.ts"

export class Gone extends Schema.TaggedError<Gone>()("Gone", { since: Schema.Finite }) {}

export const carrier = Subscription.notifications({ notification: "watched", close: "unwatch" })

export const Feed = Contract.make("Feed", {
  watch: Subscription.make({ params: { of: Schema.String }, item: Schema.Date, errors: { 410: Gone }, carrier }),
  read: Subscription.make({ params: { of: Schema.String }, item: Schema.Date, errors: { 410: Gone } }),
  ping: Method.make({ result: Schema.String })
})

export type Handlers = Contract.Handlers<Contract.MembersOf<typeof Feed>>
export type Given = ReturnType<Handlers["watch"]>

/** A feed whose handlers give this, which needs no more than a Scope. */
export const giving = (given: () => Given) => {
  const handlers: Handlers = { watch: given, read: given, ping: () => Effect.succeed("pong") }
  return Feed.toLayer(handlers) as Layer.Layer<never, Router.MethodTaken, Router.Router>
}

export const dates = (...times: ReadonlyArray<number>) => times.map((time) => new Date(time))

export const iso = (time: number) => new Date(time).toISOString()

export const watch = (id: number) => request(id, "watch", { of: "a" })

export const read = (id: number, token?: string) => request(id, "read", { of: "a", partialResultToken: token })

export const watched = (id: string, members: object) =>
  parsed(notification("watched", { subscription: id, ...members }))

export const partial = (...times: ReadonlyArray<number>) =>
  parsed(notification("$/progress", { token: "t", value: times.map(iso) }))

export const heard = (wire: Wire) => Effect.as(settle, wire.received)

/** What a stream acquires and what its handler does, and what of it is released. */
export const counting = () => {
  const counts = { acquired: 0, released: 0 }
  const acquire = Effect.acquireRelease(
    Effect.sync(() => void counts.acquired++),
    () => Effect.sync(() => void counts.released++)
  )
  return { counts, acquire }
}
