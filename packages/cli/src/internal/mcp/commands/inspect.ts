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
import { bold, dim, paint, type Screen, screenOf } from "../../terminal/style.ts"
import * as wrap from "../../terminal/wrap.ts"
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

const shown = (given: Connection.Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.gen(function*() {
    // Each revision is tried on a connection of its own.
    const input = { ...given, watch: yield* Connection.traced(given) }
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
    const screen = screenOf(process.stdout)
    const said = (label: string, texts: ReadonlyArray<string>) => fieldOf(label, texts, screen)
    const head = [
      ...namesOf(serverInfo).map((name, at) => at === 0 ? paint(screen.coloured, bold, name) : name),
      ...said("protocol", [protocolVersion + othersOf(protocolVersion, protocolVersions)]),
      ...said("capabilities", [
        capabilities === undefined ? "not known" : capabilitiesOf(capabilities).join(", ") || "none"
      ]),
      ...said("extensions", extensionsOf(capabilities)),
      ...said("instructions", instructions === undefined ? [] : instructions.trim().split("\n"))
    ]
    const blocks = listing.sectionsOf(offer).map((section) =>
      [listing.titleOf(section, screen), ...listing.tree(section.entries, { ...screen, margin: "  " })].join("\n")
    )
    yield* print([head.join("\n"), ...blocks].join("\n\n"))
  })

/** Texts behind what they are, below each other; none where there is nothing to say. */
const fieldOf = (label: string, texts: ReadonlyArray<string>, { coloured, width }: Screen): ReadonlyArray<string> =>
  texts.map((text, at) => {
    const left = at === 0 ? paint(coloured, dim, label) + " ".repeat(field - label.length) : " ".repeat(field)
    const shown = printable(text)
    return width === undefined ? left + shown : wrap.line(left, shown, width)
  })

/** Columns of what the texts are. */
const field = "capabilities  ".length

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

const namesOf = (info: Implementation | undefined): ReadonlyArray<string> => {
  if (info === undefined) return ["a server that has not said who it is"]
  const { description, name, title, version, websiteUrl } = info
  return [
    title === undefined ? `${name} ${version}` : `${title} (${name} ${version})`,
    ...description === undefined ? [] : [description],
    ...websiteUrl === undefined ? [] : [websiteUrl]
  ].map(printableLine)
}

/** Each capability, with what it says about itself. */
const capabilitiesOf = (capabilities: ServerCapabilities): ReadonlyArray<string> =>
  Object.entries(capabilities).filter(([name]) => name !== "extensions").map(([name, value]) => {
    const parts = Object.entries(value ?? {}).flatMap(([part, has]) => has === false ? [] : [part])
    return printableLine(parts.length === 0 ? name : `${name} (${parts.join(", ")})`)
  })

/** The extensions that a server declares, with their settings as JSON. */
const extensionsOf = (capabilities: ServerCapabilities | undefined): ReadonlyArray<string> =>
  Object.entries(capabilities?.extensions ?? {}).map(([identifier, settings]) =>
    printableLine(Object.keys(settings).length === 0 ? identifier : `${identifier} ${JSON.stringify(settings)}`)
  )
