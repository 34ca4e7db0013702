/**
 * The header `WWW-Authenticate`, in which a server says how a client may authenticate (RFC 9110, section 11.6.1).
 *
 * Pure, and linear in the length of the header. Of a malformed header, the parser gives the challenges before the first
 * mistake.
 */
import { scopesOf } from "../../AccessToken.ts"

/**
 * One way to authenticate.
 */
export interface Challenge {
  /** The name of the scheme in lower case, such as `bearer`. */
  readonly scheme: string
  /** The parameters, by their names in lower case. If a name occurs twice, the first value counts. */
  readonly parameters: ReadonlyMap<string, string>
}

/** Characters of a header. A longer one is not read. */
const longest = 16_384

const token = /[!#$%&'*+\-.^`|~\w]+/y
const token68 = /[\w\-.~+/]+=*(?=[ \t]*(?:,|$))/y
const blanks = /[ \t]*/y
const commas = /[ \t,]*/y
/** `name=`, where blanks may stand around the sign. */
const equals = /[ \t]*=[ \t]*/y
const quoted = /"((?:[^"\\]|\\[^])*)"/y

/**
 * The challenges of a header, in their order. A header that occurs several times is joined by commas.
 */
export const parse = (header: string): ReadonlyArray<Challenge> => {
  const challenges: Array<Challenge> = []
  if (header.length > longest) return challenges
  const scanner = new Scanner(header)
  let parameters: Map<string, string> | undefined
  for (scanner.take(commas); !scanner.isDone; scanner.take(commas)) {
    const name = scanner.take(token)
    if (name === undefined) break
    if (parameters !== undefined && scanner.take(equals) !== undefined) {
      const value = scanner.value()
      if (value === undefined) break
      const key = name.toLowerCase()
      if (!parameters.has(key)) parameters.set(key, value)
      continue
    }
    parameters = new Map()
    challenges.push({ scheme: name.toLowerCase(), parameters })
    scanner.take(blanks)
    // One text instead of parameters, as `Negotiate` has it. It says nothing to us.
    scanner.take(token68)
  }
  return challenges
}

/** Reads a text piece by piece. */
class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length
  }

  /** Takes what fits at this place. */
  take(pattern: RegExp): string | undefined {
    return this.#match(pattern)?.[0]
  }

  /** Takes the value of a parameter, without its quotes. */
  value(): string | undefined {
    return this.#match(quoted)?.[1]?.replace(/\\([^])/g, "$1") ?? this.take(token)
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text) ?? undefined
    if (found !== undefined) this.#at = pattern.lastIndex
    return found
  }
}

/**
 * The members of a challenge for OAuth tokens.
 */
export interface TokenChallenge {
  /** The place of the metadata of the resource (RFC 9728, section 5.1). */
  readonly resourceMetadata: string | undefined
  /** The scopes that a token needs for this request. */
  readonly scopes: ReadonlyArray<string> | undefined
  /** The error code, such as `invalid_token` or `insufficient_scope` (RFC 6750, section 3.1). */
  readonly error: string | undefined
  /** A sentence for developers, not for the users of the client. */
  readonly description: string | undefined
}

/**
 * The challenge of the scheme `Bearer` or `DPoP`; `undefined` where there is none.
 */
export const ofToken = (header: string | undefined): TokenChallenge | undefined => {
  const found = header === undefined
    ? []
    : parse(header).filter(({ scheme }) => scheme === "bearer" || scheme === "dpop")
  if (found.length === 0) return undefined
  const get = (name: string) => found.find(({ parameters }) => parameters.has(name))?.parameters.get(name)
  const scope = get("scope")
  return {
    resourceMetadata: get("resource_metadata"),
    scopes: scope === undefined ? undefined : scopesOf(scope),
    error: get("error"),
    description: get("error_description")
  }
}
