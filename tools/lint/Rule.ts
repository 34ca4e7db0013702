/** The part of ESLint's rule interface, which oxlint speaks, that our rules use. */

export interface Rule {
  readonly meta: { readonly docs: { readonly description: string } }
  readonly create: (context: Context) => Visitor
}

export interface Context {
  readonly report: (problem: { readonly node: Node; readonly message: string }) => void
  readonly sourceCode: { readonly getAllComments: () => ReadonlyArray<Comment> }
}

export interface Comment extends Located {
  /** The text between its marks. */
  readonly value: string
}

export type Visitor = Readonly<Record<string, (node: Node) => void>>

export interface Located {
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } }
}

/** A node of the syntax tree (ESTree with TypeScript's nodes); its other members depend on its type. */
export interface Node extends Located {
  readonly type: string
  readonly parent: Node
  readonly [member: string]: unknown
}

export const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

/** The name of an identifier or of a literal key, if the node is one. */
export const nameOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === "Identifier") return String(node["name"])
  return node.type === "Literal" ? String(node["value"]) : undefined
}
