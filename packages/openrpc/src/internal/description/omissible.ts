/**
 * The parts of a document without which a contract is the same: one that is malformed is left out.
 */
import { isObject } from "../schema/subschemas.ts"

const texts = ["summary", "description", "deprecated"]
const method = [...texts, "links", "servers", "tags", "externalDocs"]

/** The places that may be left out, where `*` stands for any name or number. The longest that leads to an issue is left out. */
const omissible: ReadonlyArray<ReadonlyArray<string>> = [
  ...["description", "termsOfService", "contact", "license"].map((name) => ["info", name]),
  ["servers"],
  ["externalDocs"],
  ...method.map((name) => ["methods", "*", name]),
  ...["params", "result"].flatMap((name) =>
    texts.map((text) => ["methods", "*", name, ...(name === "params" ? ["*"] : []), text])
  ),
  ["methods", "*", "examples"],
  ["methods", "*", "examples", "*"],
  ...["summary", "description"].flatMap((text) => [
    ["methods", "*", "examples", "*", text],
    ["methods", "*", "examples", "*", "params", "*", text],
    ["methods", "*", "examples", "*", "result", text]
  ])
]

/** The part that may be left out and has the place of an issue in it; `undefined` where there is none. @internal */
export const around = (path: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const length = omissible.reduce(
    (longest, pattern) =>
      pattern.length > longest && pattern.length <= path.length &&
        pattern.every((name, index) => name === "*" || name === path[index])
        ? pattern.length
        : longest,
    0
  )
  return length === 0 ? undefined : path.slice(0, length)
}

/** A copy of the document without these parts. Elements are counted as they were. @internal */
export const without = (json: unknown, paths: ReadonlyArray<ReadonlyArray<string>>): unknown => {
  const here = new Set(paths.filter(({ length }) => length === 1).map(([name]) => name))
  const inner = (value: unknown, name: string): unknown => {
    const below = paths.filter((path) => path.length > 1 && path[0] === name).map(([, ...rest]) => rest)
    return below.length === 0 ? value : without(value, below)
  }
  if (Array.isArray(json)) {
    return json.flatMap((value, index) => here.has(String(index)) ? [] : [inner(value, String(index))])
  }
  return isObject(json)
    ? Object.fromEntries(
      Object.entries(json).flatMap(([name, value]) => here.has(name) ? [] : [[name, inner(value, name)]])
    )
    : json
}
