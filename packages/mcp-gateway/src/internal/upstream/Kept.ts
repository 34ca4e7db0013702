/** The parts of an upstream that the one in its place takes over. */
import type * as Scope from "effect/Scope"
import { Room } from "./calls/Backlog.ts"
import type { Running } from "./calls/Running.ts"
import { Links } from "./Links.ts"

/** @internal */
export interface Kept {
  /** The life of these parts. */
  readonly scope: Scope.Scope
  /** The calls whose clients may come back with answers. */
  readonly calls: Map<string, Running>
  readonly links: Links
  /** The room of the calls, of all users. */
  readonly room: Room
}

/** The parts of the first upstream in a place. @internal */
export const make = (scope: Scope.Scope): Kept => ({ scope, calls: new Map(), links: new Links(), room: new Room() })
