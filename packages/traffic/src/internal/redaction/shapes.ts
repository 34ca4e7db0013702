/**
 * Secrets that show by their shape alone, in plain text: no quotes are read here.
 *
 * Each pattern begins where no character of a secret stands before it, and takes all characters of the secret. So a text
 * is read once, and what follows a secret never looks like the beginning of another.
 */
import { mark, type Span } from "./Span.ts"

/** The value of a scheme of HTTP authentication, but not the parameters of a challenge, or a word about the scheme. */
const scheme =
  /(?<![\w-])(?:bearer|dpop)[ \t]+(?!\w+ ?= ?["'])(?!(?:tokens?|auth|authentication|authorization|challenge|proof|scheme|is|was|or|and|for|of|in|to|with|has|from|that|the|a|bearer|basic|dpop)(?![\w.~+/=-]))([\w.~+/=-]+)/gid

/** Basic credentials. A word of prose has no digit, no capital within, and no padding. */
const basic =
  /(?<![\w-])[Bb](?:asic|ASIC)[ \t]+(?=[A-Za-z0-9+/]{0,4096}(?:[0-9=]|[a-z][A-Z]|[A-Z]{2}))([A-Za-z0-9+/=_-]{4,})/gd

/** JSON Web Tokens, and keys whose issuers mark them. */
// linear: each begins behind the characters of another, and takes those of its own
const marked = new RegExp(
  `(?<![\\w-])(${
    [
      // Of JSON, two or more parts.
      "eyJ[\\w-]+\\.[\\w-][\\w.-]*",
      "(?:sk|pk|rk)[-_][\\w-]{8,}",
      "(?:ghp|gho|ghu|ghs|ghr|github_pat|npm|pypi|hf|glpat|dop_v1|shpat|shpss)[-_][\\w-]{8,}",
      "xox[a-z][-_.][\\w-]{8,}",
      "ya29\\.[\\w-]{8,}",
      "AIza[\\w-]{20,}",
      "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}[\\w-]*"
    ].join("|")
  })`,
  "gd"
)

/** The body of a private key as PEM. A loop over groups would fill the stack with a body as long as a frame. */
// linear: the end of the text ends the body, too, so that nothing fails behind the loop
const pem = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----((?!-----END)[^"]+?)(?=-----END|"|$)/gd

/** A user's password in a URL. */
const url = /:\/\/[^\s/@:"'<>]{0,256}:([^\s/@"'<>]{1,1024})@/gd

/** The secrets between two places of a text. */
export const find = (text: string, from: number, to: number, found: Array<Span>): void => {
  const part = text.slice(from, to)
  for (const pattern of [scheme, basic, marked, pem, url]) {
    for (const match of part.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? [0, 0]
      if (start < end && part.slice(start, end) !== mark) found.push({ start: from + start, end: from + end, by: mark })
    }
  }
}

/** What each of the patterns needs. Most texts have none of it, and are read once. */
const suspicious =
  /:\/\/|eyJ|AKIA|ASIA|ABIA|ACCA|AIza|-----BEGIN|(?:bearer|basic|dpop)[ \t]|(?:sk|pk|rk|gh[pousr]|pat|npm|pypi|hf|v1|shpss|xox[a-z]|ya29)[-_.]/gi

/** Where the first part begins that one of the patterns needs, or the end of the text. */
export const suspicionFrom = (text: string, from: number): number => {
  suspicious.lastIndex = from
  return suspicious.exec(text)?.index ?? text.length
}
