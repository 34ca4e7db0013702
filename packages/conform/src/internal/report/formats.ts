/**
 * The formats of reports, by the names that the command knows. JSON is written by the tools themselves; what drives a
 * terminal or is hidden stands in it as the escapes that JSON has for them.
 */
import { Excerpt } from "@parley/protocol/shared"
import { html } from "./html.ts"
import { junit } from "./junit.ts"
import { markdown } from "./markdown.ts"
import { sarif } from "./sarif.ts"
import type { Sheet } from "./Sheet.ts"
import { table, type TableOptions } from "./table.ts"

/** The names of the formats. */
export const names = ["table", "json", "junit", "sarif", "markdown", "html"] as const

/** The name of a format. */
export type Name = (typeof names)[number]

/** Writes a report. `json` gives the value that the format `json` writes. */
export const render = (sheet: Sheet, name: Name, json: () => unknown, options?: TableOptions): string => {
  switch (name) {
    case "table":
      return table(sheet, options)
    case "json":
      return Excerpt.lines(JSON.stringify(json(), null, 2))
    case "junit":
      return junit(sheet)
    case "sarif":
      return Excerpt.lines(sarif(sheet))
    case "markdown":
      return markdown(sheet)
    case "html":
      return html(sheet)
  }
}
