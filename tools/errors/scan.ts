/** The classes of errors and the lines of the log that the sources have. */

/** Where something stands: the package, and the file from the root. */
interface Place {
  readonly package: string
  readonly path: string
}

export interface ErrorClass extends Place {
  readonly name: string
}

export interface LogLine extends Place {
  /** The line, with an ellipsis for each value; `undefined` where it comes from somewhere else. */
  readonly text: string | undefined
}

/** Packages that nobody installs. */
const isPrivate = /^packages\/(?:bench|examples|site)\//

const placesOf = (files: ReadonlyMap<string, string>): ReadonlyArray<Place & { readonly code: string }> =>
  Array.from(files, ([path, text]) => ({ path, code: withoutComments(text) })).flatMap(({ code, path }) => {
    const name = /^packages\/([^/]+)\/src\//.exec(path)?.[1]
    return name === undefined || isPrivate.test(path) ? [] : [{ package: name, path, code }]
  })

/** `extends Schema.TaggedError<…>`, also inside of a function, and `extends Error` or another class of errors. */
const errorClass = /\bclass (\w+)\s+extends\s+(?:(?:\w+\.)?\w+\(\s*)?(?:\w+\.)?(?:TaggedError\b|\w*Error\b)/g

export const errorClasses = (files: ReadonlyMap<string, string>): ReadonlyArray<ErrorClass> =>
  placesOf(files).flatMap(({ code, ...place }) =>
    Array.from(code.matchAll(errorClass), ([, name = ""]) => ({ ...place, name }))
  )

/** `Effect.logWarning(`, `Effect.logWithLevel(level)(`, `host.log(` or `log(`, but not what clients of MCP are sent. */
const logCall =
  /(?<!\b(?:call|decode)\.|\bget )(?:\bEffect\.log(?:Trace|Debug|Info|Warning|Error|Fatal|WithLevel\([^()]*\))?|(?<=\W)log)\(/g

export const logLines = (files: ReadonlyMap<string, string>): ReadonlyArray<LogLine> =>
  placesOf(files).flatMap(({ code, ...place }) =>
    Array.from(code.matchAll(logCall), (call) => ({ ...place, text: literalAt(code, call.index + call[0].length) }))
  )

/** The text of a literal that begins here, if one does. */
const literalAt = (code: string, start: number): string | undefined => {
  const at = start + (/^\s*/.exec(code.slice(start))?.[0].length ?? 0)
  const quote = code[at]
  if (quote !== "\"" && quote !== "`") {
    const [, name = ""] = /^(\w+)[,)]/.exec(code.slice(at)) ?? []
    const declared = new RegExp(`\\bconst ${name} =\\s*(?=["\`])`).exec(code)
    return name === "" || declared === null ? undefined : literalAt(code, declared.index + declared[0].length)
  }
  let text = ""
  for (let place = at + 1; place < code.length && code[place] !== quote; place++) {
    if (code[place] === "\\") text += code[++place]
    else if (quote === "`" && code.startsWith("${", place)) {
      place = closing(code, place + 2)
      text += "…"
    } else text += code[place]
  }
  return text
}

/** Where the brace closes behind which this place is. */
const closing = (code: string, start: number): number => {
  let depth = 1
  for (let place = start; place < code.length; place++) {
    if (code[place] === "{") depth++
    if (code[place] === "}" && --depth === 0) return place
  }
  return code.length
}

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "")
