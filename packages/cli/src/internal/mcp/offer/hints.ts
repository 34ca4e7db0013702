/**
 * The names that a server has, as the hint of an error.
 */
import * as Excerpt from "@parley/protocol/text/Excerpt"

/** The number of names that a hint lists. */
const most = 50

/** Lists the names of a server. */
export const names = (known: ReadonlyArray<string>): string =>
  known.length === 0
    ? "it has none of them"
    : `it has ${known.slice(0, most).map((name) => Excerpt.line(name)).join(", ")}${
      known.length > most ? ` and ${known.length - most} more` : ""
    }`
