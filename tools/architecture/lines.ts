/** How much code there is: lines that are neither blank nor comments, imports or re-exports. */
import type { Rules } from "./rules.ts"
import type { Sources } from "./Sources.ts"

export function* sizes(rules: Rules, sources: Sources): Generator<string> {
  for (const { folders, isHeld, lines } of rules.sizes) {
    if (!isHeld) continue
    let found = 0
    for (const folder of folders) {
      const files = [...sources.files].filter(([path]) => path.startsWith(`${folder}/`))
      if (files.length === 0) yield `${folder} has a bound of its size, and no files`
      for (const [, text] of files) found += codeLinesOf(text)
    }
    if (found > lines) yield `${folders.join(" and ")} have ${found} lines of code, more than ${lines}`
  }
}

/** The sources are formatted: a comment that stands on lines of its own begins them, an import or a re-export ends with its module. */
export const codeLinesOf = (text: string): number =>
  text
    .replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, "")
    .replaceAll(/^(?:import|export(?: type)? [{*])[^"`;=]*?"[^"]+"$/gm, "")
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/.*)?$/.test(line))
    .length
