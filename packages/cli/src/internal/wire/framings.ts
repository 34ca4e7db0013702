/**
 * The framings by the names they have on the command line.
 */
import * as Framing from "@parley/protocol/Framing"

/** What `--framing` takes. */
export type Name = "line" | "content-length" | "concatenated"

/** The framing of this name. */
export const byName = (name: Name): Framing.Framing =>
  Framing.byName(name === "content-length" ? "contentLength" : name)
