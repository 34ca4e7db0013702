/**
 * The names that models take of tools: OpenAI takes `^[a-zA-Z0-9_-]{1,64}$`, and Anthropic takes all of these.
 */

/** How long the names of models' tools may be. */
const longest = 64

/**
 * Names tools for a model: `_` stands where models would refuse a character, and a name that is taken gets the lowest
 * number that is free.
 */
export const make = (): (wanted: string) => string => {
  const taken = new Set<string>()
  // The numbers below these are taken. A server may give all of its tools one name, so none is tried twice.
  const next = new Map<string, number>()
  const numbered = (plain: string): string => {
    for (let digits = 1;; digits++) {
      const stem = plain.slice(0, longest - 1 - digits)
      const numbers = `${stem} ${digits}`
      const end = 10 ** digits
      for (let number = next.get(numbers) ?? Math.max(2, end / 10); number < end; number++) {
        next.set(numbers, number + 1)
        const name = `${stem}_${number}`
        if (!taken.has(name)) return name
      }
    }
  }
  return (wanted) => {
    const known = wanted.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, longest) || "_"
    // An object holds the tools by their names, and `__proto__` would set its prototype.
    const plain = known === "__proto__" ? known.slice(1) : known
    const name = taken.has(plain) ? numbered(plain) : plain
    taken.add(name)
    return name
  }
}
