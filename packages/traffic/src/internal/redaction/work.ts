/**
 * The token by which the Language Server Protocol names work (3.17, `$/progress`): its member has the name of a secret, and
 * only the method of its message says that it is none.
 */
import { suspicionFrom } from "./shapes.ts"
import type { Span } from "./Span.ts"

const methods: ReadonlySet<unknown> = new Set([
  "$/progress",
  "window/workDoneProgress/create",
  "window/workDoneProgress/cancel"
])

/** What most texts have not. */
const mayTell = /"(?:\$\/progress|window\/workDoneProgress\/)/

/** The spans without that of such a token, unless it has the shape of a secret. */
export const withoutToken = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  if (spans.length === 0 || !mayTell.test(text)) return spans
  const token = tokenOf(text)
  if (token === undefined) return spans
  const source = typeof token === "string" ? JSON.stringify(token).slice(1, -1) : String(token)
  if (suspicionFrom(source, 0) < source.length) return spans
  return spans.filter(({ end, start }) => text.slice(start, end) !== source)
}

const tokenOf = (text: string): string | number | undefined => {
  const message = parsed(text)
  if (!methods.has(message["method"])) return undefined
  const token: unknown = membersOf(message["params"])["token"]
  return typeof token === "string" || typeof token === "number" ? token : undefined
}

const parsed = (text: string): { readonly [name: string]: unknown } => {
  try {
    return membersOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const membersOf = (value: unknown): { readonly [name: string]: unknown } =>
  // An object of JSON has members of any kind.
  typeof value === "object" && value !== null ? value as { readonly [name: string]: unknown } : {}
