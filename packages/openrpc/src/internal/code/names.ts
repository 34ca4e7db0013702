/**
 * Names of a module's exports: of any text, and none twice.
 */

/** What a generated module has besides, and the globals that its types name. */
const taken = [
  "Array",
  "Contract",
  "Dialect",
  "Method",
  "Notification",
  "Object",
  "Promise",
  "ContractPair",
  "ReadonlyArray",
  "Schema",
  "Subscription"
]

/** @internal */
export interface Names {
  /** A name for a text, and another one at each call. */
  readonly take: (text: string) => string
}

/** @internal */
export const make = (): Names => {
  const used = new Set(taken)
  return {
    take: (text) => {
      const name = fromText(text)
      let candidate = name
      for (let suffix = 2; used.has(candidate); suffix++) candidate = `${name}_${suffix}`
      used.add(candidate)
      return candidate
    }
  }
}

/** Words as one word, such as `PetStore`: it begins with a capital, so it is no reserved word. @internal */
export const fromText = (text: string): string => {
  const words = text.match(/[A-Za-z0-9_$]+/g) ?? []
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")
  return /^[A-Z]/.test(name) ? name : `_${name}`
}
