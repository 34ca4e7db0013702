/**
 * A revision: its methods, its features, and the codec between our records and its JSON.
 *
 * What a revision cannot express is encoded in words that it has, or left out. Decoding checks the members that it
 * knows and keeps the others. Other modules ask here and compare no revisions.
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
  readonly revision: Revision.Revision
  readonly era: Revision.Era
  /** Whether clients may send a request of this method: one of the revision, or of the extension of tasks. */
  readonly serverServes: (method: string) => boolean
  /** Whether servers may ask for this method. */
  readonly clientServes: (method: string) => boolean
  /** Whether clients may send a notification of this method. */
  readonly serverHears: (method: string) => boolean
  /** Whether servers may send a notification of this method. */
  readonly clientHears: (method: string) => boolean
  readonly features: RevisionFeatures.RevisionFeatures
  readonly encode: Encode
  readonly decode: Decode
  readonly seal: Seal
}

const make = (revision: Revision.Revision): RevisionCodec => {
  const methods = RevisionFeatures.methodsOf(revision)
  const features = RevisionFeatures.of(revision)
  return {
    revision,
    era: Revision.era(revision),
    serverServes: (method) =>
      methods.serverServes.has(method) ||
      (features.tasks === "extension" && RevisionFeatures.extensionTasks.has(method)),
    clientServes: (method) => methods.clientServes.has(method),
    serverHears: (method) => methods.serverHears.has(method),
    clientHears: (method) => methods.clientHears.has(method),
    features,
    encode: encoder.make(features),
    decode: decoder.make(features),
    seal: encoder.seal(features)
  }
}

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
