/**
 * Where schemas stand in a document, and how they refer to components.
 */
import * as JsonPointer from "effect/JsonPointer"

/** @internal */
export type Path = ReadonlyArray<string>

/** @internal */
export const pointer = (path: Path): string => JsonPointer.formatUriFragment(path)

/** @internal */
export const within = (path: Path, ...more: Path): Path => [...path, ...more]

/** The component that a reference of a schema leads to: `#/components/schemas/Name`. @internal */
export const nameOf = (reference: string): string | undefined => {
  const [first, second, name, ...others] = reference.startsWith("#")
    ? JsonPointer.parseUriFragment(reference) ?? []
    : []
  return first === "components" && second === "schemas" && others.length === 0 ? name : undefined
}

/** @internal */
export const referenceTo = (name: string): string => pointer(["components", "schemas", name])
