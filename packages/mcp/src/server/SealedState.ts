/**
 * What a server remembers between two requests, kept by the client: JSON as a text that only this server's keys read.
 *
 * The text is encrypted and authenticated (AES-256-GCM), so a client can neither
 * read it nor change a character of it. Inside stand a principal, the digest of a
 * request and the end of its life: a text is opened only for the same three. To
 * present it again within its life is a legal retry.
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as digest from "../internal/server/questions/digest.ts"

/**
 * What a text is bound to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Binding {
  /** Who makes the request, as the host authenticated them; `undefined` for nobody in particular. */
  readonly principal: string | undefined
  /** What `digestOf` gives for the request. */
  readonly digest: string
}

/**
 * The payload is larger than `maxBytes` when it is sealed.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", {
  bytes: Schema.Int,
  maxBytes: Schema.Int
}) {
  override get message(): string {
    return `the state of a call takes ${this.bytes} bytes, and \`maxBytes\` is ${this.maxBytes}`
  }
}

/**
 * The text is not opened.
 *
 * - `Malformed`: it is no text of ours, was changed, or is too long.
 * - `UnknownKey`: none of our keys sealed it.
 * - `Expired`: its life is over.
 * - `OtherPrincipal`: somebody else was given it.
 * - `OtherRequest`: it was given for another method or other params.
 *
 * @category errors
 * @since 0.1.0
 */
export class StateRefused extends Schema.TaggedError<StateRefused>()("StateRefused", {
  reason: Schema.Literals(["Malformed", "UnknownKey", "Expired", "OtherPrincipal", "OtherRequest"])
}) {
  override get message(): string {
    return `the sealed state is refused (${this.reason}): ${meanings[this.reason]}`
  }
}

const meanings = {
  Malformed: "it is no text of ours, was changed, or is too long",
  UnknownKey: "none of our keys has sealed it",
  Expired: "its life is over",
  OtherPrincipal: "somebody else was given it",
  OtherRequest: "it was given for another method or other params"
}

/**
 * Seals and opens.
 *
 * @category models
 * @since 0.1.0
 */
export interface SealedState {
  /** Gives the text: a few dozen bytes and a third more than the payload has. */
  readonly seal: (payload: Schema.Json, binding: Binding) => Effect.Effect<string, TooLarge>
  /** Gives the payload back. */
  readonly open: (text: string, binding: Binding) => Effect.Effect<Schema.Json, StateRefused>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * Secrets of at least 32 characters. The first seals, all open. To rotate, add a new one behind, everywhere; then put
   * it in front; and drop the old one when `timeToLive` has passed. Processes that serve each other's retries need the
   * same. The default is a random secret, which is gone with the process.
   */
  readonly keys?: ReadonlyArray<Redacted.Redacted> | undefined
  /** How long a text may be presented. The default is 10 minutes. */
  readonly timeToLive?: Duration.Input | undefined
  /** The longest text, in bytes. The default is 64 KiB: it travels with every retry. */
  readonly maxBytes?: number | undefined
}

/** @category constants @since 0.1.0 */
export const defaultTimeToLive = Duration.minutes(10)

/** @category constants @since 0.1.0 */
export const defaultMaxBytes = 64 * 1024

/** The shortest secret: 32 characters, as many as an AES-256 key has bytes. @category constants @since 0.1.0 */
export const minSecretLength = 32

/**
 * The digest of a request: of its method and of the params that a retry repeats, in one canonical form. `_meta`,
 * `inputResponses` and `requestState` are not among them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const digestOf: (method: string, params: Message.Params | undefined) => Effect.Effect<string> = digest.digestOf

/**
 * Seals with the first key and opens with all. A secret that is too short, or none in a list of keys, is a defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options = {}): Effect.Effect<SealedState> =>
  Effect.sync(() => {
    const secrets = options.keys === undefined ? [randomSecret()] : options.keys.map(secretOf)
    if (secrets.length === 0) throw new Error("sealing needs a key: leave `keys` out for a random one")
    const keys = new Keys(secrets)
    const life = Duration.toMillis(options.timeToLive ?? defaultTimeToLive)
    const maxBytes = options.maxBytes ?? defaultMaxBytes
    return {
      seal: Effect.fnUntraced(function*(payload, binding) {
        const now = yield* Clock.currentTimeMillis
        const content: Content = {
          principal: binding.principal ?? null,
          digest: binding.digest,
          until: now + life,
          payload
        }
        const bytes = encoder.encode(JSON.stringify(content))
        const length = textLength(bytes.length)
        if (length > maxBytes) return yield* new TooLarge({ bytes: length, maxBytes })
        const key = yield* Effect.promise(() => keys.first())
        return yield* Effect.promise(() => encrypt(key, bytes))
      }),
      open: Effect.fnUntraced(function*(text, binding) {
        const sealed = text.length > maxBytes ? undefined : parse(text)
        if (sealed === undefined) return yield* refused("Malformed")
        const key = yield* Effect.promise(() => keys.named(sealed.keyId))
        if (key === undefined) return yield* refused("UnknownKey")
        const content = yield* Effect.promise(() => decrypt(key, sealed))
        if (content === undefined) return yield* refused("Malformed")
        if (content.until <= (yield* Clock.currentTimeMillis)) return yield* refused("Expired")
        if (content.principal !== (binding.principal ?? null)) return yield* refused("OtherPrincipal")
        if (content.digest !== binding.digest) return yield* refused("OtherRequest")
        return content.payload
      })
    }
  })

const refused = (reason: StateRefused["reason"]) => new StateRefused({ reason })

/** What is encrypted. */
interface Content {
  readonly principal: string | null
  readonly digest: string
  /** The end of its life, in milliseconds of the epoch. */
  readonly until: number
  readonly payload: Schema.Json
}

/** A text in its parts: `<key id>.<nonce and ciphertext>`, both in Base64Url. */
interface Sealed {
  readonly keyId: string
  readonly nonce: Uint8Array<ArrayBuffer>
  readonly ciphertext: Uint8Array<ArrayBuffer>
}

interface Key {
  readonly id: string
  readonly key: CryptoKey
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const nonceLength = 12
const tagLength = 16
const keyIdLength = 8

/** The text's bytes for so many of content: its key id, a dot, and a third more than what is encrypted. */
const textLength = (content: number): number =>
  Math.ceil(keyIdLength * 4 / 3) + 1 + Math.ceil((nonceLength + content + tagLength) * 4 / 3)

const randomSecret = (): string => Base64Url.encode(globalThis.crypto.getRandomValues(new Uint8Array(32)))

const secretOf = (secret: Redacted.Redacted): string => {
  const text = Redacted.value(secret)
  if (text.length < minSecretLength) throw new Error(`a secret for sealing has at least ${minSecretLength} characters`)
  return text
}

/** Keys are derived from their secrets when the first text is sealed or opened: most servers never do. */
class Keys {
  private readonly secrets: ReadonlyArray<string>
  private derived: Promise<ReadonlyArray<Key>> | undefined

  constructor(secrets: ReadonlyArray<string>) {
    this.secrets = secrets
  }

  async first(): Promise<Key> {
    const [first] = await this.all()
    if (first === undefined) throw new Error("there is no key")
    return first
  }

  async named(id: string): Promise<Key | undefined> {
    return (await this.all()).find((key) => key.id === id)
  }

  private all(): Promise<ReadonlyArray<Key>> {
    return this.derived ??= Promise.all(this.secrets.map(derive))
  }
}

/** The key and its id come from the secret by HKDF under names of their own: the id says nothing about the key. */
const derive = async (secret: string): Promise<Key> => {
  const { subtle } = globalThis.crypto
  const master = await subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits", "deriveKey"])
  const named = (info: string) => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: encoder.encode(`parley mcp request state ${info}`)
  })
  const [id, key] = await Promise.all([
    subtle.deriveBits(named("id"), master, keyIdLength * 8),
    subtle.deriveKey(named("key"), master, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
  ])
  return { id: Base64Url.encode(new Uint8Array(id)), key }
}

const encrypt = async ({ id, key }: Key, content: Uint8Array<ArrayBuffer>): Promise<string> => {
  const nonce = globalThis.crypto.getRandomValues(new Uint8Array(nonceLength))
  const ciphertext = await globalThis.crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, content)
  const bytes = new Uint8Array(nonceLength + ciphertext.byteLength)
  bytes.set(nonce)
  bytes.set(new Uint8Array(ciphertext), nonceLength)
  return `${id}.${Base64Url.encode(bytes)}`
}

/** `undefined` where the text was changed. */
const decrypt = async ({ key }: Key, { ciphertext, nonce }: Sealed): Promise<Content | undefined> => {
  const bytes = await globalThis.crypto.subtle.decrypt({ name: "AES-GCM", iv: nonce }, key, ciphertext).catch(() =>
    undefined
  )
  // What the key authenticates is what `seal` wrote.
  return bytes === undefined ? undefined : JSON.parse(decoder.decode(bytes)) as Content
}

const parse = (text: string): Sealed | undefined => {
  const dot = text.indexOf(".")
  const body = text.slice(dot + 1)
  const bytes = Result.getOrUndefined(Base64Url.decode(body))
  // Base64Url leaves bits of the last character without meaning, and skips line ends: only one spelling is ours.
  if (bytes === undefined || bytes.length < nonceLength + tagLength || Base64Url.encode(bytes) !== body) {
    return undefined
  }
  return {
    keyId: text.slice(0, dot),
    nonce: bytes.slice(0, nonceLength),
    ciphertext: bytes.slice(nonceLength)
  }
}
