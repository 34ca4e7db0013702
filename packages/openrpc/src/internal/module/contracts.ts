/**
 * The class of a contract, from its members.
 *
 * The compiler writes the whole type of a class to a declaration file, and refuses more than a million characters. So the
 * members of a large contract are constants of their own, which the type of the class names.
 */
import type { Names } from "../code/names.ts"
import * as Source from "../code/source.ts"
import type { Generated } from "./methods.ts"

/** @internal */
export interface Contract {
  readonly exported: string
  readonly identifier: string
  readonly members: ReadonlyArray<Generated>
}

/** `lengths` are those of the types of the Schemas that members name. @internal */
export const write = (
  title: string,
  contract: Contract,
  names: Names,
  lengths: ReadonlyMap<string, number>
): string => {
  const length = contract.members.reduce((sum, { code }) => sum + lengthOf(code, lengths), 0)
  return length > longest ? apart(title, contract, names) : together(title, contract)
}

/** Characters of code, of which each becomes a few of its type. */
const longest = 100_000

const lengthOf = (code: string, lengths: ReadonlyMap<string, number>): number =>
  (code.match(/[A-Za-z_$][A-Za-z0-9_$]*/g) ?? []).reduce((sum, word) => sum + (lengths.get(word) ?? 0), code.length)

const together = (title: string, { exported, identifier, members }: Contract): string => {
  const written = members.map(({ code, name, said }) =>
    `${Source.comment(said, "  ")}  ${Source.layout(`${Source.key(name)}: ${code}`, "  ")}`
  )
  return `${head(title, exported, identifier)}{${written.length === 0 ? "" : `\n${written.join(",\n")}\n`}}) {}\n`
}

const apart = (title: string, { exported, identifier, members }: Contract, names: Names): string => {
  const named = members.map((member) => ({ ...member, local: names.take(`${exported} ${member.name}`) }))
  const all = names.take(`${exported} Members`)
  const values = names.take(`${exported} Values`)
  const declared = named.map(({ code, local, said }) =>
    `${Source.comment(said)}export const ${local} = ${Source.layout(code, "", `export const ${local} = `.length)}\n`
  )
  const types = named.map(({ local, name }) => `  readonly ${Source.key(name)}: typeof ${local}\n`)
  const entries = named.map(({ local, name }) => `  ${Source.key(name)}: ${local}`)
  return [
    ...declared,
    `/** The members of ${exported}. */\nexport type ${all} = {\n${types.join("")}}\n`,
    `const ${values}: ${all} = {\n${entries.join(",\n")}\n}\n`,
    `${head(title, exported, identifier)}${values}) {}\n`
  ].join("\n")
}

const head = (title: string, exported: string, identifier: string): string =>
  `${Source.comment([title])}export class ${exported} extends Contract.make(${JSON.stringify(identifier)}, `
