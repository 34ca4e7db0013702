/**
 * Secrets that show by their shape alone, in plain text: no quotes are read here.
 *
 * Each pattern begins where no character of a secret stands before it, and takes all characters of the secret. So a text
 * is read once, and what follows a secret never looks like the beginning of another. A secret may be as long as a frame,
 * and a loop of a pattern may fill the stack, so the end of a secret is looked for apart.
 */
import { endsBody } from "./assignments.ts"
import { mark, type Span } from "./Span.ts"

interface Shape {
  /** Its first group is the beginning of the secret. */
  readonly begin: RegExp
  /** The first place behind the secret. */
  readonly end: RegExp
}

/** The value of a scheme of HTTP authentication, but not the parameters of a challenge, or a word about the scheme. */
const scheme: Shape = {
  begin:
    /(?<![\w-])(?:bearer|dpop)[ \t]{1,1024}(?!\w{1,64} ?= ?["'])(?!(?:tokens?|auth|authentication|authorization|challenge|proof|scheme|is|was|or|and|for|of|in|to|with|has|from|that|the|a|bearer|basic|dpop)(?![\w.~+/=-]))([\w.~+/=-])/gid,
  end: /[^\w.~+/=-]|$/g
}

/** Basic credentials. A word of prose has no digit, no capital within, and no padding. */
const basic: Shape = {
  begin:
    /(?<![\w-])[Bb](?:asic|ASIC)[ \t]{1,1024}(?=[A-Za-z0-9+/]{0,4096}(?:[0-9=]|[a-z][A-Z]|[A-Z]{2}))([A-Za-z0-9+/=_-]{4})/gd,
  end: /[^A-Za-z0-9+/=_-]|$/g
}

/** JSON Web Tokens: JSON in base64, in two or more parts. */
const webToken: Shape = { begin: /(?<![\w-])(eyJ[\w-]{1,65536}\.[\w-])/gd, end: /[^\w.-]|$/g }

/** Keys that their issuers mark. */
const marked: Shape = {
  begin:
    /(?<![\w-])((?:(?:sk|pk|rk|gh[pousr]|github_pat|npm|pypi|hf|glpat|dop_v1|shpat|shpss)[-_]|xox[a-z][-_.]|ya29\.)[\w-]{8}|AIza[\w-]{20}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12})/gd,
  end: /[^\w-]|$/g
}

/** The body of a private key as PEM. */
const pem: Shape = { begin: /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----((?!-----END)[^"])/gd, end: endsBody }

/** A user's password in a URL. */
const url: Shape = { begin: /:\/\/[^\s/@:"'<>]{0,256}:([^\s/@"'<>]{1,1024})@/gd, end: /@/g }

const shapes: ReadonlyArray<Shape> = [scheme, basic, webToken, marked, pem, url]

/** The secrets between two places of a text. */
export const find = (text: string, from: number, to: number, found: Array<Span>): void => {
  const part = text.slice(from, to)
  for (const { begin, end } of shapes) {
    begin.lastIndex = 0
    for (let match = begin.exec(part); match !== null; match = begin.exec(part)) {
      const [start, first] = match.indices?.[1] ?? [part.length, part.length]
      end.lastIndex = first
      begin.lastIndex = end.exec(part)?.index ?? part.length
      if (part.slice(start, begin.lastIndex) === mark) continue
      found.push({ start: from + start, end: from + begin.lastIndex, by: mark })
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
