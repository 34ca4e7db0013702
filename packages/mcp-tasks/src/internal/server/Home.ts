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

/** The option of a tool that `McpTasks.optional` and `McpTasks.required` make. */
export interface TaskOption {
  readonly support: "optional" | "required"
  /**
   * Whether a task may run again from its start, in another process, where the one that ran it has ended. Answers of its
   * client and the results of `memo` are kept for it. `false` by default: such a task fails.
   */
  readonly resumable?: boolean | undefined
  /**
   * Lets the handler begin within the request, in the modern era, where it can ask questions before there is a task. The
   * call becomes a task at `call.detach`. `false` by default: every call is a task from the start.
   */
  readonly startAfterInput?: boolean | undefined
  /** How long its tasks are kept, from their creation. The default is that of `McpTasks`. */
  readonly ttl?: Duration.Input | undefined
  /** How long clients should wait before they ask again. The default is that of `McpTasks`. */
  readonly pollInterval?: Duration.Input | undefined
}
