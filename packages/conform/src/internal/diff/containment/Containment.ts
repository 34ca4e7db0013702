/**
 * Whether all values that one side sends are values that the other accepts: a proof, a value that is none, or why nobody
 * knows.
 *
 * A schema that names the members of an object and says nothing of others is open: it accepts any. Whoever sends such
 * objects has no others to send. Hence what is sent is taken as closed, and what is accepted as open, unless the comparison
 * is strict: a member that is new and optional would else break everybody who might have sent something of its name.
 */
import type { Answer } from "./Goal.ts"
import type { SchemaDocument, SchemaNode } from "./SchemaNode.ts"
import { Solver } from "./Solver.ts"

/** Compares the schemas of a sender's document, and remembers what it has found out of their parts. */
export class Containment {
  readonly #solver: Solver

  constructor(sender: SchemaDocument, isStrict = false) {
    this.#solver = new Solver(isStrict ? undefined : sender)
  }

  /** A value that fits all of `sent` and not `accepted`; `None` is the proof that there is none. */
  counterexample(sent: ReadonlyArray<SchemaNode>, accepted: SchemaNode): Answer {
    return this.#solver.ask({ fits: sent, misfits: [accepted] })
  }

  /** A value that fits all of them. */
  example(...sent: ReadonlyArray<SchemaNode>): Answer {
    return this.#solver.ask({ fits: sent, misfits: [] })
  }

  /** Whether schemas say the same, word for word. */
  areEqual(a: SchemaNode, b: SchemaNode): boolean {
    return this.#solver.equality.areEqual(a, b)
  }
}
