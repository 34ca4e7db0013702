/**
 * The error between this program and a NATS server, whose reason tells what to do.
 *
 * ```ts run
 * import { NatsClient } from "@parley/nats"
 * import { Effect } from "effect"
 *
 * export const publish = (text: string) =>
 *   Effect.flatMap(NatsClient.NatsClient, (client) => client.publish("greetings", text)).pipe(
 *     Effect.catchReason("NatsError", "Full", () => Effect.logWarning("the server is slow; a text was dropped"))
 *   )
 *
 * console.log(new NatsClient.NatsError({ subject: "bank", reason: { _tag: "Nobody" } }).message)
 * // => NATS at bank: nobody hears it
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt, Stackless } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * The reasons of a `NatsError`.
 *
 * - `Unreachable`: no server took the connection.
 * - `Unauthorized`: the server refuses who we are, in its words.
 * - `Forbidden`: the server refuses a subject to this user, in its words.
 * - `Disconnected`: the connection is away, and is sought again. Nothing was sent, or it is not known what became of it.
 * - `Closed`: this side has closed the connection.
 * - `Nobody`: no subscription hears the subject. A server without JetStream answers so, too.
 * - `TimedOut`: no answer came in so many milliseconds.
 * - `Full`: so many bytes are under way to the server, as many as the limit `pending` allows. Nothing was sent.
 * - `TooLarge`: so many bytes are more than the server takes in one message. Nothing was sent.
 * - `Refused`: JetStream has answered with the code and the text of an error.
 * - `Invalid`: the options or a subject are wrong, or the server answers what cannot be understood.
 *
 * @category models
 * @since 0.1.0
 */
export const Reason = Schema.Union([
  Schema.TaggedStruct("Unreachable", { detail: Schema.String }),
  Schema.TaggedStruct("Unauthorized", { detail: Schema.String }),
  Schema.TaggedStruct("Forbidden", { detail: Schema.String }),
  Schema.TaggedStruct("Disconnected", {}),
  Schema.TaggedStruct("Closed", {}),
  Schema.TaggedStruct("Nobody", {}),
  Schema.TaggedStruct("TimedOut", { milliseconds: Schema.Finite }),
  Schema.TaggedStruct("Full", { pending: Schema.Int }),
  Schema.TaggedStruct("TooLarge", { bytes: Schema.Int, most: Schema.Int }),
  Schema.TaggedStruct("Refused", { code: Schema.Int, detail: Schema.String }),
  Schema.TaggedStruct("Invalid", { detail: Schema.String })
])

/** @category models @since 0.1.0 */
export type Reason = typeof Reason.Type

/**
 * NATS did not do what it was asked.
 *
 * @category errors
 * @since 0.1.0
 */
export class NatsError extends Stackless.stackless(
  Schema.TaggedError<NatsError>()("NatsError", {
    /** The subject, or the servers. */
    subject: Schema.String,
    reason: Reason
  })
) {
  override get message(): string {
    return `NATS at ${Excerpt.line(this.subject)}: ${describe(this.reason)}`
  }
}

/**
 * A reason in words.
 *
 * @category accessors
 * @since 0.1.0
 */
export const describe = (reason: Reason): string => {
  switch (reason._tag) {
    case "Unreachable":
      return `no server can be reached: ${Excerpt.line(reason.detail)}`
    case "Unauthorized":
      return `the server refuses the credentials: ${Excerpt.line(reason.detail)}`
    case "Forbidden":
      return `the server forbids it to this user: ${Excerpt.line(reason.detail)}`
    case "Disconnected":
      return "the connection is away"
    case "Closed":
      return "the connection was closed by this side"
    case "Nobody":
      return "nobody hears it"
    case "TimedOut":
      return `no answer came in ${reason.milliseconds} ms`
    case "Full":
      return `the limit \`pending\` of ${reason.pending} bytes is under way to the server`
    case "TooLarge":
      return `${reason.bytes} bytes are more than the ${reason.most} that the server takes in one message`
    case "Refused":
      return `JetStream refuses it: ${Excerpt.line(reason.detail)} (${reason.code})`
    case "Invalid":
      return Excerpt.line(reason.detail)
  }
}
