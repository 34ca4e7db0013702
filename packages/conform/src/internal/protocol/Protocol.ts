/**
 * The protocol of a server, as the suites need it: how a conversation is opened, where the protocol differs from plain
 * JSON-RPC, what can be called, and the suites that only servers of this protocol have.
 */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { NotApplicable, Suite, Unverified } from "../../Suite.ts"
import type { Target } from "../../Target.ts"
import type { Line } from "../probe/Line.ts"
import type { Patience } from "../probe/Patience.ts"

/** The answer to a call of an operation. */
export type Called =
  /** It was accepted. `value` is what the declared result describes, where there is any. */
  | { readonly _tag: "Accepted"; readonly value: Schema.Json | undefined }
  /** It was refused as the protocol refuses arguments that do not fit. */
  | { readonly _tag: "Refused"; readonly message: string }
  /** It failed in another way. */
  | { readonly _tag: "Failed"; readonly code: number | undefined; readonly message: string }

/** Something that can be called, with what it declares. */
export interface Operation {
  readonly name: string
  /** The JSON Schema of its arguments, an object by name. */
  readonly input: Schema.JsonObject
  /** The JSON Schema of what it returns, where it declares one. */
  readonly output: Schema.Json | undefined
  /** Whether it says that it changes nothing. */
  readonly isReadOnly: boolean
  /** The values that it gives as examples. */
  readonly examples: ReadonlyArray<Schema.JsonObject>
  /** Calls it with arguments that may not fit. */
  readonly call: (line: Line, input: Schema.JsonObject) => Effect.Effect<Called, Unverified>
}

/** How the protocol uses JSON-RPC, where that is left to it. */
export interface Usage {
  readonly batches: boolean
  /** Whether params may be an array. */
  readonly positional: boolean
  /** Whether a request may have the id null. */
  readonly nullIds: boolean
  /** Whether an id may be a number with a fraction. */
  readonly fractions: boolean
  /** How a text whose id cannot be read is answered: with the id null, without an id, or not at all. */
  readonly unreadable: "null" | "omit" | "silent"
}

/** A request that changes nothing and succeeds. */
export interface Harmless {
  readonly method: string
  readonly params?: Schema.Json | undefined
}

/** A protocol that a server speaks. */
export interface Spoken {
  readonly name: "jsonrpc" | "openrpc" | "mcp"
  /** The protocol, its revision and the name of the server. */
  readonly title: string
  readonly usage: Usage
  /** Opens a conversation in which methods can be called. */
  readonly open: Effect.Effect<Line, NotApplicable | Unverified, Scope.Scope>
  /** Requests that change nothing and succeed. */
  readonly harmless: ReadonlyArray<Harmless>
  readonly operations: Effect.Effect<ReadonlyArray<Operation>, NotApplicable | Unverified, Scope.Scope>
  /** Its own suites. */
  readonly suites: ReadonlyArray<Suite<Run>>
}

/** The options of a run. */
export interface Asked {
  /** Makes the same values again. */
  readonly seed: number
  readonly patience: Patience
  /** Whether operations that may change something are called. */
  readonly write: boolean
  /** Whether probes may be large and many. */
  readonly aggressive: boolean
}

/** The run, as every suite is given it. */
export interface Run extends Asked {
  readonly target: Target
  readonly spoken: Spoken
  /** A conversation that rules share, opened again where it has ended. */
  readonly shared: Effect.Effect<Line, NotApplicable | Unverified>
  /** Ends that conversation, because the server says nothing more in it. */
  readonly renew: Effect.Effect<void>
  /** Looks at a conversation that a suite has opened in its own way, too. */
  readonly watch: (line: Line) => Effect.Effect<void, never, Scope.Scope>
  /** The texts that the server has sent in all conversations so far, those that came first where they are too many. */
  readonly seen: () => ReadonlyArray<string>
}
