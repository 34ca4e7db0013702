/**
 * `parley mcp inspect`: who a server is, and all that it offers.
 */
import type { Implementation, ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import * as Revision from "@parley/mcp/wire/Revision"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandError, ExitCode } from "../../terminal/CommandError.ts"
import { print, printable, printableLine } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import { lint } from "../offer/lint.ts"
import * as listing from "../offer/listing.ts"
import * as Offer from "../offer/Offer.ts"

/** The words of the command line for `inspect`. */
export interface Input extends Connection.Input {
  readonly lint: boolean
}

/** Shows the whole offer of a server, or the parts of its tools that models reject. */
export const inspect = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  input.lint ? linted(input) : shown(input)

const linted = (input: Connection.Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    const tools = (yield* Connection.run(input, ({ client, wait }) => wait(Offer.tools(client)))) ?? []
    const findings = lint(tools)
    if (input.json) yield* Connection.printJson(findings)
    else {
      const lines = findings.map(({ path, rule, tool }) =>
        printableLine(`${Excerpt.name(tool)}: ${path.join(".")}: ${rule}`)
      )
      yield* print(lines.length === 0 ? `models take all tools (${tools.length})` : lines.join("\n"))
    }
    if (findings.length === 0) return
    yield* Effect.fail(
      new CommandError({ exitCode: ExitCode.remote, message: `models refuse or miss ${findings.length} things` })
    )
  })

const shown = (input: Connection.Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    const { capabilities, instructions, offer, protocolVersion, serverInfo, told } = yield* Connection.run(
      input,
      ({ client, wait }) =>
        Effect.gen(function*() {
          const offer = yield* wait(Offer.all(client))
          const told = yield* wait(toldBy(client))
          const { capabilities, instructions, protocolVersion, serverInfo } = client
          return { serverInfo, protocolVersion, capabilities, instructions, offer, told }
        })
    )
    const protocolVersions = Option.isSome(input.protocolVersion) ? told : [...told, ...yield* legacyOf(input, told)]
    if (input.json) {
      return yield* Connection.printJson({
        serverInfo,
        protocolVersion,
        protocolVersions,
        capabilities,
        instructions,
        ...offer
      })
    }
    const head = [
      nameOf(serverInfo),
      `protocol      ${protocolVersion}${printableLine(othersOf(protocolVersion, protocolVersions))}`,
      `capabilities  ${capabilities === undefined ? "not known" : namesOf(capabilities).join(", ") || "none"}`,
      ...linesOf("extensions    ", extensionsOf(capabilities)),
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
const toldBy = ({ discover, protocolVersion: revision }: Connection.Connected["client"]) => {
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
  Object.entries(capabilities).filter(([name]) => name !== "extensions").map(([name, value]) => {
    const parts = Object.entries(value ?? {}).flatMap(([part, has]) => has === false ? [] : [part])
    return printableLine(parts.length === 0 ? name : `${name} (${parts.join(", ")})`)
  })

/** The extensions that a server declares, with their settings as JSON. */
const extensionsOf = (capabilities: ServerCapabilities | undefined): ReadonlyArray<string> =>
  Object.entries(capabilities?.extensions ?? {}).map(([identifier, settings]) =>
    printableLine(Object.keys(settings).length === 0 ? identifier : `${identifier} ${JSON.stringify(settings)}`)
  )

/** Lines below each other, behind a word; none where there is nothing to say. */
const linesOf = (word: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line, index) => `${index === 0 ? word : " ".repeat(word.length)}${line}`)
