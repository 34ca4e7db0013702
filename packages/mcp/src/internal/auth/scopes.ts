/** Scopes of OAuth. */

/**
 * The scopes of a parameter, member or claim, each once: words with blanks between, or a list, as some issuers write it.
 *
 * @internal
 */
export const scopesOf = (scope: string | ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set((typeof scope === "string" ? scope.split(" ") : scope).filter((one) => one !== ""))
]

/** Whether a text can be a scope (RFC 6749, section 3.3). @internal */
export const isScope = (scope: string): boolean => /^[!#-[\]-~]+$/.test(scope)
