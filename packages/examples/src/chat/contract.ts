/** What a chat may be asked, and what it tells. docs/how-to/push-to-clients.md explains it. */
import { Contract, Method, Notification } from "@parley/contract"
import { Authentication } from "@parley/middleware"
import { Schema } from "effect"

export class Denied extends Schema.TaggedError<Denied>()("Denied", {}) {}
export class NotHere extends Schema.TaggedError<NotHere>()("NotHere", { name: Schema.String }) {}

/** What anybody may call. */
export class Door extends Contract.make("Door", {
  login: Method.make({ params: { token: Schema.String }, errors: { 4001: Denied } })
}) {}

/** What needs a user. */
export class Chat extends Contract.make("Chat", {
  join: Method.make({ result: Schema.Array(Schema.String) }),
  enter: Method.make({ params: { room: Schema.String } }),
  say: Method.make({ params: { room: Schema.String, text: Schema.String } }),
  tell: Method.make({ params: { to: Schema.String, text: Schema.String }, errors: { 4004: NotHere } })
}, { errors: Authentication.errors }) {}

/** What the server pushes. */
export class Events extends Contract.make("Events", {
  said: Notification.make({ params: { room: Schema.String, from: Schema.String, text: Schema.String } }),
  told: Notification.make({ params: { from: Schema.String, text: Schema.String } }),
  presence: Notification.make({ params: { name: Schema.String, isHere: Schema.Boolean } })
}) {}
