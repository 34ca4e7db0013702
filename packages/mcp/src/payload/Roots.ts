/**
 * The roots of a client: the places that it works in.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import type { Root } from "@parley/mcp/payload/Roots"
 * import { Effect } from "effect"
 *
 * const where = McpTool.make(
 *   "where",
 *   { description: "Where you work." },
 *   (_, call) => Effect.map(call.listRoots(), (roots) => roots.map(({ uri }) => uri))
 * )
 *
 * const home: Root = { uri: "file:///home/ada", name: "Home" }
 *
 * const program = Effect.gen(function*() {
 *   const handlers = { roots: Effect.succeed([home]) }
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0", handlers })
 *   console.log((yield* client.callTool("where")).content) // => [ { type: 'text', text: 'file:///home/ada' } ]
 * })
 *
 * const server = McpServer.layer({ name: "files", version: "1.0.0", features: [where] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { since } from "../internal/wire/History.ts"
import { Meta } from "./Content.ts"

/** A place the client works in: a `file:` URI. @category models @since 0.1.0 */
export const Root = Schema.Struct({
  uri: Schema.String,
  name: Schema.optionalKey(Schema.String),
  _meta: since("2025-06-18", Meta)
})

/** @category models @since 0.1.0 */
export type Root = typeof Root.Type

/** The places the client works in. @category models @since 0.1.0 */
export const RootsResult = Schema.Struct({ roots: Schema.Array(Root), _meta: Schema.optionalKey(Meta) })

/** @category models @since 0.1.0 */
export type RootsResult = typeof RootsResult.Type
