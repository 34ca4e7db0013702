/**
 * `parley mcp inspect`: who a server is, and all that it offers.
 */
import type { Implementation, ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import * as Revision from "@parley/mcp/wire/Revision"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandError } from "../../terminal/CommandError.ts"
import { print, printable, printableLine } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as listing from "../offer/listing.ts"
import * as Offer from "../offer/Offer.ts"

/** Asks for everything, and shows it. */
export const inspect = (input: Connection.Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    const { capabilities, instructions, offer, revision, serverInfo, told } = yield* Connection.run(
      input,
      ({ client, wait }) =>
        Effect.gen(function*() {
          const offer = yield* wait(Offer.all(client))
          const told = yield* wait(toldBy(client))
          const { capabilities, instructions, revision, serverInfo } = client
          return { serverInfo, revision, capabilities, instructions, offer, told }
        })
    )
    const revisions = Option.isSome(input.revision) ? told : [...told, ...yield* legacyOf(input, told)]
    if (input.json) {
      return yield* Connection.printJson({ serverInfo, revision, revisions, capabilities, instructions, ...offer })
    }
    const head = [
      nameOf(serverInfo),
      `revision      ${revision}${printableLine(othersOf(revision, revisions))}`,
      `capabilities  ${capabilities === undefined ? "not known" : namesOf(capabilities).join(", ") || "none"}`,
      ...instructions === undefined
        ? []
        : [`instructions  ${instructions.trim().replaceAll("\n", "\n              ")}`]
    ]
    const blocks = listing.sectionsOf(offer).map(({ entries, title }) =>
      [`${title} (${entries.length})`, ...listing.tree(entries).map((line) => `  ${line}`)].join("\n")
    )
    yield* print([head.map(printable).join("\n"), ...blocks].join("\n\n"))
  })

/** The revision in use, and others where the server tells: of the modern era. */
const toldBy = ({ discover, revision }: Connection.Connected["client"]) => {
  const one: ReadonlyArray<string> = [revision]
  return discover.pipe(
    Effect.map(({ supportedVersions }): ReadonlyArray<string> => supportedVersions),
    Effect.catchTags({ UnsupportedCapability: () => Effect.succeed(one), ProtocolError: () => Effect.succeed(one) })
  )
}

const othersOf = (revision: string, revisions: ReadonlyArray<string>): string => {
  const others = revisions.filter((one) => one !== revision)
  return others.length === 0 ? "" : `; also ${others.join(", ")}`
}

/** One after the other, so that of a server that is started there is never more than one. */
const legacyOf = (input: Connection.Input, told: ReadonlyArray<string>) =>
  Effect.filter(
    Revision.ofEra("legacy").filter((revision) => !told.includes(revision)),
    (revision) => Connection.speaks(input, revision)
  )

const nameOf = (info: Implementation | undefined): string => {
  if (info === undefined) return "a server that has not said who it is"
  const { description, name, title, version, websiteUrl } = info
  return [
    title === undefined ? `${name} ${version}` : `${title} (${name} ${version})`,
    ...description === undefined ? [] : [description],
    ...websiteUrl === undefined ? [] : [websiteUrl]
  ].map(printableLine).join("\n")
}

/** Each capability, with what it says about itself. */
const namesOf = (capabilities: ServerCapabilities): ReadonlyArray<string> =>
  Object.entries(capabilities).map(([name, value]) => {
    const parts = Object.entries(value ?? {}).flatMap(([part, has]) => has === false ? [] : [part])
    return printableLine(parts.length === 0 ? name : `${name} (${parts.join(", ")})`)
  })
