/** The challenges that a protected resource writes into `WWW-Authenticate` (RFC 6750, section 3; RFC 9728, section 5.1). */

/** @internal */
export interface Challenge {
  readonly error?: "invalid_token" | "insufficient_scope" | "invalid_dpop_proof" | "use_dpop_nonce" | undefined
  readonly description?: string | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly resourceMetadata?: string | undefined
  /** The algorithms of proofs (RFC 9449, section 7.1). */
  readonly algs?: ReadonlyArray<string> | undefined
}

/** A challenge of a scheme. Text that cannot stand between quotes is left out. @internal */
export const write = (
  scheme: "Bearer" | "DPoP",
  { algs = [], description, error, resourceMetadata, scopes = [] }: Challenge
): string => {
  const parameters = [
    ["resource_metadata", resourceMetadata],
    ["scope", joined(scopes.filter(isScope))],
    ["error", error],
    ["error_description", description?.replace(/[^ !#-[\]-~]/g, "")],
    ["algs", joined(algs)]
  ].flatMap(([name, value]) => value === undefined ? [] : [`${name}="${value}"`])
  return parameters.length === 0 ? scheme : `${scheme} ${parameters.join(", ")}`
}

const joined = (words: ReadonlyArray<string>) => words.length === 0 ? undefined : words.join(" ")

/** Whether a text can be a scope (RFC 6749, section 3.3). @internal */
export const isScope = (scope: string): boolean => /^[!#-[\]-~]+$/.test(scope)
