/**
 * The state of a server between two requests, which the client keeps: JSON as a text that only the keys of the server read.
 *
 * It belongs to `@parley/oauth` because it is bound to a principal, and written by the rules of JOSE; it knows no MCP. The
 * rounds of `@parley/mcp`, in which a server asks its client, use it.
 *
 * The text is a compact JWE (RFC 7516), encrypted and authenticated with AES-256-GCM under a key of the server (`dir`,
 * `A256GCM`). A client can neither read it nor change a character of it. Beside the payload it holds the name of a
 * server, a principal, the digest of a request and the end of its life. It is opened only for the same server, principal
 * and request, within its life. To present it again within its life is a legal retry.
 *
 * ```ts run
 * import * as SealedState from "@parley/oauth/SealedState"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { open, seal } = yield* SealedState.make({ timeToLive: "1 minute" })
 *   const digest = yield* SealedState.digestOf(["book", { hotel: "Ritz" }])
 *   const binding = { server: "hotel", principal: "ada", digest }
 *   const text = yield* seal({ room: 7 }, binding)
 *   console.log(yield* open(text, binding)) // => { room: 7 }
 *   console.log((yield* Effect.flip(open(text, { ...binding, principal: "eve" }))).reason) // => OtherPrincipal
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import { JsonObject, Relayed } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as bounds from "./internal/server/bounds.ts"
import * as Digest from "./shared/Digest.ts"

/**
 * The server, the principal and the request that a text is bound to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Binding {
  /** The name of the server. Servers with other names refuse the text, though they have the same keys. */
  readonly server: string
  /** The principal of the request, as the host authenticated them; `undefined` where there is none. */
  readonly principal: string | undefined
  /** The digest of the request, as `digestOf` gives it. */
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
 * - `OtherServer`: a server with another name sealed it.
 * - `OtherPrincipal`: somebody else was given it.
 * - `OtherRequest`: it was given for another method or other params.
 *
 * @category errors
 * @since 0.1.0
 */
export class StateRefused extends Schema.TaggedError<StateRefused>()("StateRefused", {
  reason: Schema.Literals(["Malformed", "UnknownKey", "Expired", "OtherServer", "OtherPrincipal", "OtherRequest"])
}) {
  override get message(): string {
    return `the sealed state is refused (${this.reason}): ${meanings[this.reason]}`
  }
}

const meanings = {
  Malformed: "it is no text of ours, was changed, or is too long",
  UnknownKey: "none of our keys has sealed it",
  Expired: "its life is over",
  OtherServer: "a server with another name has sealed it",
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
  /** Gives the text: some 150 bytes, and a third more than the payload and its binding have. */
  readonly seal: (payload: Schema.Json, binding: Binding) => Effect.Effect<string, TooLarge>
  /** Gives the payload back. */
  readonly open: (text: string, binding: Binding) => Effect.Effect<Schema.Json, StateRefused>
}

/**
 * The keys and the bounds of sealed states.
 *
 * @category models
 * @since 0.1.0
 */
export interface SealedStateOptions {
  /**
   * Secrets of at least 32 characters. The first seals, all open. To rotate, add a new one behind, everywhere; then put
   * it in front; and drop the old one when `timeToLive` has passed. Processes that serve each other's retries need the
   * same, and one name. The default is a random secret, which is gone with the process.
   */
  readonly keys?: ReadonlyArray<Redacted.Redacted> | undefined
  /** How long a text may be presented. The default is 10 minutes. */
  readonly timeToLive?: Duration.Input | undefined
  /** The longest text, in bytes. The default is 64 KiB: it travels with every retry. */
  readonly maxBytes?: number | undefined
}

/** The default of `timeToLive`: 10 minutes. @category constants @since 0.1.0 */
export const defaultTimeToLive = Duration.minutes(10)

/** The default of `maxBytes`: 64 KiB. @category constants @since 0.1.0 */
export const defaultMaxBytes = 64 * 1024

/** The shortest secret: 32 characters, as many as an AES-256 key has bytes. @category constants @since 0.1.0 */
export const minSecretLength: number = bounds.minSecretLength

/**
 * The digest of the parts of a request that a retry repeats, whatever the order of the members of an object.
 *
 * @category constructors
 * @since 0.1.0
 */
export const digestOf = (repeated: Schema.Json): Effect.Effect<string> =>
  Effect.promise(() => Digest.sha256(JsonObject.canonical(repeated)))

/**
 * Seals with the first key and opens with all. A secret that is too short, or none in a list of keys, is a defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: SealedStateOptions = {}): Effect.Effect<SealedState> =>
  Effect.sync(() => {
    const secrets = options.keys === undefined ? [randomSecret()] : options.keys.map(secretOf)
    if (secrets.length === 0) throw new Error("sealing needs a key: leave `keys` out for a random one")
    const keys = new Keys(secrets)
    const life = Duration.toMillis(options.timeToLive ?? defaultTimeToLive)
    const maxBytes = options.maxBytes ?? defaultMaxBytes
    return {
      seal: Effect.fnUntraced(function*(payload, { digest, principal, server }) {
        const until = (yield* Clock.currentTimeMillis) + life
        const content: Content = { server, principal: principal ?? null, digest, until, payload }
        const bytes = encoder.encode(JSON.stringify(content))
        const length = textLength(bytes.length)
        if (length > maxBytes) return yield* new TooLarge({ bytes: length, maxBytes })
        return yield* Effect.promise(async () => encrypt(await keys.first(), bytes))
      }),
      open: Effect.fnUntraced(function*(text, binding) {
        if (text.length > maxBytes || !written.test(text)) return yield* refused("Malformed")
        const content = yield* Effect.promise(() => decrypt(keys, text))
        if (typeof content === "string") return yield* refused(content)
        if (content.until <= (yield* Clock.currentTimeMillis)) return yield* refused("Expired")
        if (content.server !== binding.server) return yield* refused("OtherServer")
        if (content.principal !== (binding.principal ?? null)) return yield* refused("OtherPrincipal")
        if (content.digest !== binding.digest) return yield* refused("OtherRequest")
        return content.payload
      })
    }
  })

const refused = (reason: StateRefused["reason"]) => new StateRefused({ reason })

/** What is encrypted. */
interface Content {
  readonly server: string
  readonly principal: string | null
  readonly digest: string
  /** The end of its life, in milliseconds of the epoch. */
  readonly until: number
  readonly payload: Schema.Json
}

interface Key {
  /** The `kid` of texts that it seals. */
  readonly id: string
  readonly key: CryptoKey
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const keyIdLength = 8

const headerOf = (kid: string) => ({ alg: "dir", enc: "A256GCM", kid })

/** How many characters of Base64Url so many bytes take. */
const inBase64 = (bytes: number): number => Math.ceil(bytes * 4 / 3)

const headerLength = inBase64(JSON.stringify(headerOf("k".repeat(inBase64(keyIdLength)))).length)

/** The text's bytes for so many of content: a header, no wrapped key, 12 bytes of nonce, the ciphertext, 16 of a tag. */
const textLength = (content: number): number =>
  headerLength + inBase64(12) + inBase64(content) + inBase64(16) + ".".repeat(4).length

/** The spelling of a text of ours. Base64Url leaves bits of a last character without meaning; here they are all zero. */
const written = /^[\w-]+\.\.[\w-]{16}\.(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?\.[\w-]{21}[AQgw]$/

const randomSecret = (): string => Base64Url.encode(globalThis.crypto.getRandomValues(new Uint8Array(32)))

const secretOf = (secret: Redacted.Redacted): string => {
  const text = Redacted.value(secret)
  if (text.length < bounds.minSecretLength) {
    throw new Error(`a secret for sealing has at least ${bounds.minSecretLength} characters`)
  }
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

  async named(id: string | undefined): Promise<Key | undefined> {
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
    info: encoder.encode(`parley sealed state ${info}`)
  })
  const [id, key] = await Promise.all([
    subtle.deriveBits(named("id"), master, keyIdLength * 8),
    subtle.deriveKey(named("key"), master, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
  ])
  return { id: Base64Url.encode(new Uint8Array(id)), key }
}

// Most servers seal nothing: what they do not use is not loaded.
const encrypt = async ({ id, key }: Key, content: Uint8Array): Promise<string> => {
  const { CompactEncrypt } = await import("jose/jwe/compact/encrypt")
  return new CompactEncrypt(content).setProtectedHeader(headerOf(id)).encrypt(key)
}

/** The content of a text, or why it is not opened. */
const decrypt = async (keys: Keys, text: string): Promise<Content | "UnknownKey" | "Malformed"> => {
  let isKnown = true
  const keyOf = async ({ kid }: { readonly kid?: string }): Promise<CryptoKey> => {
    const known = await keys.named(kid)
    if (known !== undefined) return known.key
    isKnown = false
    throw new Error("no key has this name")
  }
  const { compactDecrypt } = await import("jose/jwe/compact/decrypt")
  try {
    const { plaintext } = await compactDecrypt(text, keyOf, accepted)
    // What the key authenticates is what `seal` wrote.
    return Relayed.parseUnsafe(decoder.decode(plaintext)) as Content
  } catch {
    return isKnown ? "Malformed" : "UnknownKey"
  }
}

const accepted = {
  keyManagementAlgorithms: ["dir"],
  contentEncryptionAlgorithms: ["A256GCM"],
  maxDecompressedLength: 0
}
