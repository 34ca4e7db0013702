import type { Node, Rule } from "./Rule.ts"
import { isNode } from "./Rule.ts"

/** A cast needs a comment that says why it is right: on its lines, or on the line before it. */
export const castWithReason: Rule = {
  meta: { docs: { description: "a cast carries its reason" } },
  create: (context) => {
    const check = (cast: Node): void => {
      if (isConst(cast["typeAnnotation"])) return
      const explained = context.sourceCode.getAllComments().some(({ loc }) =>
        loc.end.line >= cast.loc.start.line - 1 && loc.start.line <= cast.loc.end.line
      )
      if (!explained) context.report({ node: cast, message: "Say in a comment why this cast is right, or avoid it." })
    }
    return { TSAsExpression: check, TSTypeAssertion: check }
  }
}

const isConst = (type: unknown): boolean => {
  if (!isNode(type) || type.type !== "TSTypeReference") return false
  const name = type["typeName"]
  return isNode(name) && name["name"] === "const"
}
