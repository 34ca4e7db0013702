/** The scopes of a parameter, member or claim: words with blanks between, or a list of them, as some issuers write it. */

/** The scopes, each once. @internal */
export const scopesOf = (scope: string | ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set((typeof scope === "string" ? scope.split(" ") : scope).filter((one) => one !== ""))
]

/** Whether a text can be a scope (RFC 6749, section 3.3). @internal */
export const isScope = (scope: string): boolean => /^[!#-[\]-~]+$/.test(scope)
