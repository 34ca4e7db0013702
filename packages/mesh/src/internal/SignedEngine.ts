/**
 * An engine whose texts are authenticated: the node that sends a text writes before it a tag that only holders of a key of
 * the fleet can make, and the node that it is for drops texts without a valid one.
 *
 * ```
 *   ["key id", "node that sends", number, "tag"]
 *   the text
 * ```
 *
 * The tag is an HMAC-SHA-256 of the receiver, the sender, the number and the text. The numbers of a sender only grow, and an
 * engine keeps the order of its texts, so that a text which is delivered again is dropped. The names of nodes are new after
 * each start: no text of an earlier life counts.
 *
 * A tag is checked in another thread, one after the other, and anybody who can write to the engine can send more than that
 * checks: the texts that wait for it have a bound, beyond which a text is dropped unchecked. The mesh takes such a text for
 * one that the engine has lost: it ends the call concerned with `OwnerGone`. A text that waits to be signed is that of a
 * caller, who waits too.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { MeshEngine } from "../MeshEngine.ts"
import { weightOf } from "./Weight.ts"

/**
 * The weight of texts that wait for the check of their tags: their characters, and 256 for each. A text that comes alone
 * always fits.
 *
 * @internal
 */
export const mostUnchecked = 67_108_864

/** The shortest secret: 32 characters. @internal */
export const minSecretLength = 32

interface Key {
  readonly id: string
  readonly key: CryptoKey
}

const encoder = new TextEncoder()

const algorithm = { name: "HMAC", hash: "SHA-256" }

const mac = async (key: CryptoKey, text: string): Promise<string> =>
  Base64Url.encode(new Uint8Array(await globalThis.crypto.subtle.sign(algorithm, key, encoder.encode(text))))

const keyOf = async (secret: string): Promise<Key> => {
  const key = await globalThis.crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
    "verify"
  ])
  return { id: (await mac(key, "parley mesh key id")).slice(0, 11), key }
}

const secretOf = (secret: Redacted.Redacted): string => {
  const text = Redacted.value(secret)
  if (text.length >= minSecretLength) return text
  throw new TypeError(`a secret of \`keys\` has at least ${minSecretLength} characters`)
}

const decodeHead = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String, Schema.Int, Schema.String]))
)

const contentOf = (to: string, from: string, number: number, text: string): string =>
  `${JSON.stringify([to, from, number])}\n${text}`

/** Throws for a secret that is too short, and where there is none. */
export const make = (
  engine: MeshEngine,
  secrets: ReadonlyArray<Redacted.Redacted>,
  context: Context.Context<never>,
  unchecked = mostUnchecked
): MeshEngine => {
  const texts = secrets.map(secretOf)
  if (texts.length === 0) throw new TypeError("`keys` has no secret: texts without tags have `unsigned`")
  let derived: Promise<ReadonlyArray<Key>> | undefined
  const keys = () => derived ??= Promise.all(texts.map(keyOf))
  let sent = 0
  // One text after the other: the engine has to be given them in their order.
  let sending: Promise<unknown> = Promise.resolve()

  const sign = async (node: string, to: string, text: string): Promise<string> => {
    const number = ++sent
    const [first] = await keys()
    if (first === undefined) throw new TypeError("there is no key")
    const tag = await mac(first.key, contentOf(to, node, number, text))
    return `${JSON.stringify([first.id, node, number, tag])}\n${text}`
  }

  return {
    beat: (node, milliseconds) => engine.beat(node, milliseconds),
    leave: (node) => engine.leave(node),
    claim: (key, node) => engine.claim(key, node),
    keep: (key, ownership) => engine.keep(key, ownership),
    release: (key, ownership) => engine.release(key, ownership),
    owner: (key) => engine.owner(key),
    join: (name, node) => engine.join(name, node),
    part: (name, node) => engine.part(name, node),
    members: (name) => engine.members(name),
    publish: (node, to, text) =>
      Effect.flatMap(
        Effect.promise(() => {
          const signed = sending.then(() => sign(node, to, text))
          sending = signed.catch(() => undefined)
          return signed
        }),
        (signed) => engine.publish(node, to, signed)
      ),
    subscribe: (node, onText) => {
      const gate = new Gate(node, keys, context, unchecked)
      let taking: Promise<unknown> = Promise.resolve()
      let waiting = 0
      return engine.subscribe(node, (text) => {
        // A text that cannot be of the fleet is refused at once.
        const claimed = gate.read(text)
        if (claimed === undefined) return gate.refuse("untagged")
        const weight = weightOf(text)
        if (waiting > 0 && waiting + weight > unchecked) return gate.refuse("unchecked")
        waiting += weight
        taking = taking.then(async () => {
          if (await gate.admits(claimed)) onText(claimed.text)
          else gate.refuse("untagged")
        }).catch((defect) => gate.fail(defect)).then(() => {
          waiting -= weight
        })
      })
    }
  }
}

interface Claimed {
  readonly id: string
  readonly from: string
  readonly number: number
  readonly tag: string
  readonly text: string
}

/** Tells the texts of the fleet from others, for one node. */
class Gate {
  readonly #node: string
  readonly #keys: () => Promise<ReadonlyArray<Key>>
  readonly #context: Context.Context<never>
  /** The last number of each sender. The sender that was silent for longest is the first. */
  readonly #last = new Map<string, number>()
  #refused = { untagged: 0, unchecked: 0 }
  #toldAt = Number.NEGATIVE_INFINITY
  /** The weight of texts that may wait for their check. */
  readonly #unchecked: number

  constructor(
    node: string,
    keys: () => Promise<ReadonlyArray<Key>>,
    context: Context.Context<never>,
    unchecked: number
  ) {
    this.#node = node
    this.#keys = keys
    this.#context = context
    this.#unchecked = unchecked
  }

  read(text: string): Claimed | undefined {
    const end = text.indexOf("\n")
    if (end === -1 || end > longestHead) return undefined
    const head = Option.getOrUndefined(decodeHead(text.slice(0, end)))
    if (head === undefined) return undefined
    const [id, from, number, tag] = head
    return { id, from, number, tag, text: text.slice(end + 1) }
  }

  async admits({ from, id, number, tag, text }: Claimed): Promise<boolean> {
    const known = (await this.#keys()).find((key) => key.id === id)
    const given = bytesOf(tag)
    if (known === undefined || given === undefined) return false
    const content = encoder.encode(contentOf(this.#node, from, number, text))
    if (!(await globalThis.crypto.subtle.verify(algorithm, known.key, given, content))) return false
    if (number <= (this.#last.get(from) ?? 0)) return false
    this.#last.delete(from)
    this.#last.set(from, number)
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= mostSenders) break
      this.#last.delete(oldest)
    }
    return true
  }

  /** A text that cannot be taken stops no later one. */
  fail(defect: unknown) {
    // escaped: the name of this node.
    const told = Effect.logError(
      `the node ${this.#node} could not take a text of the fleet`,
      Excerpt.cause(Cause.die(defect))
    )
    Effect.runForkWith(this.#context)(told)
  }

  /** The log hears of them once in a minute. */
  refuse(why: "untagged" | "unchecked") {
    this.#refused[why]++
    const now = Context.get(this.#context, Clock.Clock).currentTimeMillisUnsafe()
    if (now - this.#toldAt < 60_000) return
    const node = this.#node
    const { unchecked, untagged } = this.#refused
    this.#toldAt = now
    this.#refused = { untagged: 0, unchecked: 0 }
    const others = unchecked === 0
      ? ""
      : `, and ${unchecked} unchecked while ${this.#unchecked} characters waited for their check`
    Effect.runForkWith(this.#context)(
      // escaped: the name of this node and numbers.
      Effect.logWarning(
        `the node ${node} refused ${untagged} texts without a valid tag of \`keys\`${others}: something else writes to the engine, or a node has other keys`
      )
    )
  }
}

const bytesOf = (tag: string): Uint8Array<ArrayBuffer> | undefined => {
  const decoded = Base64Url.decode(tag)
  return decoded._tag === "Success" ? new Uint8Array(decoded.success) : undefined
}

/** Characters of the line before a text. */
const longestHead = 1_024

/** Senders whose numbers are kept: far more than a fleet has nodes, restarts included. */
const mostSenders = 65_536
