/**
 * JSON as people write it by hand: with comments, commas behind the last member, and the mark that some editors begin a
 * file with.
 */
import * as Result from "effect/Result"
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"

/** The tree of a text, whose nodes know their places in it, or why there is none. */
export const treeOf = (text: string): Result.Result<Node, string> =>
  Result.flatMap(
    Result.try({
      try: () => {
        const errors: Array<ParseError> = []
        // A space in place of the mark leaves all others where they are.
        const tree = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true })
        return { tree, error: errors[0] }
      },
      catch: unfollowed
    }),
    ({ error, tree }) =>
      tree !== undefined && error === undefined ? Result.succeed(tree) : Result.fail(sentenceOf(text, error))
  )

/** The parser fails in one way: it runs out of stack. */
const unfollowed = (): string => "it is nested too deeply"

const sentenceOf = (text: string, error: ParseError | undefined): string => {
  if (error === undefined) return "it is empty"
  const before = text.slice(0, error.offset).split("\n")
  const what = printParseErrorCode(error.error).replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
  return `line ${before.length}, column ${before.at(-1)!.length + 1}: ${what}`
}

/** The value of a text, or why there is none. */
export const parse = (text: string): Result.Result<unknown, string> =>
  Result.flatMap(treeOf(text), (tree) => Result.try({ try: () => valueOf(tree), catch: unfollowed }))

/** The value of a node. An object has each member for itself, `__proto__`, too. */
export const valueOf = ({ children = [], type, value }: Node): unknown => {
  switch (type) {
    case "array":
      return children.map(valueOf)
    case "object":
      return Object.fromEntries(children.map(({ children: [name, member] = [] }) => [name?.value, valueOf(member!)]))
    default:
      return value
  }
}
