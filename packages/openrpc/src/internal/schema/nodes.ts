/**
 * Representations as trees of nodes, and the references between them.
 */
import type * as Representation from "effect/SchemaRepresentation"
import { isObject, mapValues } from "./subschemas.ts"

type Node = Representation.Representation
type Document = Representation.MultiDocument

/** Changes every node, from within. @internal */
export const mapNodes = (
  document: Document,
  change: (node: Node) => Node
): Document => {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner)
    if (!isObject(value)) return value
    const mapped = mapValues(
      value,
      (member, name) => name === "annotations" || name === "payload" ? member : inner(member)
    )
    // Only representations have a tag of these, and mapping keeps their shape.
    return typeof value["_tag"] === "string" && !checks.has(value["_tag"]) ? change(mapped as unknown as Node) : mapped
  }
  return {
    // As many as there were, and each what it was.
    representations: document.representations.map(inner) as unknown as Document["representations"],
    // Likewise.
    references: mapValues(document.references, inner) as Document["references"]
  }
}

const checks = new Set(["Filter", "FilterGroup"])

/** What a node refers to, in the order in which it does. @internal */
export const referencesOf = (node: Node): ReadonlySet<string> => {
  const found = new Set<string>()
  mapNodes({ representations: [node], references: {} }, (inner) => {
    if (inner._tag === "Reference") found.add(inner.$ref)
    return inner
  })
  return found
}

/** With other names, and without what no root needs. @internal */
export const rename = (document: Document, nameOf: (name: string) => string): Document => {
  const names = new Map<string, string>()
  const visit = (node: Node): void => {
    for (const name of referencesOf(node)) {
      const target = document.references[name]
      if (names.has(name) || target === undefined) continue
      names.set(name, nameOf(name))
      visit(target)
    }
  }
  document.representations.forEach(visit)
  const needed = Object.entries(document.references).filter(([name]) => names.has(name))
  const { references, representations } = mapNodes(
    { ...document, references: Object.fromEntries(needed) },
    (node) => node._tag === "Reference" ? { ...node, $ref: names.get(node.$ref) ?? node.$ref } : node
  )
  return {
    representations,
    references: Object.fromEntries(Object.entries(references).map(([name, node]) => [names.get(name) ?? name, node]))
  }
}
