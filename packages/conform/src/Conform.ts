/**
 * Looks whether a running server keeps its specifications: finds out what it speaks, and runs the suites of rules that
 * apply.
 *
 * ```ts run
 * import { Conform, Report } from "@parley/conform"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Logger } from "effect"
 *
 * const connect = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Peer.make(far, { router: yield* Router.make() })
 *   return near
 * })
 *
 * const report = await Conform.run(
 *   { _tag: "Duplex", name: "mine", connect, isProcess: false },
 *   { protocol: "jsonrpc", only: ["jsonrpc/parse-error", "jsonrpc/batch-empty"] }
 * ).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise)
 *
 * console.log(Report.summaryOf(report)) // => 2 passed, 0 failed
 * ```
 *
 * @since 0.1.0
 */
import type * as OpenRpc from "@parley/openrpc/OpenRpc"
import type { Params } from "@parley/protocol/Message"
import { Excerpt } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Patience from "./internal/probe/Patience.ts"
import * as discovery from "./internal/protocol/discovery.ts"
import type { Run } from "./internal/protocol/Protocol.ts"
import * as Ahead from "./internal/run/Ahead.ts"
import { run as runSuites } from "./internal/run/run.ts"
import { framing } from "./internal/suites/framing/suite.ts"
import { jsonrpc } from "./internal/suites/jsonrpc/suite.ts"
import { leaksSuite } from "./internal/suites/leaks/suite.ts"
import * as mcp from "./internal/suites/mcp/suite.ts"
import { bounds as robustnessBounds, robustness } from "./internal/suites/robustness/suite.ts"
import { schema } from "./internal/suites/schema/suite.ts"
import { stateful } from "./internal/suites/stateful/suite.ts"
import type { Report, RuleResult } from "./Report.ts"
import type { RuleInfo, Suite } from "./Suite.ts"
import type { Target } from "./Target.ts"

/**
 * The name of a protocol that a server speaks.
 *
 * @category models
 * @since 0.1.0
 */
export type ProtocolName = discovery.ProtocolName

/**
 * The options of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConformOptions {
  /** The protocol that the server speaks. By default it is found out. */
  readonly protocol?: ProtocolName | undefined
  /** Makes the same values again. 1 by default. */
  readonly seed?: number | undefined
  /** Rules to run, by their ids or beginnings of them, such as `mcp` or `jsonrpc/batch`. All by default. */
  readonly only?: ReadonlyArray<string> | undefined
  /** Rules to leave out, likewise. */
  readonly skip?: ReadonlyArray<string> | undefined
  /** How long an answer may take. 5 seconds by default. */
  readonly timeout?: Duration.Input | undefined
  /** Whether operations are called that do not say that they only read. */
  readonly write?: boolean | undefined
  /** Whether probes may be large and many. */
  readonly aggressive?: boolean | undefined
  /** The methods of the server, where it does not say so itself by `rpc.discover`. */
  readonly document?: OpenRpc.Document | undefined
  /** Calls that may be made, of a server that nothing describes. */
  readonly methods?: ReadonlyArray<GivenCall> | undefined
  /** Is told each result as soon as it is there. */
  readonly onResult?: ((result: RuleResult, done: number, all: number) => Effect.Effect<void>) | undefined
}

/**
 * A call that changes nothing and succeeds.
 *
 * @category models
 * @since 0.1.0
 */
export interface GivenCall {
  readonly method: string
  readonly params?: Params | undefined
}

const suites: ReadonlyArray<Suite<Run>> = [jsonrpc, framing, schema, stateful, robustness]

const all = [...suites, mcp.info, leaksSuite]

/**
 * The id, level, section and title of each rule, in the order in which they run.
 *
 * @category accessors
 * @since 0.1.0
 */
export const rules: ReadonlyArray<RuleInfo & { readonly suite: string }> = all.flatMap(({ name, rules }) =>
  rules.map(({ id, level, section, title }) => ({ suite: name, id, level, section, title }))
)

/**
 * The subject of each suite, by its name.
 *
 * @category accessors
 * @since 0.1.0
 */
export const suiteTitles: ReadonlyMap<string, string> = new Map(all.map(({ name, title }) => [name, title]))

/**
 * How large and how many the messages of a run are at most, in words: none where its rules send few and small ones.
 *
 * @category accessors
 * @since 0.1.0
 */
export const bounds = ({ aggressive = false, ...chosen }: ConformOptions): ReadonlyArray<string> =>
  robustnessBounds(aggressive, isChosen(chosen))

/**
 * Tells whether one of the names is a rule, its suite, or a beginning of it up to a `-`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isNamed = (names: ReadonlyArray<string>, id: string): boolean =>
  names.some((name) => id === name || id.startsWith(`${name}/`) || id.startsWith(`${name}-`))

/** A server that has said what it speaks within this time starts fast enough. */
const soon = Duration.millis(1_500)

const isChosen = ({ only, skip = [] }: Pick<ConformOptions, "only" | "skip">) => (id: string): boolean =>
  (only === undefined || isNamed(only, id)) && !isNamed(skip, id)

/**
 * The server cannot be reached, or answers nothing.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { reason: Schema.String }) {
  override get message(): string {
    return `the server cannot be reached: ${Excerpt.line(this.reason)}`
  }
}

/**
 * Runs the suites against an endpoint.
 *
 * @category running
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function*(
  target: Target,
  {
    aggressive = false,
    document,
    methods = [],
    only,
    onResult = () => Effect.void,
    protocol,
    seed = 1,
    skip,
    timeout = 5_000,
    write = false
  }: ConformOptions = {}
): Effect.fn.Return<Report, Unreachable, Scope.Scope> {
  const patience = Patience.make(Duration.fromInputUnsafe(timeout), Duration.millis(100))
  const ahead = yield* Ahead.make(target)
  const [taken, spoken] = yield* Effect.timed(Effect.mapError(
    discovery.find(ahead.target, { patience, protocol, document, methods, mcpSuites: (found) => [mcp.suiteOf(found)] }),
    ({ reason }) => new Unreachable({ reason })
  ))
  if (Duration.isGreaterThan(taken, soon)) yield* ahead.begin
  const results = yield* runSuites(
    ahead.target,
    spoken,
    // The leaks come last: they look at what all others have seen.
    [...suites, ...spoken.suites, leaksSuite],
    { seed, patience, write, aggressive },
    { has: isChosen({ only, skip }) },
    onResult
  )
  return { endpoint: target.name, protocol: spoken.title, seed, results, unexpected: [] }
})
