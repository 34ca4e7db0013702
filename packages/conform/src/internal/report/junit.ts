/** A report as JUnit's XML, as CI servers read it: a suite for each group, a case for each entry. */
import { escaped } from "./markup.ts"
import { entriesOf, type Entry, type Group, linesOf, type Sheet } from "./Sheet.ts"

/** Writes the XML. Warnings pass, and their texts stand in `system-out`. */
export const junit = (sheet: Sheet): string =>
  [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="${escaped(sheet.title)}"${counts(entriesOf(sheet))}>`,
    ...sheet.groups.flatMap((group) => suite(sheet.title, group)),
    "</testsuites>"
  ].join("\n")

const suite = (title: string, { entries, name }: Group): ReadonlyArray<string> => [
  `  <testsuite name="${escaped(name)}"${counts(entries)}>`,
  ...entries.flatMap((entry) => testCase(title, entry)),
  "  </testsuite>"
]

const counts = (entries: ReadonlyArray<Entry>): string =>
  ` tests="${entries.length}" failures="${entries.filter(({ weight }) => weight === "error").length}" errors="0"`
  + ` skipped="${entries.filter(({ isSkipped }) => isSkipped).length}"`

const testCase = (title: string, entry: Entry): ReadonlyArray<string> => {
  const head = `    <testcase classname="${escaped(title)}" name="${escaped(`${entry.id}: ${entry.title}`)}"`
  const text = escaped(linesOf(entry).join("\n"))
  if (entry.isSkipped) return [`${head}>`, `      <skipped message="${text}"/>`, "    </testcase>"]
  switch (entry.weight) {
    case "error":
      return [`${head}>`, `      <failure message="${escaped(entry.title)}">${text}</failure>`, "    </testcase>"]
    case "warning":
    case "note":
      return [`${head}>`, `      <system-out>${text}</system-out>`, "    </testcase>"]
    case "none":
      return [`${head}/>`]
  }
}
