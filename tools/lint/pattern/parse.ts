/** Regular expressions as trees, as far as it matters how long they take. */

/** Characters: code units below 256, and one place for all others. */
export type Chars = ReadonlySet<number>

export interface Item {
  /** What it may match. An assertion matches no character. */
  readonly chars: Chars
  readonly isAssertion: boolean
  /** Whether it is `^`, which holds once in a text. */
  readonly isStart: boolean
  /** What must not stand before this place: a negative look-behind at one character. */
  readonly notBehind?: Chars
  readonly min: number
  readonly max: number
  /** What a group holds, where it is repeated. */
  readonly body: ReadonlyArray<Sequence>
}

export type Sequence = ReadonlyArray<Item>

const others = 256

const all: Chars = new Set(Array.from({ length: others + 1 }, (_, code) => code))

const not = (chars: Chars): Chars => new Set([...all].filter((code) => code === others || !chars.has(code)))

const of = (test: RegExp): Chars =>
  new Set([...all].filter((code) => code !== others && test.test(String.fromCharCode(code))))

const digits = of(/\d/)
const words = of(/\w/)
const spaces = new Set([...of(/\s/), others])

const classes: Readonly<Record<string, Chars>> = {
  d: digits,
  D: not(digits),
  w: words,
  W: not(words),
  s: spaces,
  S: not(of(/\s/)),
  p: all,
  P: all,
  k: all
}

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0, b: 8 }

/** Sequences beyond this number are left out: what is reported for one is mostly reported for another. */
const most = 256

/** The ways through a pattern, groups that are not repeated laid open. */
export const parse = (pattern: string, flags: string): ReadonlyArray<Sequence> =>
  new Parser(pattern, flags).alternatives()

class Parser {
  private readonly text: string
  private readonly flags: string
  private at = 0

  constructor(text: string, flags: string) {
    this.text = text
    this.flags = flags
  }

  alternatives(): ReadonlyArray<Sequence> {
    const found: Array<Sequence> = []
    let ways: ReadonlyArray<Sequence> = [[]]
    while (this.at < this.text.length && this.text[this.at] !== ")") {
      if (this.text[this.at] === "|") {
        this.at++
        found.push(...ways)
        ways = [[]]
      } else {
        const parts = this.part()
        ways = ways.flatMap((way) => parts.map((part) => [...way, ...part])).slice(0, most)
      }
    }
    return [...found, ...ways].slice(0, most)
  }

  /** The ways through the next item and its quantifier. */
  private part(): ReadonlyArray<Sequence> {
    if (this.text[this.at] !== "(") return [[this.repeated(this.single())]]
    const isNotBehind = this.text.startsWith("(?<!", this.at)
    const isLook = this.eat(/\(\?<?[=!]/y)
    if (!isLook) this.eat(/\((?:\?:|\?<\w+>)?/y)
    const body = this.alternatives()
    this.at++
    const inside: Chars = new Set(body.flatMap((way) => way.flatMap((item) => [...item.chars])))
    const [min, max] = this.quantifier()
    if (isNotBehind && body.every((way) => way.length === 1)) return [[{ ...assertion, notBehind: inside }]]
    if (isLook) return [[{ ...assertion, body }]]
    if (max === 1) return min === 1 ? body : [...body, []]
    return [[{ ...plain(inside), min: body.some(isEmpty) ? 0 : min, max, body }]]
  }

  private single(): Item {
    const char = this.text[this.at]!
    if (char === "^") return this.at++, { ...assertion, isStart: !this.flags.includes("m") }
    if (char === "$" || this.text.startsWith("\\b", this.at) || this.text.startsWith("\\B", this.at)) {
      this.at += char === "$" ? 1 : 2
      return assertion
    }
    if (char === "[") return plain(this.class())
    if (char === ".") return this.at++, plain(this.flags.includes("s") ? all : not(new Set([10, 13])))
    return plain(this.folded(this.char()))
  }

  private class(): Chars {
    const isNot = this.eat(/\[\^/y)
    if (!isNot) this.at++
    const found = new Set<number>()
    while (this.text[this.at] !== "]") {
      const from = this.char()
      if (from.size === 1 && this.text[this.at] === "-" && this.text[this.at + 1] !== "]") {
        this.at++
        const [first = 0] = from
        const [last = 0] = this.char()
        for (let code = first; code <= last; code++) found.add(code)
      } else for (const code of from) found.add(code)
    }
    this.at++
    return isNot ? not(found) : this.folded(found)
  }

  /** The next character or escape. */
  private char(): Chars {
    const char = this.text[this.at++]!
    if (char !== "\\") return new Set([Math.min(char.charCodeAt(0), others)])
    const escaped = this.text[this.at++]!
    const hex = escaped === "u" || escaped === "x" ? /\{([0-9a-f]+)\}|([0-9a-f]{4})|([0-9a-f]{2})/iy : undefined
    if (hex !== undefined) {
      hex.lastIndex = this.at
      const [digits = "", ...codes] = hex.exec(this.text) ?? []
      this.at += digits.length
      return new Set([Math.min(parseInt(codes.find((code) => code !== undefined) ?? "0", 16), others)])
    }
    const known = classes[escaped]
    if (known !== undefined) {
      if (/[pPk]/.test(escaped)) this.eat(/[{<][^}>]*[}>]/y)
      return known
    }
    return new Set([controls[escaped] ?? Math.min(escaped.charCodeAt(0), others)])
  }

  private folded(chars: Chars): Chars {
    if (!this.flags.includes("i")) return chars
    return new Set([...chars].flatMap((code) => {
      const char = String.fromCharCode(code)
      return [code, char.toLowerCase().charCodeAt(0), char.toUpperCase().charCodeAt(0)]
    }))
  }

  private repeated(item: Item): Item {
    const [min, max] = this.quantifier()
    return { ...item, min: Math.min(item.min, min), max: item.isAssertion ? 1 : max }
  }

  private quantifier(): readonly [min: number, max: number] {
    const found = /([*+?])|\{(\d+)(,?)(\d*)\}/y
    found.lastIndex = this.at
    const [text = "", sign, from, comma, to] = found.exec(this.text) ?? []
    this.at += text.length
    if (text === "") return [1, 1]
    this.eat(/\?/y)
    if (sign !== undefined) return [sign === "+" ? 1 : 0, sign === "?" ? 1 : Infinity]
    return [Number(from), comma === "" ? Number(from) : to === "" ? Infinity : Number(to)]
  }

  private eat(sticky: RegExp): boolean {
    sticky.lastIndex = this.at
    if (!sticky.test(this.text)) return false
    this.at = sticky.lastIndex
    return true
  }
}

const plain = (chars: Chars): Item => ({ chars, isAssertion: false, isStart: false, min: 1, max: 1, body: [] })

const assertion: Item = { chars: new Set(), isAssertion: true, isStart: false, min: 1, max: 1, body: [] }

const isEmpty = (way: Sequence): boolean => way.every((item) => item.isAssertion || item.min === 0)
