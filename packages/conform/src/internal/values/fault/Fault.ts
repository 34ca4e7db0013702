/** What breaks one keyword of a schema at one place of a value. */
import type * as Schema from "effect/Schema"
import type { Demand } from "../Demands.ts"
import type { World } from "../World.ts"

/** Something that stands at a place in the stead of the value there. */
export interface Fault {
  /** The keyword that it is to break. */
  readonly keyword: string
  readonly value: Schema.Json
  /** The member or item that is wrong or missing, where it is not the value itself. */
  readonly at?: string | number
}

/** A place of a value that fits: the value there, and what it has to fit. */
export interface Spot {
  readonly world: World
  readonly value: Schema.Json
  readonly demands: ReadonlyArray<Demand>
}
