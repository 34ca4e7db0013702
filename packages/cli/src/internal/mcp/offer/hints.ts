/**
 * What would have been right.
 */
import * as Excerpt from "@parley/protocol/text/Excerpt"

/** How many names are shown. */
const most = 50

/** The names that there are. */
export const names = (known: ReadonlyArray<string>): string =>
  known.length === 0
    ? "it has none"
    : `it has ${known.slice(0, most).map((name) => Excerpt.line(name)).join(", ")}${
      known.length > most ? ` and ${known.length - most} more` : ""
    }`
