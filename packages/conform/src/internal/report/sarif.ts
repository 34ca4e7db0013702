/** A report as SARIF 2.1.0, from which code hosts annotate the file that it is about. */
import { entriesOf, type Entry, linesOf, type Sheet } from "./Sheet.ts"

/** Writes the log. Entries that hold are left out; what nothing decided is a note. */
export const sarif = (sheet: Sheet): string => {
  const entries = entriesOf(sheet).filter(({ isSkipped, weight }) => weight !== "none" && !isSkipped)
  const rules = new Map(entries.map((entry) => [entry.id, ruleOf(entry)]))
  const ids = [...rules.keys()]
  return JSON.stringify(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [{
        tool: {
          driver: {
            name: "parley",
            informationUri: "https://parley-effect.github.io/parley/",
            rules: [...rules.values()]
          }
        },
        results: entries.map((entry) => ({
          ruleId: entry.id,
          ruleIndex: ids.indexOf(entry.id),
          level: entry.weight,
          message: { text: plain([entry.title, ...linesOf(entry)].join("\n")) },
          locations: [locationOf(sheet)],
          partialFingerprints: {
            "parley/v1": `${sheet.title} ${entry.id}${entry.rule === undefined ? "" : ` ${entry.title}`}`
          }
        }))
      }]
    },
    null,
    2
  )
}

/** A text without links: brackets would make one of what a server has sent (section 3.11.6). */
const plain = (text: string): string => text.replace(/[\\[\]]/g, "\\$&")

const ruleOf = ({ id, rule, section, title, weight }: Entry) => ({
  id,
  name: id,
  shortDescription: { text: rule ?? title },
  ...(section !== undefined && { helpUri: section }),
  defaultConfiguration: { level: weight }
})

/** A path as a URI: every character of a name but the separators is escaped, `#` and `?` too. */
const uriOf = (path: string): string => path.toWellFormed().split("/").map(encodeURIComponent).join("/")

const locationOf = ({ artifact, title }: Sheet) =>
  artifact === undefined
    ? { logicalLocations: [{ name: title, kind: "resource" }] }
    : { physicalLocation: { artifactLocation: { uri: uriOf(artifact) }, region: { startLine: 1 } } }
