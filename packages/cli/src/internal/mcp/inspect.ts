/**
 * `parley mcp inspect`: who a server is, and all that it offers.
 */
import type { Implementation, ServerCapabilities } from "@parley/mcp/Capabilities"
import * as Effect from "effect/Effect"
import type { CommandError } from "../CommandError.ts"
import { print, printable } from "../output.ts"
import type * as Asked from "./Asked.ts"
import * as connecting from "./connecting.ts"
import * as listing from "./listing.ts"
import * as Offer from "./Offer.ts"

/** Asks for everything, and shows it. */
export const inspect = (input: connecting.Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  connecting.run(input, ({ client, wait }) =>
    Effect.gen(function*() {
      const offer = yield* wait(Offer.all(client))
      const revisions = yield* wait(revisionsOf(client))
      const { capabilities, instructions, revision, serverInfo } = client
      if (input.json) {
        return yield* connecting.printJson({ serverInfo, revision, revisions, capabilities, instructions, ...offer })
      }
      const head = [
        nameOf(serverInfo),
        `revision      ${revision}${othersOf(revision, revisions)}`,
        `capabilities  ${capabilities === undefined ? "not known" : namesOf(capabilities).join(", ") || "none"}`,
        ...instructions === undefined
          ? []
          : [`instructions  ${instructions.trim().replaceAll("\n", "\n              ")}`]
      ]
      const blocks = listing.sectionsOf(offer).map(({ entries, title }) =>
        [`${title} (${entries.length})`, ...listing.tree(entries).map((line) => `  ${line}`)].join("\n")
      )
      yield* print([head.map(printable).join("\n"), ...blocks].join("\n\n"))
    }))

/** All revisions, where the server tells: in the legacy era it names only the one. */
const revisionsOf = (client: connecting.Connected["client"]) =>
  client.discover.pipe(
    Effect.map(({ supportedVersions }): ReadonlyArray<string> | undefined => supportedVersions),
    Effect.catchTags({
      UnsupportedCapability: () => Effect.undefined,
      ProtocolError: () => Effect.undefined
    })
  )

const othersOf = (revision: string, revisions: ReadonlyArray<string> = []): string => {
  const others = revisions.filter((one) => one !== revision)
  return others.length === 0 ? "" : `; also ${others.join(", ")}`
}

const nameOf = (info: Implementation | undefined): string => {
  if (info === undefined) return "a server that has not said who it is"
  const { description, name, title, version, websiteUrl } = info
  return [
    title === undefined ? `${name} ${version}` : `${title} (${name} ${version})`,
    ...description === undefined ? [] : [description],
    ...websiteUrl === undefined ? [] : [websiteUrl]
  ].join("\n")
}

/** Each capability, with what it says about itself. */
const namesOf = (capabilities: ServerCapabilities): ReadonlyArray<string> =>
  Object.entries(capabilities).map(([name, value]) => {
    const parts = Object.entries(value ?? {}).flatMap(([part, has]) => has === false ? [] : [part])
    return parts.length === 0 ? name : `${name} (${parts.join(", ")})`
  })
