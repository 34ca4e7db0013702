/**
 * Representations as Schemas that run, and what has to fit them.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Representation from "effect/SchemaRepresentation"
import { mapNodes, referencesOf } from "../schema/nodes.ts"
import * as Pattern from "../schema/pattern.ts"
import { mapValues, without } from "../schema/subschemas.ts"
import { at } from "../schema/vocabulary.ts"
import type { Notice } from "./pools.ts"

/** A pattern of the document, which could take long: it is run in linear time, or not at all. */
const pattern = Representation.makeReviverFilter(
  Representation.isPatternReviver.id,
  Representation.isPatternReviver.payloadSchema,
  ({ payload: { source } }) =>
    Schema.makeFilter(
      (text: string) => Pattern.test(source, text) ?? `a text for ${source}, which is a pattern that is not run`,
      { expected: `a string matching the RegExp ${source}` }
    )
)

/** All that the importer of JSON Schemas makes. */
const revivers = [
  Representation.isFiniteReviver,
  Representation.isGreaterThanOrEqualToReviver,
  Representation.isGreaterThanReviver,
  Representation.isIntReviver,
  Representation.isLessThanOrEqualToReviver,
  Representation.isLessThanReviver,
  Representation.isMaxCodePointsReviver,
  Representation.isMaxLengthReviver,
  Representation.isMaxPropertiesReviver,
  Representation.isMinCodePointsReviver,
  Representation.isMinLengthReviver,
  Representation.isMinPropertiesReviver,
  Representation.isMultipleOfReviver,
  pattern,
  Representation.isPropertyNamesReviver,
  Representation.isUniqueReviver,
  Representation.JsonReviver
]

/** @internal */
export const revive = (document: Representation.Document): Schema.Codec<Schema.Json> =>
  // Schemas that are read from JSON Schemas have JSON for both types, and need no services.
  Representation.fromRepresentation(document, { revivers }) as Schema.Codec<Schema.Json>

/** Whether JSON fits, and what of it the Schema looks at. @internal */
export const match = (document: Representation.Document, json: unknown): Result.Result<Schema.Json, string> =>
  matcher(document)(json)

const matcher = (document: Representation.Document): (json: unknown) => Result.Result<Schema.Json, string> => {
  const decode = Schema.decodeUnknownResult(revive(document))
  return (json) => Result.mapError(decode(json), ({ message }) => message)
}

type Node = Representation.Representation
type Annotations = { readonly [name: string]: unknown }

/** The document without defaults and examples of its Schemas that do not fit these, and a notice for each. @internal */
export const fitting = <D extends Representation.MultiDocument>(
  document: D
): { readonly document: D; readonly notices: ReadonlyArray<Notice> } => {
  const { references } = document
  const notices = new Map<string, Notice>()
  const needs = mapValues(references, referencesOf)
  /** The references that a node leads to: of a large document, few. */
  const neededBy = (node: Node): Representation.References => {
    const found = new Set<string>()
    const waiting = [...referencesOf(node)]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (found.has(name)) continue
      found.add(name)
      waiting.push(...needs[name] ?? [])
    }
    return Object.fromEntries(Object.entries(references).filter(([name]) => found.has(name)))
  }

  const checked = <A extends Annotations>(annotations: A, node: Node): A => {
    if (!Object.hasOwn(annotations, at)) return annotations
    const match = matcher({ representation: node, references: neededBy(node) })
    const { default: usual, examples } = annotations
    const keep = (value: unknown, what: string): ReadonlyArray<Schema.Json> => {
      const matched = Result.flatMap(
        match(value),
        (json) =>
          isWritable(json) ? Result.succeed(json) : Result.fail("TypeScript has a member of its own of that name")
      )
      if (Result.isSuccess(matched)) return [matched.success]
      const path = String(annotations[at])
      const issue = `${what} does not fit the schema, and is left out: ${matched.failure}`
      notices.set(`${path} ${issue}`, { path, issue })
      return []
    }
    const defaults = Object.hasOwn(annotations, "default") ? keep(usual, "the default") : []
    const kept = Array.isArray(examples) ? examples.flatMap((one, index) => keep(one, `the example ${index}`)) : []
    return {
      // Neither has to be there.
      ...without(annotations, [at, "default", "examples"]) as A,
      ...(defaults.length > 0 && { default: defaults[0] }),
      ...(kept.length > 0 && { examples: kept })
    }
  }

  const mapped = mapNodes(document, (node) => {
    if (node._tag === "Reference") return node
    const annotated = node.annotations === undefined
      ? node
      : { ...node, annotations: checked(node.annotations, node) }
    if (annotated._tag === "Suspend") return annotated
    return {
      ...annotated,
      checks: annotated.checks.map((check) =>
        check.annotations === undefined ? check : { ...check, annotations: checked(check.annotations, node) }
      )
    }
  })
  return { document: { ...document, ...mapped }, notices: [...notices.values()] }
}

/** Whether a literal of this JSON has the type that is expected of it: TypeScript expects others of some members. */
const isWritable = (json: Schema.Json): boolean =>
  typeof json !== "object" || json === null ||
  (Array.isArray(json) || Object.keys(json).every((name) => !(name in Object.prototype))) &&
    Object.values(json).every(isWritable)
