/**
 * The members of a document that a contract has no place for.
 */
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import { pointer } from "../schema/places.ts"
import type { Notice } from "./pools.ts"

type Path = ReadonlyArray<string>
type Methods = ReadonlyArray<readonly [OpenRpcDocument.Method, Path]>

/** A notice for each member of the document and of these methods that is left out. Descriptors keep theirs. @internal */
export const noticesOf = (document: OpenRpcDocument.Document, methods: Methods): ReadonlyArray<Notice> => [
  ...omitted(document, []),
  ...omitted(document.components ?? {}, ["components"]),
  ...methods.flatMap(([method, path]) => [
    ...omitted(method, path),
    ...(method.examples ?? []).flatMap((pairing, index) => {
      const at = [...path, "examples", `${index}`]
      return [
        ...omitted(pairing, at),
        ...pairing.params.flatMap((example, index) => omitted(example, [...at, "params", `${index}`])),
        ...omitted(pairing.result ?? {}, [...at, "result"])
      ]
    })
  ])
]

const omitted = (object: object, path: Path): ReadonlyArray<Notice> =>
  Object.entries(object).flatMap(([name, value]) =>
    isOmitted(name) && !isEmpty(value)
      ? [{ path: pointer(path), issue: `${name} has no place in a contract, and is left out` }]
      : []
  )

const isOmitted = (name: string): boolean =>
  omittedNames.has(name) || (name.startsWith("x-") && !name.startsWith("x-parley-"))

const omittedNames: ReadonlySet<string> = new Set(["externalDocs", "links", "servers", "tags"])

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0
