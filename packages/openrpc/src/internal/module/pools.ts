/**
 * What a module gathers before it can name it, and what it has to tell.
 */
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Code, Objects, Representation } from "effect/SchemaRepresentation"
import type { JsonSchema } from "../description/descriptor.ts"
import type * as Pool from "../pool.ts"

/** JSON Schemas become representations, and these code. @internal */
export interface Pools {
  readonly schemas: Pool.Pool<Located, Representation>
  readonly codes: Pool.Pool<Representation, Code>
  /** What a representation is, where it is a reference. */
  readonly resolve: (representation: Representation) => Representation
  /** Whether JSON fits, and what of it a Schema looks at. */
  readonly match: (representation: Representation, json: unknown) => Result.Result<Schema.Json, string>
  /** The name of a class of errors with these fields, whose code is an object literal. */
  readonly errorClass: (tag: string, fields: Objects, code: string) => string
}

/** A JSON Schema, and where it stands. @internal */
export interface Located {
  readonly schema: JsonSchema
  readonly path: ReadonlyArray<string>
}

/** What a reader of the module should know. @internal */
export interface Notice {
  readonly path: string
  readonly issue: string
}

/** Code once representations are known, and then once codes are. @internal */
export type Later<A> = () => () => A
