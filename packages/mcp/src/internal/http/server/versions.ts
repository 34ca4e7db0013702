/** What the headers of a request say about its revision. */
import type { Head } from "@parley/http/RequestRules"
import type { McpServer } from "../../../McpServer.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as Wire from "../../../wire/RevisionCodec.ts"

/** The header that names a session. @internal */
export const sessionHeader = "mcp-session-id"

const versionHeader = "mcp-protocol-version"

/** Whether a request says that it is modern, or wants a revision that nobody knows and has no session. @internal */
export const isModern = (head: Head): boolean => {
  const version = head.header(versionHeader)
  if (version === undefined) return false
  return Revision.isKnown(version) ? Revision.era(version) === "modern" : head.header(sessionHeader) === undefined
}

/** Why a legacy request cannot be taken, in words, if it names a revision that is not spoken. @internal */
export const unspoken = (server: McpServer, head: Head): string | undefined => {
  const version = head.header(versionHeader)
  if (version === undefined || Revision.ofEra("legacy", server.revisions).some((spoken) => spoken === version)) {
    return undefined
  }
  return `the revision ${version} is not spoken here`
}

/**
 * The revision of a legacy request that has no session: what it names, or the newest whose requests name none.
 *
 * @internal
 */
export const ofRequest = (server: McpServer, head: Head): Revision.Revision => {
  const version = head.header(versionHeader)
  if (Revision.isKnown(version)) return version
  const spoken = Revision.ofEra("legacy", server.revisions)
  return spoken.find((revision) => Wire.of(revision).traits.protocolVersionHeader === "none") ?? spoken[0] ??
    Revision.latestLegacy
}
