/**
 * The rules for one server behind a gateway, in one record: who may call it, which of its features are offered, what was
 * approved, how people are told who asks, and how much may be asked of it. They are looked at in one place, before the
 * server is called.
 *
 * - A call that lacks a scope fails with -31001, over HTTP with status 403.
 * - A call beyond the budget fails at once with -31000, and waits for nothing.
 * - While the breaker is open, calls fail with -31003, and the server is left alone.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { McpUpstream, type Policy } from "@parley/mcp-gateway"
 * import { Effect } from "effect"
 *
 * const policy: Policy.Policy = {
 *   label: "Clock in the hall",
 *   tools: { deny: ["set_*"], scopes: { now: ["time:read"] } },
 *   budget: { ratePerPrincipal: { limit: 1, window: "1 minute" }, breaker: { failures: 5, cooldown: "30 seconds" } }
 * }
 *
 * const program = Effect.gen(function*() {
 *   const now = McpTool.make("now", {}, () => Effect.succeed("noon"))
 *   const clock = yield* McpServer.make({ name: "clock", version: "1.0.0", features: [now] })
 *   const server = yield* McpUpstream.server({
 *     name: "clock",
 *     connect: (options) => Effect.provideService(McpMemoryClient.make(options), McpServer.McpServer, clock),
 *     ...policy
 *   })
 *   const client = yield* Effect.provideService(
 *     McpMemoryClient.make({ name: "me", version: "1.0.0" }),
 *     McpServer.McpServer,
 *     server
 *   )
 *   yield* client.callTool("now")
 *   console.log((yield* Effect.flip(client.callTool("now"))).message)
 *   // => tools/call (id 3) was answered with error -31000: No more than 1 calls of the server clock in 60 s for one caller: try again in 60 s
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type { Kind, Pins } from "./Pins.ts"

/**
 * The tools of a server that are offered, by their names in that server. A name that ends with `*` stands for all names
 * with this beginning.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolRules {
  /** The tools that are offered. All, by default. */
  readonly allow?: ReadonlyArray<string> | undefined
  /** The tools that are not offered, whatever `allow` says. */
  readonly deny?: ReadonlyArray<string> | undefined
  /** The scopes that calls of these tools need, beside those of the server: all that stand behind a name that fits. */
  readonly scopes?: { readonly [tool: string]: ReadonlyArray<string> } | undefined
}

/**
 * So many calls in a time. Unused ones come back one after the other, evenly over the time.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rate {
  readonly limit: number
  readonly window: Duration.Input
}

/**
 * The bounds of the calls of a server: of tools, prompts, resources and completions. There are none by default.
 *
 * @category models
 * @since 0.1.0
 */
export interface Budget {
  /** The most calls at once. */
  readonly calls?: number | undefined
  /** The most calls at once of one party. Callers without a principal together leave as many free for those with one. */
  readonly callsPerPrincipal?: number | undefined
  /** The calls in a time. */
  readonly rate?: Rate | undefined
  /** The calls of one principal in a time. Callers without a principal count as one. */
  readonly ratePerPrincipal?: Rate | undefined
  /** How long the server may take for a request, however much progress it reports, and clients' answers not counted. */
  readonly deadline?: Duration.Input | undefined
  /**
   * Leaves the server alone for the time `cooldown` when so many calls in a row have found it failing. Where `credentials` are
   * those of users, the calls of each principal count by themselves.
   */
  readonly breaker?: { readonly failures: number; readonly cooldown: Duration.Input } | undefined
}

/**
 * The rules for one server.
 *
 * @category models
 * @since 0.1.0
 */
export interface Policy {
  /**
   * The owner of the credentials that the server is sent. `"service"`, the default: those that `connect` knows, for all
   * callers. `"user"`: each user's own, which `logins` of the gateway get. `"none"`: no credentials; it says so in the status.
   */
  readonly credentials?: "service" | "user" | "none" | undefined
  /** The name by which people are told who asks. The default is the name of the server. */
  readonly label?: string | undefined
  /** The scopes that each use of the server needs, all of them. None, by default. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The tools that are offered, and the scopes that they need. All tools, by default. */
  readonly tools?: ToolRules | undefined
  /** The approved definitions: all else that the server says is refused. Without it, all of it is approved. */
  readonly pins?: Pins | undefined
  /** The bounds of its calls. None, by default. */
  readonly budget?: Budget | undefined
}

/**
 * Something of a server that is not offered, and why.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusal {
  readonly kind: Kind
  /** The name of a tool or prompt, a URI or a template of URIs, as the server has it; empty for instructions. */
  readonly name: string
  /** The rules of the configuration, the pins that do not have it, or the pins that have it otherwise. */
  readonly reason: "rules" | "unapproved" | "changed"
}

/**
 * Something that is not offered, and the reason in words.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unoffered {
  readonly kind: Kind
  readonly name: string
  /** The reason of the `Refusal`; `taken` where a server before lists the URI. */
  readonly why: Refusal["reason"] | "taken"
  readonly reason: string
}

/**
 * The state of a server behind a gateway, in the resource `gateway://status`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerStatus {
  readonly name: string
  readonly label: string
  readonly credentials: "service" | "user" | "none"
  /** Whether it can be reached; absent where each user has connections of their own. */
  readonly isReached?: boolean | undefined
  /** How many calls of it run. */
  readonly calls: number
  readonly unoffered: ReadonlyArray<Unoffered>
}
