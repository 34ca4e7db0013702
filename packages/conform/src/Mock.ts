/**
 * Serves what was recorded, or what a document or a contract describes, in place of a server: to many clients, over any
 * wire.
 *
 * A request is looked for by its method and params; ids, tokens, times and places that you name may differ. Where it is
 * not found, the recorded request of that method which is most like it is answered, and `unmatched` tells so, with what
 * differs. A request that comes more often than it was recorded has its last answer again. What the server sent and asked
 * by itself comes in its place: behind what the client had done before it.
 *
 * ```ts run
 * import { Mock, Recording } from "@parley/conform"
 * import { Peer } from "@parley/peer"
 * import { Effect, Layer } from "effect"
 *
 * const recording = Recording.fromText(`
 * {"time":"2026-01-31T12:34:57.000Z","connection":1,"direction":"sent","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"add\\",\\"params\\":[1,2]}"}
 * {"time":"2026-01-31T12:34:57.050Z","connection":1,"direction":"received","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":3}"}`)
 *
 * const program = Effect.gen(function*() {
 *   const peer = yield* Peer.Peer
 *   console.log(yield* peer.request("add", [1, 2])) // => 3
 *   console.log(yield* peer.request("add", [1, 5])) // => 3
 *   for (const { nearest } of yield* Mock.unmatched) console.log(nearest?.differences)
 *   // => [ { pointer: '/params/1', recorded: 2, came: 5 } ]
 * }).pipe(Effect.provide(Peer.layer().pipe(Layer.provideMerge(Mock.layer(recording)))))
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import type * as Contract from "@parley/contract/Contract"
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as connection from "./internal/mock/connection.ts"
import { Described } from "./internal/mock/Described.ts"
import { type Delay, type Fault, Faults } from "./internal/mock/Fault.ts"
import * as http from "./internal/mock/http/endpoint.ts"
import { Source as Conversations, withoutHttp } from "./internal/mock/Source.ts"
import * as textual from "./internal/mock/texts.ts"
import { type Unmatched, UnmatchedTexts } from "./internal/mock/Unmatched.ts"
import type { Recording } from "./Recording.ts"

export type { Delay, Effect as FaultEffect, Fault } from "./internal/mock/Fault.ts"

export { differencesOf, type Unmatched } from "./internal/mock/Unmatched.ts"

export type { Difference } from "./internal/recording/difference.ts"

/**
 * How a mock answers.
 *
 * @category models
 * @since 0.1.0
 */
export interface MockOptions {
  /**
   * Places of texts that may differ, as pointers such as `/params/clientInfo/version`, where `*` is any one name; and
   * methods, whose params may differ.
   */
  readonly ignore?: ReadonlyArray<string> | undefined
  /** Whether pauses are as long as they were recorded. By default none is longer than 5 milliseconds. */
  readonly pace?: boolean | undefined
  /** Answers that go wrong. */
  readonly faults?: ReadonlyArray<Fault> | undefined
  /** Answers that come late. */
  readonly delays?: ReadonlyArray<Delay> | undefined
  /**
   * Messages of the server that came behind a text of the client wait for that text. A client that sends it later than
   * this, or never, gets the answers to its requests before. 100 milliseconds by default.
   */
  readonly patience?: Duration.Input | undefined
  /** Chooses among the values that fit, where a document has no examples. 1 by default. */
  readonly seed?: number | undefined
}

/**
 * The source of a mock: a recording; or an OpenRPC document, a contract or a protocol, whose methods it answers with the
 * examples of the document, else with values that fit.
 *
 * @category models
 * @since 0.1.0
 */
export type Source = Recording | OpenRpc.Document | Contract.Any | OpenRpc.AnyPair

/**
 * Stands in for a server.
 *
 * @category services
 * @since 0.1.0
 */
export interface Mock {
  /** Serves one connection until it ends. */
  readonly serve: (transport: Transport) => Effect.Effect<void, never, Scope.Scope>
  /** Serves requests of HTTP. */
  readonly endpoint: HttpEndpoint
  /** The texts that were not found as they are, up to a thousand of them, with up to 8 Mi characters. */
  readonly unmatched: Effect.Effect<ReadonlyArray<Unmatched>>
  /** How many such texts there were. */
  readonly unmatchedCount: Effect.Effect<number>
}

/** The service of a `Mock`. @category services @since 0.1.0 */
export const Mock: Context.Service<Mock, Mock> = Context.Service("@parley/conform/Mock")

/**
 * The texts that were not found as they are.
 *
 * @category accessors
 * @since 0.1.0
 */
export const unmatched: Effect.Effect<ReadonlyArray<Unmatched>, never, Mock> = Effect.flatMap(
  Mock,
  ({ unmatched }) => unmatched
)

/**
 * Makes a mock.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  source: Source,
  { delays = [], faults = [], ignore = [], pace = false, patience = 100, seed = 1 }: MockOptions = {}
): Effect.fn.Return<Mock, never, Scope.Scope> {
  const common = {
    faults: new Faults(faults, delays),
    unmatched: new UnmatchedTexts(),
    patience: Duration.fromInputUnsafe(patience),
    pace
  }
  let connections = 0
  const told = {
    unmatched: Effect.sync(() => common.unmatched.texts),
    unmatchedCount: Effect.sync(() => common.unmatched.count)
  }
  if (!("conversations" in source)) {
    const described = { ...common, described: new Described(documentOf(source), seed) }
    return {
      serve: (transport) => textual.serve(transport, ++connections, described),
      endpoint: textual.endpoint(described, () => ++connections),
      ...told
    }
  }
  const { conversations } = source
  const plain = new Conversations(conversations.map(withoutHttp), ignore)
  return {
    serve: (transport) => connection.serve(transport, ++connections, { ...common, source: plain }),
    endpoint: yield* http.make({ ...common, source: new Conversations(conversations, ignore) }, () => ++connections),
    ...told
  }
})

const documentOf = (source: Exclude<Source, Recording>): OpenRpc.Document =>
  "openrpc" in source ? source : "members" in source ? OpenRpc.fromContract(source) : OpenRpc.fromPair(source)

/**
 * A mock, and a connection to it. A new one at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (source: Source, options?: MockOptions): Layer.Layer<Mock | Transport> =>
  Layer.effectContext(Effect.gen(function*() {
    const mock = yield* make(source, options)
    const [near, far] = yield* MemoryTransport.makePair()
    yield* Effect.forkScoped(Effect.scoped(mock.serve(far)))
    return Context.make(Mock, mock).pipe(Context.add(Transport, near))
  }))
