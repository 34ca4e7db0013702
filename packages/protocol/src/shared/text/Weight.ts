/**
 * How much memory the JSON of a text takes once it is parsed, estimated without parsing it.
 *
 * A limit on the length of texts does not bound memory: 15 MiB of `{},{},…` become 335 MB. The estimate counts what V8
 * allocates for each kind of value, rounded up.
 *
 * Measured with `process.memoryUsage` on Node 24, per character of the text:
 *
 * | Text                                     | Bytes on the heap | Estimate ÷ heap |
 * | ---------------------------------------- | ----------------- | --------------- |
 * | `{},{},…`                                | 21.33             | 1.5             |
 * | `[],[],…`                                | 13.33             | 2.4             |
 * | `[[[…]]]`                                | 27.78             | 1.3             |
 * | digits: `1,2,3,…`                        | 4.0               | 3.0             |
 * | fractions of 16 digits                   | 0.43              | 3.0             |
 * | `{"a":1},{"a":1},…`                      | 5.0               | 2.4             |
 * | a key of its own in each object          | 15.66             | 1.8             |
 * | one object with 200,000 keys             | 8.91              | 2.9             |
 * | a number as the key of each object       | 21.09             | 1.7             |
 * | strings of 3 characters                  | 4.73              | 1.9             |
 * | long strings                             | 1.0               | 1.0             |
 * | long strings beyond Latin-1              | 2.0               | 1.0             |
 * | requests of 160 characters               | 1.94              | 2.3             |
 * | rows of a table                          | 2.42              | 2.0             |
 *
 * ```ts run
 * import { Weight } from "@parley/protocol/shared"
 *
 * const short = "[{},{}]"
 * const long = `[${"{},".repeat(10_000)}{}]`
 *
 * console.log(Weight.ofText(short)) // => 224
 * console.log(Weight.ofText(long) / long.length > 20) // => true
 * ```
 *
 * @since 0.1.0
 */
import { afterString } from "../../internal/depth.ts"

/**
 * An upper estimate of the bytes that the parsed JSON of a text keeps alive. The text itself is not counted.
 *
 * Texts up to 1,024 characters are not looked at: their estimate is 32 bytes per character, the most that any JSON
 * takes. For a text that is not JSON, the estimate is meaningless.
 *
 * @category measuring
 * @since 0.1.0
 */
export const ofText = (text: string): number => text.length <= short ? text.length * most : new Scale(text).weigh()

/**
 * The bytes that a text keeps alive while it waits: 128, and one for each character, or two for each where a character
 * is beyond Latin-1. Texts up to 1,024 characters are not looked at: they count two for each.
 *
 * @category measuring
 * @since 0.1.0
 */
export const ofWaiting = (text: string): number =>
  perText + text.length * (text.length <= short || wide.test(text) ? 2 : 1)

const short = 1_024

/** The bytes that one character of any JSON keeps alive at most. @category measuring @since 0.1.0 */
export const most = 32

/** The pieces that a text was put together from, and its place in a list: some 130 bytes, measured on Node 24. */
const perText = 128

/** A slot in its array or object, and a number that needs a box. */
const perValue = 24
/** An object with room for four members, or an array with its elements. */
const perContainer = 72
const perString = 32
/** A key that no object had at this place before: its string, and a hidden class or an entry of a dictionary. */
const perNewKey = 224
/** The first number among the keys of an object, which gets a dictionary of its own for them. */
const perIndices = 192

/** Levels of which the paths are remembered. The keys of deeper objects all count as new. */
const levels = 64

/** Must be a power of two. */
const remembered = 4_096

const indexPath = 1

/** Unknown to those who send texts, so that they cannot make keys with equal hashes. */
const [random = 0] = crypto.getRandomValues(new Int32Array(1))
const seed = random | 1

/** Weighing is synchronous, so that one text after the other may use these. */
const sharedPaths = new Int32Array(levels)
const sharedSeen = new Int32Array(remembered)

class Scale {
  private readonly text: string
  private readonly bytesPerChar: number
  private weight = perValue
  private depth = 0
  /** The hash of the keys so far, of the object at each level. Objects with equal keys in equal order share a class. */
  private readonly paths = sharedPaths.fill(0)
  private readonly seen = sharedSeen.fill(0)

  constructor(text: string) {
    this.text = text
    this.bytesPerChar = text.includes("\\u") || wide.test(text) ? 2 : 1
  }

  weigh(): number {
    const { text } = this
    for (let at = 0; at < text.length; at++) {
      switch (text.charCodeAt(at)) {
        case quote:
          at = this.string(at)
          break
        case comma:
          this.weight += perValue
          break
        case openArray:
        case openObject:
          this.weight += perContainer
          this.depth++
          if (this.depth < levels) this.paths[this.depth] = 0
          break
        case closeArray:
        case closeObject:
          this.depth--
      }
    }
    return this.weight
  }

  private string(start: number): number {
    const end = afterString(this.text, start) - 1
    if (this.isKey(end + 1)) this.key(start + 1, end)
    else this.weight += perString + (end - start) * this.bytesPerChar
    return end
  }

  private isKey(from: number): boolean {
    let at = from
    while (isBlank(this.text.charCodeAt(at))) at++
    return this.text.charCodeAt(at) === colon
  }

  private key(start: number, end: number): void {
    const { depth, paths, text } = this
    const path = depth < levels ? paths[depth] ?? 0 : 0
    if (isDigit(text.charCodeAt(start))) {
      if (path !== indexPath) this.weight += perIndices
      paths[depth] = indexPath
      this.weight += perString + perValue + (end - start) * this.bytesPerChar
      return
    }
    let hash = path ^ seed
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), seed) ^ hash >>> 15
    paths[depth] = hash
    const place = hash & remembered - 1
    if (this.seen[place] === hash && depth < levels) return
    this.seen[place] = hash
    this.weight += perNewKey + (end - start) * this.bytesPerChar
  }
}

const wide = /[\u0100-\uffff]/

const isDigit = (char: number): boolean => char >= 48 && char <= 57

const isBlank = (char: number): boolean => char === 32 || char === 10 || char === 13 || char === 9

const quote = 34
const comma = 44
const colon = 58
const openArray = 91
const closeArray = 93
const openObject = 123
const closeObject = 125
