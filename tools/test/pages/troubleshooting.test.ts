/** The texts of docs/how-to/troubleshoot.md are those of the sources. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { placeOf, readSources } from "../../architecture/Sources.ts"

const root = join(import.meta.dirname, "../../..")
const sources = Array.from(readSources(root).files, ([path, text]) => placeOf(path)?.kind === "src" ? text : "")
  .join("\n").replaceAll("\\`", "`")
const sections = readFileSync(join(root, "docs/how-to/troubleshoot.md"), "utf8").split(/^## /m).slice(2)

/** The texts of the first cells of a section, each as the parts between its values. */
const symptomsIn = (section: string) =>
  section.split("\n").filter((line) => /^\| (?!You see|---)/.test(line)).map((row) =>
    Array.from((row.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g), ([, text = ""]) => text)
  )

for (const section of sections) {
  const [title = ""] = section.split("\n")
  describe(title, () => {
    it.each(symptomsIn(section).map((texts) => [texts]))("has texts of the sources: %j", (texts) => {
      assert.isNotEmpty(texts)
      for (const part of texts.flatMap((text) => text.split("…"))) assert.include(sources, part.trim())
    })
  })
}
