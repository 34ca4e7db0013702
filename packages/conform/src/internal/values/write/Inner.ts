/** What the writers of values share. */
import type * as References from "@parley/json-schema/References"
import type * as Schema from "effect/Schema"
import type { Choices } from "../Choices.ts"
import type { Demand } from "../Demands.ts"
import type { World } from "../World.ts"

/** A part of a value, and what it had to fit. */
export interface Part {
  readonly path: ReadonlyArray<string | number>
  readonly demands: ReadonlyArray<Demand>
}

/** What writers of arrays and objects use to write what is in them. */
export interface Inner {
  readonly world: World
  readonly choices: Choices
  /** Whether what may be left out is left out. */
  readonly isDeep: boolean
  /** Writes a member or an item. `by` makes another one. */
  readonly write: (places: ReadonlyArray<References.Place>, key: string | number, by: number) => Schema.Json | undefined
  /** Writes the name of a member. */
  readonly writeName: (places: ReadonlyArray<References.Place>, by: number) => string | undefined
}
