/** The extensions that a client uses, together. */
import type * as Context from "effect/Context"
import type {
  BoundClientExtension,
  ClientExtension,
  ExtensionRequirements,
  ReadResult
} from "../../../extension/ClientExtension.ts"

/** @internal */
export interface Extensions extends BoundClientExtension {
  /** The notifications of servers, by their names on the wire. */
  readonly notifications: ReadonlySet<string>
}

/** Partial: throws where two have one name, one notification, or one kind of result. @internal */
export const make = <X extends ClientExtension<unknown>>(
  all: ReadonlyArray<X>,
  context: Context.Context<ExtensionRequirements<X>>
): Extensions => {
  const names = new Set<string>()
  const notifications = new Set<string>()
  const hear = new Map<string, NonNullable<ReturnType<BoundClientExtension["hear"]["get"]>>>()
  const results = new Map<string, Map<string, ReadResult>>()
  for (const one of all) {
    // The requirements of an extension are its type parameter.
    const extension = one as ClientExtension<unknown> as ClientExtension<ExtensionRequirements<X>>
    const { identifier } = extension
    if (names.has(identifier)) throw new TypeError(`there is an extension ${identifier} already`)
    names.add(identifier)
    for (const method of extension.notifications) {
      if (notifications.has(method)) {
        throw new TypeError(`two extensions have the notification ${method}, one of them ${identifier}`)
      }
      notifications.add(method)
    }
    const bound = extension.bind(context)
    for (const [method, hearer] of bound.hear) hear.set(method, hearer)
    for (const [method, readers] of bound.results) {
      const known = results.get(method) ?? new Map<string, ReadResult>()
      for (const [resultType, read] of readers) {
        if (known.has(resultType)) {
          throw new TypeError(`two extensions have the result ${resultType} of ${method}, one of them ${identifier}`)
        }
        known.set(resultType, read)
      }
      results.set(method, known)
    }
  }
  return { notifications, hear, results }
}
