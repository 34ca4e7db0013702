/**
 * How changesets become lines of a CHANGELOG.md: by their summaries alone. All packages share one version, so no line
 * tells that a dependency moved with it.
 */

interface Change {
  readonly summary: string
}

/** One change. Its first line is the item of a list, and the other lines stand below it. */
const getReleaseLine = async ({ summary }: Change): Promise<string> => {
  const [first = "", ...rest] = summary.trim().split("\n")
  return [`- ${first}`, ...rest.map((line) => line === "" ? "" : `  ${line}`)].join("\n")
}

const getDependencyReleaseLine = async (): Promise<string> => ""

export default { getReleaseLine, getDependencyReleaseLine }
