/**
 * A revision: its methods, its features, and the codec between our records and its JSON.
 *
 * Encoding replaces what a revision lacks by what it has, or leaves it out. Decoding checks the members that the revision
 * knows, and keeps the others. Other modules ask here, and never compare revisions.
 *
 * ```ts run
 * import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
 * import { Result } from "effect"
 *
 * const { decode, encode, features, serverServes } = RevisionCodec.of("2025-06-18")
 *
 * console.log(serverServes("ping"), serverServes("server/discover")) // => true false
 * console.log(features.structuredContent) // => object
 * console.log(encode.callToolResult({ content: [], structuredContent: 7 })) // => { content: [] }
 * console.log(Result.isFailure(decode.callToolParams({ name: 7 }))) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as decoder from "../internal/wire/decoder.ts"
import * as encoder from "../internal/wire/encoder.ts"
import type { Decode, Encode, Seal } from "./Codec.ts"
import * as Revision from "./Revision.ts"
import * as RevisionFeatures from "./RevisionFeatures.ts"

/**
 * The parts of a revision that a connection uses.
 *
 * @category models
 * @since 0.1.0
 */
export interface RevisionCodec {
  /** The date of the revision. */
  readonly revision: Revision.Revision
  /** The era that it belongs to. */
  readonly era: Revision.Era
  /** Tells whether clients may send a request of this method. */
  readonly serverServes: (method: string) => boolean
  /** Tells whether servers may ask for this method. */
  readonly clientServes: (method: string) => boolean
  /** Tells whether clients may send a notification of this method. */
  readonly serverHears: (method: string) => boolean
  /** Tells whether servers may send a notification of this method. */
  readonly clientHears: (method: string) => boolean
  /** The features of the revision, as plain data. */
  readonly features: RevisionFeatures.RevisionFeatures
  /**
   * The code with which an error leaves in this revision. The modern era forbids -32019 to -32000 and -32042: such a code
   * moves up by 900, so that -32002 becomes -31102. The errors of JSON-RPC itself, of middleware, of handlers and of servers
   * behind a gateway all pass here.
   */
  readonly errorCode: (code: number) => number
  /** Records to the JSON of the revision. */
  readonly encode: Encode
  /** The JSON of the revision to records. */
  readonly decode: Decode
  /** Completes a result before it leaves a server. */
  readonly seal: Seal
}

const make = (revision: Revision.Revision): RevisionCodec => {
  const methods = RevisionFeatures.methodsOf(revision)
  const features = RevisionFeatures.of(revision)
  return {
    revision,
    era: Revision.era(revision),
    serverServes: (method) => methods.serverServes.has(method),
    clientServes: (method) => methods.clientServes.has(method),
    serverHears: (method) => methods.serverHears.has(method),
    clientHears: (method) => methods.clientHears.has(method),
    features,
    errorCode: Revision.era(revision) === "modern" ? unreserved : (code) => code,
    encode: encoder.make(features),
    decode: decoder.make(features),
    seal: encoder.seal(features)
  }
}

/** A code outside of -32768 to -32000, which is for applications, in place of one that must not be sent. */
const unreserved = (code: number): number => (code >= -32019 && code <= -32000) || code === removed ? code + 900 : code

/** The code of earlier revisions for a URL that must be opened first. */
const removed = -32042

const codecs = new Map<Revision.Revision, RevisionCodec>()

/** The codec of a revision: the same value each time. @category constructors @since 0.1.0 */
export const of = (revision: Revision.Revision): RevisionCodec => {
  const known = codecs.get(revision)
  if (known !== undefined) return known
  const codec = make(revision)
  codecs.set(revision, codec)
  return codec
}

/** The codec that clients and servers of the newest revision speak. @category constants @since 0.1.0 */
export const latest: RevisionCodec = of(Revision.latest)
