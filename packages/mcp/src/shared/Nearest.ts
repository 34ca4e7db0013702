/** The name that somebody has probably meant, of those that there are. */

/** The name that differs least, if it differs by at most a third of its characters. */
export const of = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const written = plain(name)
  const [best] = known
    .map((known) => {
      const meant = plain(known)
      const most = Math.floor(Math.max(written.length, meant.length) / 3)
      return { known, most, distance: distance(written, meant, most) }
    })
    .filter(({ distance, most }) => distance <= most)
    .sort((one, other) => one.distance - other.distance)
  return best?.known
}

/** `userId`, `user_id` and `User-ID` are one name to whoever remembers it. */
const plain = (name: string): string => name.slice(0, longest).toLowerCase().replace(/[_\-. ]/g, "")

/** A foreign name is compared as far as names go. */
const longest = 64

/** How many characters must be inserted, removed or replaced (Levenshtein); infinite where their number says enough. */
const distance = (one: string, other: string, most: number): number => {
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= other.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (other[column - 1] === character ? 0 : 1)
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    above = current
  }
  return above.at(-1) ?? 0
}
