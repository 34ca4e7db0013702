/** The contracts of a chat: its methods, and the notifications that it sends. docs/how-to/push-to-clients.md explains it. */
import { Contract, Method, Notification } from "@parley/contract"
import { Authentication } from "@parley/middleware"
import { Schema } from "effect"

export class Denied extends Schema.TaggedError<Denied>()("Denied", {}) {}
export class NotHere extends Schema.TaggedError<NotHere>()("NotHere", { name: Schema.String }) {}

/** The methods that anybody may call. */
export class Door extends Contract.make("Door", {
  login: Method.make({ params: { token: Schema.String }, errors: { 4001: Denied } })
}) {}

/** The methods that need a user. */
export class Chat extends Contract.make("Chat", {
  join: Method.make({ result: Schema.Array(Schema.String) }),
  enter: Method.make({ params: { room: Schema.String } }),
  say: Method.make({ params: { room: Schema.String, text: Schema.String } }),
  tell: Method.make({ params: { to: Schema.String, text: Schema.String }, errors: { 4004: NotHere } })
}, { errors: Authentication.errors }) {}

/** The notifications that the server pushes. */
export class Events extends Contract.make("Events", {
  said: Notification.make({ params: { room: Schema.String, from: Schema.String, text: Schema.String } }),
  told: Notification.make({ params: { from: Schema.String, text: Schema.String } }),
  presence: Notification.make({ params: { name: Schema.String, isHere: Schema.Boolean } })
}) {}
