/**
 * The elements of streams of changes: what has changed, and where changes may have
 * been missed.
 *
 * ```ts
 * import { McpClient } from "@parley/mcp"
 * import type { Resumed, Subscribed, Updated } from "@parley/mcp/client/McpEvent"
 * import { Console, Effect, Stream } from "effect"
 *
 * const why = (event: Subscribed | Updated | Resumed): string => {
 *   if (event._tag === "Updated") return `${event.uri} has changed`
 *   return event._tag === "Resumed" ? `changes may be missing: ${event.reason}` : "the first reading"
 * }
 *
 * // Reads a resource now, and again each time that it has changed, or may have.
 * export const follow = (uri: string) =>
 *   Effect.flatMap(
 *     McpClient.McpClient,
 *     (client) =>
 *       Stream.runForEach(client.subscribe(uri), (event) =>
 *         Effect.flatMap(client.readResource(uri), ({ contents }) => Console.log(why(event), contents)))
 *   )
 * ```
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import * as Data from "effect/Data"

/**
 * A resource has changed. Its uri may be below the one that was subscribed to.
 *
 * @category models
 * @since 0.1.0
 */
export class Updated extends Data.TaggedClass("Updated")<{ readonly uri: string }> {}

/**
 * A list has changed.
 *
 * @category models
 * @since 0.1.0
 */
export class ListChanged
  extends Data.TaggedClass("ListChanged")<{ readonly list: "tools" | "prompts" | "resources" }>
{}

/**
 * The first element of a stream of changes: from now on changes arrive. A reader that keeps a copy reads the original
 * now.
 *
 * @category models
 * @since 0.1.0
 */
export class Subscribed extends Data.TaggedClass("Subscribed")<{}> {}

/**
 * Stands in a stream of changes where some may have been missed. The session expired or the subscription ended, and it
 * was made again; or more came than was taken (`Overrun`).
 *
 * @category models
 * @since 0.1.0
 */
export class Resumed extends Data.TaggedClass("Resumed")<{
  readonly reason: "SessionExpired" | "Ended" | "Overrun"
}> {}

/**
 * A notification of an extension, as it came.
 *
 * @category models
 * @since 0.1.0
 */
export class Notified
  extends Data.TaggedClass("Notified")<{ readonly method: string; readonly params: Message.Params | undefined }>
{}
