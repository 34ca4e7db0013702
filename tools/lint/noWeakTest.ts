import type { Node, Rule } from "./Rule.ts"
import { isNode, nameOf } from "./Rule.ts"

const weakening = new Set(["only", "skip", "skipIf", "runIf", "todo", "fails", "retry", "repeats"])
const runners = new Set(["it", "test", "describe", "suite", "layer", "context", "ctx", "task"])
const aliases = new Set(["xit", "xtest", "xdescribe", "fit", "fdescribe"])

/**
 * A test runs, once, and must pass: no `it.skip`, `it.effect.only`, `describe.fails`, no `{ retry: 2 }` among a test's
 * options, no `context.skip()` from within.
 */
export const noWeakTest: Rule = {
  meta: { docs: { description: "no test is skipped, focused, postponed, expected to fail or tried again" } },
  create: (context) => {
    const report = (node: Node, word: string) =>
      context.report({ node, message: `\`${word}\` weakens a test: fix the test or delete it.` })
    return {
      MemberExpression: (node) => {
        const word = nameOf(node["property"])
        if (word !== undefined && weakening.has(word) && runners.has(rootOf(node))) report(node, word)
      },
      CallExpression: (node) => {
        const root = rootOf(node["callee"])
        if (aliases.has(root)) report(node, root)
        if (!runners.has(root)) return
        for (const argument of arrayOf(node["arguments"])) {
          if (argument.type !== "ObjectExpression") continue
          for (const property of arrayOf(argument["properties"])) {
            const word = nameOf(property["key"])
            if (word !== undefined && weakening.has(word)) report(property, word)
          }
        }
      }
    }
  }
}

/** The identifier a chain like `it.effect.prop(…)(…)` starts with. */
const rootOf = (node: unknown): string => {
  let current = node
  while (isNode(current)) {
    if (current.type === "MemberExpression") current = current["object"]
    else if (current.type === "CallExpression") current = current["callee"]
    else return nameOf(current) ?? ""
  }
  return ""
}

const arrayOf = (value: unknown): ReadonlyArray<Node> => Array.isArray(value) ? value.filter(isNode) : []
