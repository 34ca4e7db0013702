import type { Node, Rule } from "./Rule.ts"
import { isNode, nameOf } from "./Rule.ts"

/**
 * Text of others in a line of the log goes through `Excerpt`, and so does a cause, as the message of an error may quote
 * them. An error is logged as a cause: as an object, its members are printed as they came. Where a value is ours, such as a
 * number, a comment in the call or on the line before says so: `// escaped: a count of ours`.
 */
export const escapedLog: Rule = {
  meta: { docs: { description: "no line of the log has foreign text that is not escaped" } },
  create: (context) => {
    const isExplained = (call: Node, node: Node): boolean =>
      context.sourceCode.getAllComments().some((comment) =>
        comment.loc.end.line >= call.loc.start.line - 1 && comment.loc.start.line <= node.loc.end.line &&
        /^[\s*]*escaped: \S/.test(comment.value)
      )
    const texts = new Set<string>()
    // A name that something else has in the same file, such as a parameter, is no text.
    const others = new Set<string>()
    const bind = (node: Node) => arrayOf(node["params"]).forEach((one) => others.add(nameOf(one) ?? ""))
    const lines: Array<Node> = []
    const check = (call: Node, node: unknown): void => {
      if (!isNode(node) || isEscaped(node, texts)) return
      const checkAll = (nodes: unknown): void => arrayOf(nodes).forEach((one) => check(call, one))
      switch (node.type) {
        case "TemplateLiteral":
          return checkAll(node["expressions"])
        case "ConditionalExpression":
          return checkAll([node["consequent"], node["alternate"]])
        case "BinaryExpression":
          return checkAll([node["left"], node["right"]])
        case "ObjectExpression":
          return checkAll(arrayOf(node["properties"]).map((property) => property["value"] ?? property))
        default:
          if (!isExplained(call, node)) context.report({ node, message })
      }
    }
    return {
      VariableDeclarator: (node) => {
        const { id, init } = { id: nameOf(node["id"]), init: node["init"] }
        if (id !== undefined && isNode(init)) (isText(init) || isExcerpt(init) ? texts : others).add(id)
        // A function under another name would log what no rule sees.
        const pattern = node["id"]
        if (isNode(pattern) && pattern.type === "ObjectPattern" && isNode(init) && nameOf(init) === "Effect") {
          const logs = arrayOf(pattern["properties"]).find((one) => isLog(nameOf(one["key"]) ?? ""))
          if (logs !== undefined) context.report({ node: logs, message: renamed })
        }
      },
      ArrowFunctionExpression: bind,
      FunctionDeclaration: bind,
      FunctionExpression: bind,
      CallExpression: (node) => {
        const name = effectOf(node["callee"])
        if (name !== undefined && name !== "logWithLevel" && isLog(name)) lines.push(node)
        const inner = node["callee"]
        if (isNode(inner) && inner.type === "CallExpression" && effectOf(inner["callee"]) === "logWithLevel") {
          lines.push(node)
        }
      },
      "Program:exit": () => {
        for (const other of others) texts.delete(other)
        for (const node of lines) {
          const all = arrayOf(node["arguments"])
          // The effect whose lines are annotated comes first.
          const said = effectOf(node["callee"]) === "annotateLogs" && all.length > 1 ? all.slice(1) : all
          for (const one of said) check(node, one)
        }
      }
    }
  }
}

const message =
  "This reaches the log as it came: use Excerpt, log an error as Excerpt.cause(Cause.fail(error)), or say in a comment " +
  "`escaped: …` why it is ours."

const renamed = "Call this as a member of Effect: the rule sees no log under another name."

const isLog = (name: string): boolean => /^log(?!ger)|^annotateLogs$/i.test(name)

/** The name of a function of `Effect`. */
const effectOf = (callee: unknown): string | undefined =>
  isNode(callee) && callee.type === "MemberExpression" && nameOf(callee["object"]) === "Effect"
    ? nameOf(callee["property"])
    : undefined

const isText = (node: Node): boolean =>
  node.type === "Literal" || node.type === "TemplateLiteral" && arrayOf(node["expressions"]).length === 0

/** The module of a function that is called. */
const moduleOf = (node: Node): string | undefined => {
  const callee = node["callee"]
  return isNode(callee) && callee.type === "MemberExpression" ? nameOf(callee["object"]) : undefined
}

const isExcerpt = (node: Node): boolean => node.type === "CallExpression" && moduleOf(node) === "Excerpt"

const isEscaped = (node: Node, texts: ReadonlySet<string>): boolean => {
  switch (node.type) {
    case "CallExpression":
      return isExcerpt(node)
    case "Identifier":
      return texts.has(nameOf(node) ?? "")
    case "MemberExpression":
      return /^(?:length|size)$/.test(nameOf(node["property"]) ?? "")
    case "SpreadElement":
      return nameOf(node["argument"]) === "causes"
    default:
      return isText(node)
  }
}

const arrayOf = (value: unknown): ReadonlyArray<Node> => Array.isArray(value) ? value.filter(isNode) : []
