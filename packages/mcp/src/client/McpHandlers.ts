/**
 * The handlers of a client for the questions of a server: for input of a person, for a
 * model's message, for the roots.
 *
 * The client declares the capabilities for which it has handlers. The same handlers
 * answer requests of the legacy era and rounds of the modern one.
 *
 * ```ts run
 * import { type McpHandlers, McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { Effect, Schema } from "effect"
 *
 * const handlers: McpHandlers.McpHandlers = {
 *   elicit: ({ message }) => {
 *     console.log(message) // => Who are you?
 *     return Effect.succeed({ action: "accept", content: { name: "Ada" } })
 *   }
 * }
 *
 * const greet = McpTool.make("greet", { description: "Greets you." }, (_, call) =>
 *   Effect.map(
 *     call.elicit("name", { message: "Who are you?", fields: { name: Schema.String } }),
 *     (answer) => answer._tag === "Accepted" ? `Hello, ${answer.content.name}` : "Hello"
 *   ))
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0", handlers })
 *   console.log((yield* client.callTool("greet")).content) // => [ { type: 'text', text: 'Hello, Ada' } ]
 * })
 *
 * const server = McpServer.layer({ name: "greeter", version: "1.0.0", features: [greet] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ElicitForm, ElicitResult, ElicitUrl } from "../payload/Elicitation.ts"
import type { LogParams } from "../payload/Requests.ts"
import type { Root } from "../payload/Roots.ts"
import type { SampleRequest, SampleResult } from "../payload/Sampling.ts"

/**
 * Handlers of what a server may ask for. What they fail with is the error that the server sees in the legacy era; in the
 * modern one the call that asked fails with `InputRefused`.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpHandlers<R = never> {
  /** Asks a model for the next message. */
  readonly sample?: ((request: SampleRequest) => Effect.Effect<SampleResult, ErrorResponse, R>) | undefined
  /** The parts of a request that `sample` takes beside plain messages. None by default. */
  readonly sampling?: {
    /** It takes `tools` and `toolChoice`. */
    readonly tools?: boolean | undefined
    /** It takes an `includeContext` other than none. */
    readonly context?: boolean | undefined
  } | undefined
  /**
   * Asks a person to fill in a form. What an accepted answer leaves out is taken from the defaults of the requested
   * schema, and the answer must fit it, unless `isVerbatim`.
   */
  readonly elicit?: ((form: ElicitForm) => Effect.Effect<ElicitResult, ErrorResponse, R>) | undefined
  /** Asks a person whether to open a page. Its answer is consent, not what is done there. */
  readonly elicitUrl?: ((ask: ElicitUrl) => Effect.Effect<ElicitResult, ErrorResponse, R>) | undefined
  /** Hears that a person is done at a URL that `elicitUrl` was asked for with this `elicitationId`. */
  readonly elicitComplete?: ((elicitationId: string) => Effect.Effect<void, never, R>) | undefined
  /** Whether answers go to the server unchecked, for a gateway that passes on those of others. `false` by default. */
  readonly isVerbatim?: boolean | undefined
  /** Takes what the server logs. Without it, log messages go to our own log. */
  readonly log?: ((message: LogParams) => Effect.Effect<void, never, R>) | undefined
  /** The folders and files that the server may know of. Read anew each time the server asks. */
  readonly roots?: Effect.Effect<ReadonlyArray<Root>, ErrorResponse, R> | undefined
}

/**
 * The services that handlers require.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements<H extends McpHandlers<unknown>> = {
  readonly [name in keyof H]-?: RequirementsOf<H[name]>
}[keyof H]

type RequirementsOf<A> = A extends Effect.Effect<unknown, unknown, infer R> ? R
  : A extends (...args: never) => Effect.Effect<unknown, unknown, infer R> ? R
  : never

/**
 * The key of the question that a handler answers now, where the question is an input request of the modern era: one result
 * may ask several.
 *
 * @category references
 * @since 0.1.0
 */
export const AskedKey: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "@parley/mcp/client/AskedKey",
  { defaultValue: () => undefined }
)
