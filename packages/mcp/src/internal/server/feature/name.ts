/** The names of features, which are checked where a feature is made. */
import { isScope } from "@parley/oauth/AccessToken"
import { Excerpt } from "@parley/protocol/shared"

/**
 * Specification, "Tool Names": 1 to 128 of these characters. Models refuse others, and with them every tool of a request.
 *
 * @internal
 */
export const toolName = (name: string): string => {
  if (allowed.test(name)) return name
  throw new TypeError(
    `the name of a tool has 1 to 128 characters of A-Z, a-z, 0-9, "_", "-" and ".", unlike ${Excerpt.quoted(name)}`
  )
}

const allowed = /^[A-Za-z0-9._-]{1,128}$/

/** Scopes that no token can have would refuse everybody. @internal */
export const scopeNames = (scopes: ReadonlyArray<string> | undefined): ReadonlyArray<string> | undefined => {
  const wrong = scopes?.find((scope) => !isScope(scope))
  if (wrong === undefined) return scopes
  throw new TypeError(
    `a scope is one word of printable ASCII without quotes or backslashes, unlike ${Excerpt.quoted(wrong)}`
  )
}

/** The specification has no rule for other names; an empty one is a mistake. @internal */
export const filledName = (feature: string, name: string): string => {
  if (name !== "") return name
  throw new TypeError(`the name of ${feature} is empty`)
}
