/**
 * Representations as TypeScript: one export per reference, and an expression per
 * root. Effect writes the code; here are the names, their order and the lines.
 */
import * as Representation from "effect/SchemaRepresentation"
import type * as Names from "../code/names.ts"
import { comment, layout } from "../code/source.ts"
import { referencesOf, rename } from "../schema/nodes.ts"

/** @internal */
export interface Written {
  /** Per root. */
  readonly codes: ReadonlyArray<Representation.Code>
  /** The references, each after those that it needs. */
  readonly declarations: string
  /** How long the type of each is about, when the compiler writes it with all that it needs. */
  readonly lengths: ReadonlyMap<string, number>
}

/** @internal */
export const write = (document: Representation.MultiDocument, names: Names.Names): Written => {
  const renamed = rename(document, names.take)
  const { codes, references } = Representation.toCodeDocument(renamed)
  const recursive = new Set(Object.keys(references.recursives))
  const code = new Map([
    ...references.nonRecursives.map(({ $ref, code }) => [$ref, code] as const),
    ...Object.entries(references.recursives)
  ])
  const needs = new Map(Object.entries(renamed.references).map(([name, node]) => [name, referencesOf(node)]))
  const circular = closure(recursive, needs)
  // Between two that are recursive Effect writes a reference that is looked up later.
  const ordered = order(needs, (from, to) => !(recursive.has(from) && recursive.has(to)))
  const lengths = new Map<string, number>()
  for (const name of ordered) {
    // One that leads to itself has a type with a name.
    const needed = circular.has(name) ? [] : [...needs.get(name) ?? []]
    const own = code.get(name)?.runtime.length ?? 0
    lengths.set(name, needed.reduce((sum, other) => sum + (lengths.get(other) ?? 0), own))
  }
  return {
    codes,
    lengths,
    declarations: ordered.map((name) => {
      const { runtime, Type } = code.get(name) ?? Representation.makeCode("Schema.Never", "never")
      const alias = circular.has(name) ? layout(`export type ${name} = ${Type}`) : aliasOf(name)
      return `${commentOf(renamed.references[name])}export const ${name} = ${
        layout(runtime, "", `export const ${name} = `.length)
      }\n${alias}\n`
    }).join("\n")
  }
}

const aliasOf = (name: string): string => {
  const line = `export type ${name} = typeof ${name}.Type`
  return line.length <= 120 ? line : line.replace(" = ", " =\n  ")
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Those, and all that need one of them. */
const closure = (start: ReadonlySet<string>, needs: Graph): ReadonlySet<string> => {
  const found = new Set(start)
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const [name, needed] of needs) if ([...needed].some((other) => found.has(other))) found.add(name)
  }
  return found
}

const order = (needs: Graph, counts: (from: string, to: string) => boolean): ReadonlyArray<string> => {
  const ordered = new Set<string>()
  const visiting = new Set<string>()
  const visit = (name: string): void => {
    if (ordered.has(name) || visiting.has(name)) return
    visiting.add(name)
    for (const needed of needs.get(name) ?? []) if (counts(name, needed)) visit(needed)
    ordered.add(name)
  }
  for (const name of needs.keys()) visit(name)
  return [...ordered]
}

const commentOf = (node: Representation.Representation | undefined): string => {
  const annotations = node === undefined || node._tag === "Reference" ? {} : node.annotations ?? {}
  const { description, title } = annotations
  return comment([
    typeof title === "string" ? title : undefined,
    typeof description === "string" ? description : undefined
  ])
}
