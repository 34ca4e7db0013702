/** Params as fields of a form. The JSON is the truth: a form shows it, and writes it. */

/** A member that a form can show. */
export interface Field {
  readonly name: string
  readonly value: string | number | boolean
}

/** The fields of an object in JSON; none where it is no object, or no JSON. */
export const of = (json: string): ReadonlyArray<Field> =>
  Object.entries(objectOf(json)).flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [{ name, value }] : []
  )

/** The JSON with another value of a field. */
export const changed = (json: string, name: string, value: Field["value"]): string =>
  JSON.stringify({ ...objectOf(json), [name]: value })

const objectOf = (json: string): object => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
