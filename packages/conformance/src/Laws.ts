/**
 * The promises of JSON-RPC 2.0 as laws for any implementation: of a server, a caller, a transport, a framing, a codec, a
 * journal, an engine of a mesh.
 *
 * A law is a value with a name and a check, which succeeds, or fails with the smallest counterexample that it found. It
 * needs no test runner, and runs in any.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const laws = Laws.ofTransport({ name: "mine", open: MemoryTransport.makePair() }, { runs: 1 })
 *
 * // A test runner has a test for each.
 * await Effect.runPromise(laws[0]!.check)
 * console.log(laws[0]?.name) // => mine: texts arrive in order, each once
 * ```
 *
 * @since 0.1.0
 */
export { type Called, ofCaller } from "./internal/laws/CallingLaws.ts"
export { type Correlated, ofCorrelator } from "./internal/laws/CorrelatorLaws.ts"
export { type Journals, ofJournal } from "./internal/laws/JournalLaws.ts"
export { forAll, type Law, LawBroken, type Verdict } from "./internal/laws/Law.ts"
export {
  type Connect,
  type Cut,
  type Engines,
  ofEngine,
  ofNodes,
  type Out,
  type Outage,
  type Timing
} from "./internal/laws/MeshLaws.ts"
export { ofReconnecting, type Reconnected } from "./internal/laws/ReconnectingLaws.ts"
export { type Answering, type HalfOpen, ofHost, ofServer, type Served } from "./internal/laws/ServingLaws.ts"
export {
  type Cycling,
  type Loss,
  ofByteTransport,
  ofCycles,
  ofTransport,
  ofWrapping,
  type OnWire,
  type Pair,
  type Patient,
  type TransportLawsOptions,
  type Wire,
  wrapped
} from "./internal/laws/TransportLaws.ts"
export type { Codec } from "./shared/Codec.ts"
export { all as ofCodec } from "./shared/CodecLaws.ts"
export { messages as ofMessageFraming, streams as ofFraming } from "./shared/FramingLaws.ts"
