/**
 * How wide the borders inside of a package are: the members of a class or an interface, with those of the types and
 * closures that stand in it.
 *
 * The sources are formatted, so a declaration begins its line and ends with a brace alone, and each member has a line.
 */

/** The names of the members that others can see, each once. A nested one has the name of its owner before its own. */
export const membersOf = (text: string, name: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const start = lines.findIndex((line) =>
    new RegExp(`^(?:export )?(?:abstract )?(?:class|interface) ${name}\\b`).test(line)
  )
  if (start < 0) return []
  const end = lines.indexOf("}", start)
  const found = new Set<string>()
  const owners: Array<string> = []
  for (const line of lines.slice(start + 1, end)) {
    const indent = (line.length - line.trimStart().length) / 2
    while (owners.length >= Math.max(1, indent)) owners.pop()
    if (indent !== owners.length + 1) continue
    const member = memberIn.exec(line)?.[1]
    if (member === undefined || member === "constructor") continue
    found.add([...owners, member].join("."))
    // The members of a type that is written here follow with a deeper indent.
    if (/: (?:Readonly<)?\{$/.test(line)) owners.push(member)
  }
  return [...found]
}

const memberIn = /^ +(?:readonly |abstract |override |static |async |get |set )*([a-zA-Z]\w*)\??(?:[(:<!]| =)/
