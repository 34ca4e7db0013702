/**
 * The place where the tasks of a server run, and the option of a tool whose calls they are.
 */
import type { Journal } from "@parley/mesh/Journal"
import type * as Duration from "effect/Duration"
import type * as Scope from "effect/Scope"

export interface Home {
  /** The store of the states of tasks. */
  readonly journal: Journal
  /** The bounds of tasks. */
  readonly bounds: Bounds
  /** Tasks run in it: when it closes, those that run are interrupted, and their states say so. */
  readonly scope: Scope.Scope
}

type Bound =
  | "kept"
  | "keptPerPrincipal"
  | "lease"
  | "maxTtl"
  | "pollInterval"
  | "resultSize"
  | "running"
  | "runningPerPrincipal"
  | "ttl"

/** Bounds with their defaults; times are milliseconds. */
export type Bounds = Readonly<Record<Bound, number>>

/** What `McpTasks.optional` and `McpTasks.required` say. @internal */
export interface TaskOption {
  readonly support: "optional" | "required"
  readonly resumable?: boolean | undefined
  readonly startAfterInput?: boolean | undefined
  readonly ttl?: Duration.Input | undefined
  readonly pollInterval?: Duration.Input | undefined
}
