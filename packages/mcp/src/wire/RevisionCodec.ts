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
import * as Revision from "./Revision.ts"
import * as RevisionFeatures from "./RevisionFeatures.ts"

const make = (revision: Revision.Revision) => {
  const methods = RevisionFeatures.methodsOf(revision)
  const features = RevisionFeatures.of(revision)
  const era = Revision.era(revision)
  return {
    /** The date of the revision. */
    revision,
    /** The era that it belongs to. */
    era,
    /** Tells whether clients may send a request of this method. */
    serverServes: (method: string): boolean => methods.serverServes.has(method),
    /** Tells whether servers may ask for this method. */
    clientServes: (method: string): boolean => methods.clientServes.has(method),
    /** Tells whether clients may send a notification of this method. */
    serverHears: (method: string): boolean => methods.serverHears.has(method),
    /** Tells whether servers may send a notification of this method. */
    clientHears: (method: string): boolean => methods.clientHears.has(method),
    /** The features of the revision, as plain data. */
    features,
    /**
     * The code with which an error leaves in this revision. The modern era forbids -32019 to -32000 and -32042: such a code
     * moves up by 900, so that -32002 becomes -31102. The errors of JSON-RPC itself, of middleware, of handlers and of servers
     * behind a gateway all pass here.
     */
    errorCode: (code: number): number => era === "modern" ? unreserved(code) : code,
    /** Records to the JSON of the revision. */
    encode: encoder.make(revision, features),
    /** The JSON of the revision to records. */
    decode: decoder.make(features),
    /** Completes a result before it leaves a server. */
    seal: encoder.seal(features)
  }
}

/**
 * The parts of a revision that a connection uses.
 *
 * @category models
 * @since 0.1.0
 */
export interface RevisionCodec extends Readonly<ReturnType<typeof make>> {}

/** A code outside of -32768 to -32000, which is for applications, in place of one that must not be sent. */
const unreserved = (code: number): number => (code >= -32019 && code <= -32000) || code === removed ? code + 900 : code

/** The code of earlier revisions for a URL that must be opened first. */
const removed = -32042

const codecs: { [R in Revision.Revision]?: RevisionCodec } = {}

/** The codec of a revision: the same value each time. @category constructors @since 0.1.0 */
export const of = (revision: Revision.Revision): RevisionCodec => codecs[revision] ??= make(revision)

/** The codec that clients and servers of the newest revision speak. @category constants @since 0.1.0 */
export const latest: RevisionCodec = of(Revision.latest)
