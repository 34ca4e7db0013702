/**
 * The source texts of ids, which `JSON.parse` hands to a reviver.
 */

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** `JSON` with the third parameter of the reviver, which the library types of TypeScript do not have yet. */
const json: { readonly parse: (text: string, reviver: Reviver) => unknown } = JSON

/**
 * Reads a text again for the source of the `id` of the message, or of the member at `index` of a batch.
 *
 * The second reading happens at the first question and serves all of them. A text too deep for the recursion of a
 * reviver gives no sources.
 *
 * @internal
 */
export const idSources = (text: string): (index: number | undefined) => string | undefined => {
  let sources: { readonly root: unknown; readonly of: ReadonlyMap<unknown, string> } | undefined
  return (index) => {
    sources ??= read(text)
    const holder = index === undefined ? sources.root : Array.isArray(sources.root) ? sources.root[index] : undefined
    return sources.of.get(holder)
  }
}

const read = (text: string): { readonly root: unknown; readonly of: ReadonlyMap<unknown, string> } => {
  const of = new Map<unknown, string>()
  try {
    const root = json.parse(text, function(key, value, context) {
      if (key === "id" && context?.source !== undefined) of.set(this, context.source)
      return value
    })
    return { root, of }
  } catch {
    return { root: undefined, of }
  }
}
