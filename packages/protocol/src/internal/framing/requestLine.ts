/**
 * Whether a stream begins with the request line of HTTP: a method, a target and `HTTP/` (RFC 9112, 3). Or with its
 * status line, `HTTP/1.1 400 …` (RFC 9112, 4), which a client gets that has connected to a server of HTTP.
 *
 * Any token is a method. As RFC 9112 lets servers do, it takes any white space between the words, and before them also
 * line ends and byte order marks. It keeps the bytes of an excerpt only, so that a line may have any length.
 */
import { ascii, excerptBytes } from "../utf8.ts"

export class RequestLine {
  outcome: "open" | "request" | "status" | "other" = "open"
  /** Bytes of the stream before the method. */
  offset: number
  /** The first bytes from the method on, for an excerpt. */
  readonly bytes: Array<number> = []

  private place: "before" | "method" | "status" | "afterMethod" | "target" | "afterTarget" | "version" = "before"
  private matched = 0
  /** Characters of the first word, as long as it may be `HTTP`; -1 where it is another. */
  private spelled = 0

  constructor(offset: number) {
    this.offset = offset
  }

  /** Reads on up to the byte that decides, and returns where it stopped. */
  read(chunk: Uint8Array): number {
    let at = 0
    if (this.place === "before") {
      while (at < chunk.length && kinds[chunk[at]!]! & skipped) at++
      this.offset += at
      if (at === chunk.length) return at
      this.place = "method"
    }
    const start = at
    while (at < chunk.length && this.outcome === "open") at = this.word(chunk, at)
    for (let kept = start; kept < at && this.bytes.length < excerptBytes; kept++) this.bytes.push(chunk[kept]!)
    return at
  }

  /** Reads the rest of a word, or of the white space between two, and returns where it stopped. */
  private word(chunk: Uint8Array, start: number): number {
    let at = start
    if (this.place === "method") at = this.method(chunk, start)
    else if (this.place === "target") { while (at < chunk.length && !(kinds[chunk[at]!]! & end)) at++ }
    else if (this.place !== "version" && this.place !== "status") {
      while (at < chunk.length && kinds[chunk[at]!]! & white) at++
    }
    return at === chunk.length ? at : this.boundary(chunk[at]!, at)
  }

  /** Reads on behind `HTTP/`: two digits of a version with a dot between them, white space, three digits of a status. */
  private status(byte: number, isWhite: boolean): void {
    const kind = statusLine[this.matched]
    const isDigit = byte >= 0x30 && byte <= 0x39
    if (kind === "d" ? !isDigit : kind === " " ? !isWhite : byte !== dot) this.outcome = "other"
    else if (++this.matched === statusLine.length) this.outcome = "status"
  }

  /** Reads a token, and whether it is `HTTP`. */
  private method(chunk: Uint8Array, start: number): number {
    let at = start
    for (; this.spelled >= 0 && at < chunk.length && kinds[chunk[at]!]! & token; at++) {
      this.spelled = chunk[at] === version[this.spelled] ? this.spelled + 1 : -1
    }
    while (at < chunk.length && kinds[chunk[at]!]! & token) at++
    return at
  }

  /** The byte behind a word or white space, or one of the version. */
  private boundary(byte: number, at: number): number {
    const isWhite = (kinds[byte]! & white) !== 0
    if (byte === lineFeed) this.outcome = "other"
    else if (this.place === "method" && byte === slash && this.spelled === 4) this.place = "status"
    else if (this.place === "status") this.status(byte, isWhite)
    else if (this.place === "method" && isWhite) this.place = "afterMethod"
    else if (this.place === "afterMethod") this.place = "target"
    else if (this.place === "target") this.place = "afterTarget"
    else if (this.place === "method" || byte !== version[this.matched]) this.outcome = "other"
    else {
      this.place = "version"
      if (++this.matched === version.length) this.outcome = "request"
    }
    return at + 1
  }
}

const lineFeed = 0x0a
const slash = 0x2f
const dot = 0x2e
const statusLine = "d.d ddd"
const version = ascii("HTTP/")

/** RFC 9112, 3: space, tab, vertical tab, form feed and a bare CR. */
const white = 1
/** What may not stand in a target: white space and the end of the line. */
const end = 2
/** What may stand before the method: white space, line ends and the bytes of a byte order mark. */
const skipped = 4
/** RFC 9110, 5.6.2. */
const token = 8

const kinds = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0b, 0x0c, 0x0d]) kinds[byte] = white | end | skipped
kinds[lineFeed] = end | skipped
for (const byte of [0xef, 0xbb, 0xbf]) kinds[byte] = skipped
for (const byte of ascii("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
  kinds[byte] = token
}
