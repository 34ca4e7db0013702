import { superlinear } from "./pattern/superlinear.ts"
import type { Node, Rule } from "./Rule.ts"
import { isNode, nameOf } from "./Rule.ts"

/**
 * A regular expression takes linear time, whatever the text is. Where one is reported that does, or whose texts are
 * bounded or ours, a comment on its line or the line before says so: `// linear: a header has at most 8 KiB`.
 */
export const linearPattern: Rule = {
  meta: { docs: { description: "no regular expression takes more than linear time on foreign text" } },
  create: (context) => {
    const isExplained = (node: Node): boolean =>
      context.sourceCode.getAllComments().some((comment) =>
        comment.loc.end.line >= node.loc.start.line - 1 && comment.loc.start.line <= node.loc.end.line &&
        /^[\s*]*linear: \S/.test(comment.value)
      )
    const report = (node: Node, reason: string): void => {
      if (isExplained(node)) return
      context.report({
        node,
        message: `${reason}. Write it otherwise, or say in a comment \`linear: …\` why it is safe.`
      })
    }
    const built = (node: Node): void => {
      if (nameOf(node["callee"]) === "RegExp") report(node, "This pattern is made when the program runs")
    }
    return {
      Literal: (node) => {
        const regex: unknown = node["regex"]
        if (typeof regex !== "object" || regex === null || !("pattern" in regex) || !("flags" in regex)) return
        const reason = superlinear(String(regex.pattern), String(regex.flags))
        if (reason !== undefined) report(node, `This may take more than linear time: ${reason}`)
      },
      NewExpression: built,
      CallExpression: (node) => {
        if (isNode(node["callee"])) built(node)
      }
    }
  }
}
