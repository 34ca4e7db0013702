/** The goal of a search: schemas that a value fits, and schemas that it does not. */
import type * as Schema from "effect/Schema"
import { nodeOf, type SchemaNode } from "./SchemaNode.ts"

/** Schemas that a value has to fit, and others that it must not fit. */
export interface Goal {
  readonly fits: ReadonlyArray<SchemaNode>
  readonly misfits: ReadonlyArray<SchemaNode>
}

/** A value that does so, a proof that there is none, or why nobody knows. */
export type Answer =
  | { readonly _tag: "Found"; readonly value: Schema.Json }
  | { readonly _tag: "None" }
  | { readonly _tag: "Unknown"; readonly why: string }

export const none: Answer = { _tag: "None" }

export const found = (value: Schema.Json): Answer => ({ _tag: "Found", value })

export const unknown = (why: string): Answer => ({ _tag: "Unknown", why })

/** The first answer that has a value; else a proof only if all of them are one. */
export const first = <A>(items: Iterable<A>, answerOf: (item: A) => Answer): Answer => {
  let doubt: Answer = none
  for (const item of items) {
    const answer = answerOf(item)
    if (answer._tag === "Found") return answer
    if (answer._tag === "Unknown") doubt = answer
  }
  return doubt
}

export const both = (one: Goal, other: Goal): Goal => ({
  fits: [...one.fits, ...other.fits],
  misfits: [...one.misfits, ...other.misfits]
})

/** Any value. */
export const anything: Goal = { fits: [], misfits: [] }

export const fitting = (...fits: ReadonlyArray<SchemaNode>): Goal => ({ fits, misfits: [] })

export const misfitting = (...misfits: ReadonlyArray<SchemaNode>): Goal => ({ fits: [], misfits })

/** A schema that nothing in a document says. */
export const made = (schema: Schema.Json): SchemaNode => {
  const text = JSON.stringify(schema)
  let node = known.get(text)
  if (node === undefined) {
    node = nodeOf(schema)
    if (known.size < mostKept) known.set(text, node)
  }
  return node
}

/** Schemas that are made again are the same node, so that what is known of them is found. */
const known = new Map<string, SchemaNode>()

const mostKept = 10_000
