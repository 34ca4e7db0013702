/**
 * `node tools/docs/rules.ts` writes the page of the rules of `parley conform` from the rules themselves.
 */
import { Conform } from "@parley/conform"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The page, from the root. */
export const page = "docs/reference/conform-rules.md"

const intro = `# Rules of parley conform

[\`parley conform\`](../how-to/prove-a-server.md) holds a server against these rules. Each has a stable id, says whether its specification has MUST or SHOULD, and links the section that decides. A breach of a SHOULD is a warning, and no failure. \`--only\` and \`--skip\` take an id, a suite, or a beginning of an id.

This page is made from the rules by \`node tools/docs/rules.ts\`.`

/** The text of the page: a table for each suite, in the order in which they run. */
export const render = (): string =>
  `${
    [
      intro,
      ...Array.from(Map.groupBy(Conform.rules, ({ suite }) => suite), ([suite, rules]) =>
        [
          `## ${suite}`,
          "",
          `${Conform.suiteTitles.get(suite)}.`,
          "",
          "| Rule | Level | What holds |",
          "| --- | --- | --- |",
          ...rules.map(({ id, level, section, title }) =>
            `| [\`${id}\`](${section}) | ${level.toUpperCase()} | ${cell(title)} |`
          )
        ].join("\n"))
    ].join("\n\n")
  }\n`

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("*", "\\*")

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(import.meta.dirname, "../..", page), render())
}
