/**
 * What a revision says: its methods, its traits, and the way between our records and its JSON.
 *
 * Encoding never lies: what a revision cannot say is said in its own words, or
 * left out. Decoding checks what it knows and keeps what it does not. Other
 * modules ask here and compare no revision.
 *
 * @since 0.1.0
 */
import * as decoding from "../internal/wire/decoder.ts"
import * as encoding from "../internal/wire/encoder.ts"
import type { Decode, Encode, Seal } from "./Codec.ts"
import * as Revision from "./Revision.ts"
import * as Traits from "./RevisionFeatures.ts"

/**
 * A revision, for those who speak it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wire {
  readonly revision: Revision.Revision
  readonly era: Revision.Era
  /** Whether clients may send a request of this method. */
  readonly serverServes: (method: string) => boolean
  /** Whether servers may ask for this method. */
  readonly clientServes: (method: string) => boolean
  /** Whether clients may send a notification of this method. */
  readonly serverHears: (method: string) => boolean
  /** Whether servers may send a notification of this method. */
  readonly clientHears: (method: string) => boolean
  readonly traits: Traits.Traits
  readonly encode: Encode
  readonly decode: Decode
  readonly seal: Seal
}

const make = (revision: Revision.Revision): Wire => {
  const methods = Traits.methodsOf(revision)
  const traits = Traits.of(revision)
  return {
    revision,
    era: Revision.era(revision),
    serverServes: (method) => methods.serverServes.has(method),
    clientServes: (method) => methods.clientServes.has(method),
    serverHears: (method) => methods.serverHears.has(method),
    clientHears: (method) => methods.clientHears.has(method),
    traits,
    encode: encoding.make(traits),
    decode: decoding.make(traits),
    seal: encoding.seal(traits)
  }
}

const wires = new Map<Revision.Revision, Wire>()

/** The wire of a revision: the same value each time. @category constructors @since 0.1.0 */
export const of = (revision: Revision.Revision): Wire => {
  const known = wires.get(revision)
  if (known !== undefined) return known
  const wire = make(revision)
  wires.set(revision, wire)
  return wire
}

/** The wire that clients and servers of the newest revision speak. @category constants @since 0.1.0 */
export const latest: Wire = of(Revision.latest)
