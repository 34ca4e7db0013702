/** Of the framings of protocol, and of what reads and writes its texts. */
import type { AcceptedSurvivors } from "../Survivor.ts"

export const framings: AcceptedSurvivors = {
  "packages/protocol/src/internal/framing/concatenated.ts": [
    {
      line: "if (held.size === 0 && end - from <= limit) return run.add(from, end)",
      mutators: ["EqualityOperator"],
      reason: "a shortcut: what it leaves is held, and becomes the same frame"
    },
    {
      line: "frames.push(held.take(false))",
      mutators: ["BooleanLiteral"],
      reason: "no JSON value ends with a CR"
    },
    {
      line: `if (value.state === "reading") held.add(chunk, from, chunk.length)`,
      mutators: ["ConditionalExpression"],
      reason: "nothing is left of the chunk in the other states"
    },
    {
      line: `return [value.mayEnd() ? held.take(false) : lost("Truncated", "the input ended inside a JSON value")`,
      mutators: ["BooleanLiteral"],
      reason: "no JSON value ends with a CR"
    },
    {
      line: `return this.state === "reading" ? this.proceed(chunk, start + 1) : start + 1`,
      mutators: ["ConditionalExpression"],
      reason: "a shortcut: the byte is read in the next turn"
    },
    {
      line: "while (at < end && kinds[chunk[at]!] === other) at++",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "behind the end there is no byte, of no kind"
    },
    {
      line: "while (at < chunk.length && isInNumber(chunk[at]!)) at++",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "behind the end there is no byte, of no kind"
    }
  ],
  "packages/protocol/src/internal/framing/contentLength.ts": [
    {
      line: "if (held.size === 0 && utf8 && end - start === missing && missing <= limits.frame) {",
      mutators: ["BlockStatement", "ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: what it leaves is held, and becomes the same frame"
    },
    {
      line: "for (let index = 0; index < name.length; index++) if (chunk[start + index] !== name[index]) return -",
      mutators: ["ArithmeticOperator", "ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: what it leaves is read as any header block"
    },
    {
      line: "while (isDigit(chunk[at])) at++",
      mutators: ["ConditionalExpression", "UpdateOperator"],
      reason: "a shortcut: what it leaves is read as any header block"
    },
    {
      line: "if (at === digits || at - digits > digitsMax) return -1",
      mutators: ["ArithmeticOperator"],
      reason: "a shortcut: what it leaves is read as any header block"
    },
    {
      line: "for (let index = 0; index < blank.length; index++) if (chunk[at + index] !== blank[index]) return -1",
      mutators: ["ArithmeticOperator", "EqualityOperator"],
      reason: "a shortcut: what it leaves is read as any header block"
    },
    {
      line: "return end - start > limit ? -1 : end",
      mutators: ["EqualityOperator"],
      reason: "a shortcut: what it leaves is read as any header block"
    },
    {
      line: "const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 5",
      mutators: ["ConditionalExpression", "EqualityOperator", "LogicalOperator"],
      reason: "a shortcut: what it leaves is read as any header block"
    },
    {
      line: "if (texts.length === 1 && first.length > shortText) return framed(first)",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: the bytes are the same the long way"
    },
    {
      line: "return bytes.length === all.length ? bytes : concat(texts.map(framed))",
      mutators: ["ConditionalExpression"],
      reason: "a shortcut: the bytes are the same the long way"
    }
  ],
  "packages/protocol/src/internal/depth.ts": [
    {
      line: "text.length > perLevel * limit && opensMore(text, limit) && nestsDeeper(text, limit)",
      mutators: ["ArithmeticOperator", "ConditionalExpression", "EqualityOperator"],
      reason: "a quick look: what it lets through is looked at closely"
    },
    {
      line: "for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {",
      mutators: ["ArithmeticOperator", "UnaryOperator"],
      reason: "a quick look: what it lets through is looked at closely"
    },
    {
      line: "if (++found > limit) return true",
      mutators: ["EqualityOperator"],
      reason: "a quick look: what it lets through is looked at closely"
    },
    {
      line: "return false",
      mutators: ["BooleanLiteral"],
      reason: "a quick look: what it lets through is looked at closely"
    },
    {
      line: "for (let at = 0; at < end; at++) {",
      mutators: ["EqualityOperator"],
      reason: "behind the end there is no character"
    },
    {
      line: "if (at === -1) return false",
      mutators: ["BooleanLiteral", "ConditionalExpression", "UnaryOperator"],
      reason: "a text that ends inside a string is a ParseError in any case"
    },
    {
      line: `for (let at = text.indexOf("\\"", start + 1); at !== -1; at = text.indexOf("\\"", at + 1)) {`,
      mutators: ["UnaryOperator"],
      reason: "behind the end there is no character"
    },
    {
      line: "if ((at - slashes) % 2 === 0) return at",
      mutators: ["ArithmeticOperator"],
      reason: "the same parity"
    }
  ],
  "packages/protocol/src/internal/framing/header.ts": [
    {
      line: "while (start < end && isBlank(value, start)) start++",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "behind the end there is no blank"
    },
    {
      line: "while (end > start && isBlank(value, end - 1)) end--",
      mutators: ["ConditionalExpression"],
      reason: "behind the end there is no blank"
    }
  ],
  "packages/protocol/src/shared/text/Charset.ts": [
    {
      line: `contentType.toLowerCase().split(";").slice(1).every((parameter) => {`,
      mutators: ["MethodExpression"],
      reason: "a media type cannot have the name of a parameter"
    }
  ],
  "packages/protocol/src/shared/text/Bytes.ts": [
    {
      line: "this.parts.push(2 * count < piece.buffer.byteLength ? piece.slice(start, end) : piece.subarray(start",
      mutators: ["ArithmeticOperator", "ConditionalExpression", "EqualityOperator"],
      reason: "decides only what a frame costs in memory"
    },
    {
      line: "if (this.used + end - start > blockBytes) this.closeBlock()",
      mutators: ["EqualityOperator"],
      reason: "decides only what a frame costs in memory"
    },
    {
      line: "if (end - start === 1) this.block[this.used] = piece[start]!",
      mutators: ["ConditionalExpression"],
      reason: "a shortcut: a byte is copied like many"
    },
    {
      line: "if (this.used === 0) return",
      mutators: ["ConditionalExpression"],
      reason: "decides only what a frame costs in memory"
    }
  ],
  "packages/protocol/src/internal/framing/line.ts": [
    {
      line: "for (let at = start; at <= last;) {",
      mutators: ["EqualityOperator"],
      reason: "what is left is a blank line, which is no frame"
    },
    {
      line: "if (held.size > 0 || mayBePart(chunk)) {",
      mutators: ["EqualityOperator"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: "const last = chunk[chunk.length - 1] === newline ? chunk.length - 1 : chunk.lastIndexOf(newline)",
      mutators: ["ArithmeticOperator"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: "if (last < start) {",
      mutators: ["BlockStatement", "ConditionalExpression"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: "const all = start === 0 && last === chunk.length - 1 ? chunk : chunk.subarray(start, last + 1)",
      mutators: ["ArithmeticOperator", "ConditionalExpression"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: "const text = last - start > limit ? undefined : decode(all)",
      mutators: ["ArithmeticOperator", "ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: "if (held.size > 0) finish(frames)",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "what is left is a blank line, which is no frame"
    },
    {
      line: "const mayBePart = (chunk: Uint8Array): boolean => chunk.length >= large && chunk.subarray(0, 512).in",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: `const lines = first === text.length - 1 ? [text.slice(0, first)] : text.slice(0, -1).split("\\n")`,
      mutators: ["ArithmeticOperator", "ConditionalExpression", "MethodExpression"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: "if (before.length === 0 && lines.every(isClean)) return lines",
      mutators: ["ConditionalExpression"],
      reason: "a shortcut: the lines are the same the long way"
    },
    {
      line: "line.length > 0 && line.charCodeAt(0) > 32 && line.charCodeAt(line.length - 1) !== 13",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: what is not clean is looked at closely"
    },
    {
      line: "const isBlank = (line: string): boolean => line.length === 0 || (line.charCodeAt(0) <= 32 && /^[ \\t\\",
      mutators: ["ConditionalExpression"],
      reason: "a quick look before the expression, which decides"
    },
    {
      line: "const isLines = (lines: string, count: number): boolean => {",
      mutators: ["BlockStatement"],
      reason: "a shortcut: every text is made a line by itself"
    },
    {
      line: "let at = -1",
      mutators: ["UnaryOperator"],
      reason: "a shortcut: every text is made a line by itself"
    },
    {
      line: `for (let seen = 0; seen < count; seen++) at = lines.indexOf("\\n", at + 1)`,
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: every text is made a line by itself"
    },
    {
      line: `return at === lines.length - 1 && !lines.includes("\\r")`,
      mutators: ["ArithmeticOperator"],
      to: "lines.length + 1",
      reason: "a shortcut: every text is made a line by itself"
    },
    {
      line: `return at === lines.length - 1 && !lines.includes("\\r")`,
      mutators: ["ConditionalExpression"],
      to: "false",
      reason: "a shortcut: every text is made a line by itself"
    }
  ],
  "packages/protocol/src/internal/framing/opening.ts": [
    {
      line: "if (over) return []",
      mutators: ["ConditionalExpression"],
      reason: "after the end there is nothing to begin with"
    },
    {
      line: "bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte)",
      mutators: ["ConditionalExpression"],
      reason: "a byte that is missing is none of the prefix"
    }
  ],
  "packages/protocol/src/internal/framing/run.ts": [
    {
      line: "const last = ends[count - 1]!",
      mutators: ["ArithmeticOperator"],
      reason: "a shortcut: the texts are decoded one by one"
    },
    {
      line: "const text = count === 1 ? undefined : decode(chunk.subarray(first, last))",
      mutators: ["ConditionalExpression"],
      reason: "a shortcut: the texts are decoded one by one"
    },
    {
      line: "const ascii = text !== undefined && text.length === last - first",
      mutators: ["ArithmeticOperator"],
      reason: "a shortcut: the texts are decoded one by one"
    }
  ],
  "packages/protocol/src/internal/text.ts": [
    {
      line: "return extra === undefined ? text : withExtra(text, extra, callMembers)",
      mutators: ["ConditionalExpression"],
      reason: "`withExtra` gives the text back where there is nothing extra"
    },
    {
      line: `isInUse && typeof json === "object" && json !== null ? texts.get(json) : undefined`,
      mutators: ["ConditionalExpression", "LogicalOperator"],
      reason: "a WeakMap has nothing for what is no object"
    },
    {
      line: ": isLongAgain(params) && isNumber(id)",
      mutators: ["ConditionalExpression"],
      reason: "decides only how the text is made"
    },
    {
      line: "return written === undefined && isLongAgain(result) && isNumber(id)",
      mutators: ["ConditionalExpression"],
      reason: "decides only how the text is made"
    },
    {
      line: "wasLong = text.length > long",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "decides only how the text is made"
    },
    {
      line: `wasLong && typeof value === "object" && value !== null && !("toJSON" in value)`,
      mutators: ["ConditionalExpression"],
      to: "false",
      reason: "decides only how the text is made"
    },
    {
      line: "const isNumber = (id: string): boolean => String(Number(id)) === id",
      mutators: ["ConditionalExpression"],
      reason: "decides only how the text is made"
    },
    {
      line: "if (method !== lastMethod) {",
      mutators: ["ConditionalExpression"],
      reason: "decides only how the text is made"
    }
  ],
  "packages/protocol/src/internal/utf8.ts": [
    {
      line: "} catch {",
      mutators: ["BlockStatement"],
      reason: "`undefined` is what a function without a return gives"
    },
    {
      line: "if (text.length > shortText) return encodeLong(text, room)",
      mutators: ["ConditionalExpression", "EqualityOperator"],
      reason: "a shortcut: the bytes are the same the long way"
    },
    {
      line: "const { read, written } = encoder.encodeInto(text, room === 0 ? bytes : bytes.subarray(room))",
      mutators: ["ConditionalExpression"],
      reason: "a shortcut: the bytes are the same the long way"
    },
    {
      line: "return read === text.length ? bytes : concat([bytes.subarray(0, room + written), encoder.encode(text",
      mutators: ["ConditionalExpression"],
      reason: "a shortcut: the bytes are the same the long way"
    }
  ],
  "packages/protocol/src/internal/framing/quoted.ts": [
    {
      line: "return (until - slashes) % 2 === 0 ? until : until + 1",
      mutators: ["ArithmeticOperator"],
      reason: "the same parity"
    },
    {
      line: "return (until - slashes) % 2 === 0 ? until : until + 1",
      mutators: ["ArithmeticOperator"],
      reason: "from the backslash on, the loop finds the same"
    }
  ]
}
