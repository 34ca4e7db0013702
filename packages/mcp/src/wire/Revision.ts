/**
 * The dated revisions of the Model Context Protocol, and the two eras they belong to.
 *
 * Only this folder and the records name a revision: a member says since when it is there. Other modules ask the
 * `RevisionCodec`.
 *
 * ```ts run
 * import * as Revision from "@parley/mcp/wire/Revision"
 *
 * console.log(Revision.ofEra("legacy")) // => [ '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05' ]
 * console.log(Revision.era("2026-07-28")) // => modern
 * // A server answers an unknown revision with the newest that shakes hands.
 * console.log(Revision.negotiate("2023-01-01")) // => 2025-11-25
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Every revision, the oldest first.
 *
 * @category models
 * @since 0.1.0
 */
export const all = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const

/** The date of a revision. @category models @since 0.1.0 */
export const Revision = Schema.Literals(all)

/** @category models @since 0.1.0 */
export type Revision = typeof Revision.Type

/** A revision with a handshake. @category models @since 0.1.0 */
export type LegacyRevision = Exclude<Revision, "2026-07-28">

/**
 * The era of a revision: `legacy` has a handshake and sessions, `modern` has requests that stand alone.
 *
 * @category models
 * @since 0.1.0
 */
export type Era = "legacy" | "modern"

/** The newest revision. @category models @since 0.1.0 */
export const latest: Revision = "2026-07-28"

/** The newest revision with a handshake. @category models @since 0.1.0 */
export const latestLegacy: Revision = "2025-11-25"

/** Tells whether a text names a revision. @category predicates @since 0.1.0 */
export const isKnown = (input: unknown): input is Revision => known.has(input)

const known: ReadonlySet<unknown> = new Set(all)

/** The era of a revision. @category accessors @since 0.1.0 */
export const era = (revision: Revision): Era => isAtLeast(revision, "2026-07-28") ? "modern" : "legacy"

/** Tells whether a revision is as new as `other`, or newer. @category predicates @since 0.1.0 */
export const isAtLeast = (revision: Revision, other: Revision): boolean => all.indexOf(revision) >= all.indexOf(other)

/** The revisions of one era, the newest first, as errors and `server/discover` list them. @category accessors @since 0.1.0 */
export const ofEra = (wanted: Era, among: ReadonlyArray<Revision> = all): ReadonlyArray<Revision> =>
  all.filter((revision) => era(revision) === wanted && among.includes(revision)).toReversed()

/**
 * The revision that a server answers to `initialize`: the requested one where it is supported,
 * else the newest supported legacy one; `undefined` where there is none.
 *
 * @category accessors
 * @since 0.1.0
 */
export const negotiate = (requested: string, supported: ReadonlyArray<Revision> = all): Revision | undefined => {
  const candidates = ofEra("legacy", supported)
  return candidates.find((revision) => revision === requested) ?? candidates[0]
}
