/** A report as Markdown, for a comment or the summary of a job. */
import { fenced, inline } from "./markup.ts"
import { entriesOf, type Entry, type Sheet } from "./Sheet.ts"

/** Writes the page: a table for each group, and below them each finding. */
export const markdown = (sheet: Sheet): string =>
  [
    `# ${inline(sheet.title)}`,
    "",
    ...sheet.facts.map(([name, text]) => `- ${inline(name)}: ${inline(text)}`),
    "",
    `**${inline(sheet.summary)}**`,
    "",
    ...sheet.groups.flatMap(({ entries, name }) => [
      `## ${inline(name)}`,
      "",
      "| | Rule | |",
      "| --- | --- | --- |",
      ...entries.map(({ id, reason, state, title }) =>
        `| ${inline(state)} | \`${id}\` ${inline(title)} | ${inline(reason ?? "")} |`
      ),
      ""
    ]),
    ...entriesOf(sheet).filter(({ details }) => details.length > 0).flatMap(findings)
  ].join("\n")

const findings = ({ details, id, section, state, title }: Entry): ReadonlyArray<string> => [
  `### ${inline(state)}: \`${id}\` ${inline(title)}`,
  "",
  ...section === undefined ? [] : [`<${section}>`, ""],
  ...details.flatMap((finding) => [fenced(finding.map(([name, text]) => `${name}: ${text}`).join("\n")), ""])
]
