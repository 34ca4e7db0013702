/**
 * Classes of errors, one for all methods that may fail with it.
 */
import type { Objects } from "effect/SchemaRepresentation"
import type * as Names from "./names.ts"
import * as Source from "./source.ts"

/** @internal */
export interface ErrorClasses {
  readonly take: (tag: string, fields: Objects, code: string) => string
  readonly declarations: () => string
}

/** @internal */
export const make = (names: Names.Names): ErrorClasses => {
  const known = new Map<string, { readonly name: string; readonly declaration: string }>()
  return {
    take: (tag, fields, code) => {
      const key = JSON.stringify([tag, code])
      const found = known.get(key)
      if (found !== undefined) return found.name
      const name = names.take(tag)
      known.set(key, { name, declaration: declare(name, tag, fields, code) })
      return name
    },
    declarations: () => [...known.values()].map(({ declaration }) => declaration).join("\n")
  }
}

const declare = (name: string, tag: string, { propertySignatures }: Objects, code: string): string => {
  if (propertySignatures.some(({ name }) => inherited.has(String(name)))) {
    const start = `export const ${name} = `
    const struct = Source.layout(`Schema.TaggedStruct(${JSON.stringify(tag)}, ${code})`, "", start.length)
    return `${start}${struct}\nexport type ${name} = typeof ${name}.Type\n`
  }
  const start = `export class ${name} extends `
  const call = `Schema.TaggedError<${name}>()(${JSON.stringify(tag)}, ${code})`
  return `${start}${Source.layout(call, "", start.length)} {}\n`
}

/** What an error has already, of types that a field might not have. */
const inherited = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  "asEffect",
  "cause",
  "message",
  "name",
  "pipe",
  "stack",
  "toJSON"
])
