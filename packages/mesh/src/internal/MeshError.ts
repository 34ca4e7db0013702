/**
 * The errors between nodes. They tell whether a text may be sent again: after `NoOwner`, `Overloaded`, and `OwnerGone` with
 * `sent: false`, no node has taken it. After `OwnerGone` with `sent: true` a node may have taken it.
 *
 * ```ts run
 * import { Mesh } from "@parley/mesh"
 * import { Effect } from "effect"
 *
 * // Sends an idempotent text, and tries again unless no node owns the key.
 * export const tell = (key: string, text: string) =>
 *   Effect.flatMap(Mesh.Mesh, (mesh) => mesh.send({ key }, text)).pipe(
 *     Effect.retry({ times: 3, while: ({ _tag }) => _tag !== "NoOwner" })
 *   )
 *
 * console.log(new Mesh.NoOwner({ key: "session/1" }).message)
 * // => no node takes what is sent to session/1: nobody owns or serves it
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt, Stackless } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * No node owns the key, or no other node serves the name. The text was not taken.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoOwner extends Stackless.stackless(
  Schema.TaggedError<NoOwner>()("NoOwner", {
    /** The key or the name. */
    key: Schema.String
  })
) {
  override get message(): string {
    return `no node takes what is sent to ${Excerpt.line(this.key)}: nobody owns or serves it`
  }
}

/**
 * The node that was sent a text has ended, or cannot be reached any more. `sent` tells whether the text had been handed
 * to the engine: then it may have been taken, and only what is idempotent may be sent again.
 *
 * @category errors
 * @since 0.1.0
 */
export class OwnerGone extends Stackless.stackless(
  Schema.TaggedError<OwnerGone>()("OwnerGone", {
    /** The key or the name. */
    key: Schema.String,
    /** The node that is gone. */
    node: Schema.String,
    /** Whether the text had been handed to the engine. */
    sent: Schema.Boolean
  })
) {
  override get message(): string {
    const { key, node, sent } = this
    return `the node ${Excerpt.line(node)}, which took what is sent to ${Excerpt.line(key)}, is gone; the text was ${
      sent ? "sent, and may have been taken" : "not sent"
    }`
  }
}

/**
 * There is no room, or the engine cannot be reached. Nothing was taken; it may be tried again later.
 *
 * @category errors
 * @since 0.1.0
 */
export class Overloaded extends Stackless.stackless(
  Schema.TaggedError<Overloaded>()("Overloaded", {
    /** The key or the name. */
    key: Schema.String,
    /** Why nothing is taken now, in words. */
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${Excerpt.line(this.key)} takes nothing now: ${Excerpt.line(this.reason)}`
  }
}

/**
 * Another claim holds the key.
 *
 * @category errors
 * @since 0.1.0
 */
export class Claimed extends Stackless.stackless(
  Schema.TaggedError<Claimed>()("Claimed", {
    key: Schema.String,
    /** The node that holds it. */
    owner: Schema.String
  })
) {
  override get message(): string {
    return `${Excerpt.line(this.key)} cannot be claimed: the node ${Excerpt.line(this.owner)} owns it`
  }
}

/**
 * A newer owner of the key has written: what carries an older epoch is refused.
 *
 * @category errors
 * @since 0.1.0
 */
export class Fenced extends Stackless.stackless(
  Schema.TaggedError<Fenced>()("Fenced", {
    key: Schema.String,
    /** The epoch that was refused. */
    epoch: Schema.Finite,
    /** The newest that the journal has seen. */
    newest: Schema.Finite
  })
) {
  override get message(): string {
    const { epoch, key, newest } = this
    return `${
      Excerpt.line(key)
    } was not written with the epoch ${epoch}: an owner with the epoch ${newest} has followed`
  }
}
