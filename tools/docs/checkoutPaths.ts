/** Paths that only a checkout has: who installs the packages cannot follow them. */

const path = /(?<![\w@./-])(?:\.\/)?(?:packages\/[a-z][\w.-]*|(?:[\w.-]+\/)*src\/bin\.ts)/

/** The target of a link leads to the repository, wherever the page is read. */
const withoutTargets = (line: string): string => line.replaceAll(/\]\([^()\s]*\)/g, "]")

/** The lines of a page that name such a path, in code as in prose, each with its number. */
export const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, index) => path.test(withoutTargets(line)) ? [`${index + 1}: ${line.trim()}`] : [])
