/** The search for values, as its parts know it. */
import type { Equality } from "./equality.ts"
import type { Answer, Goal } from "./Goal.ts"
import type { SchemaDocument, SchemaNode } from "./SchemaNode.ts"

/** Looks for values of goals. */
export interface Solving {
  readonly equality: Equality
  /**
   * The document of whoever sends the values, where its objects have no members but those that it speaks of, unless it says
   * that there are others.
   */
  readonly sender: SchemaDocument | undefined
  /** A value, as a part of an answer. */
  readonly solve: (goal: Goal) => Answer
  /** Whether no value fits both. */
  readonly areDisjoint: (one: SchemaNode, other: SchemaNode) => boolean
  /** Counts a schema that is looked at. */
  readonly work: () => void
}
