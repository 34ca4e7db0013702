/**
 * The file with the approved definitions of servers.
 *
 * It has the definitions themselves, so that a person can read there what is approved, and see what has changed.
 */
import { uiOf } from "@parley/mcp-apps/McpApps"
import type * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as Pins from "@parley/mcp-gateway/Pins"
import type * as McpClient from "@parley/mcp/McpClient"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import * as wholeFile from "../../files/wholeFile.ts"
import { type CommandError, line, usage } from "../../terminal/CommandError.ts"
import * as json from "../../terminal/json.ts"
import { complain } from "../../terminal/output.ts"
import { version } from "../../terminal/version.ts"
import { explain } from "../failures.ts"
import * as Offer from "../offer/Offer.ts"

/** The pins of each server, in the order of the configuration. */
export type Approved = ReadonlyMap<string, Pins.Pins>

const File = Schema.Struct({
  version: Schema.Literal(2),
  servers: Schema.Array(Schema.Struct({ server: Schema.String, pins: Pins.Pins }))
})

/** Files of the time when a pin was the digest of a tool, and nothing else had one. */
const Digests = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Array(Schema.String)))

/** Reads the text of a file, with the digits of its numbers. */
const decode = (text: string) =>
  Effect.flatMap(
    Effect.try({ try: () => json.parseUnsafe(text), catch: (cause) => cause }),
    Schema.decodeUnknownEffect(File)
  )

const isOfDigests = (text: string): Effect.Effect<boolean> =>
  Effect.match(Schema.decodeUnknownEffect(Schema.fromJsonString(Digests))(text), {
    onFailure: () => false,
    onSuccess: () => true
  })

const old = "an older version wrote it, which approved digests of tools alone"

/** Why there are no pins: the file is absent or old, so that an approval may write it, or it says something else. */
interface Unread {
  readonly cause: unknown
  readonly isFree: boolean
}

const parse = (file: string): Effect.Effect<Approved, Unread> =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause): Unread => ({ cause, isFree: cause instanceof Error && "code" in cause && cause.code === "ENOENT" })
  }).pipe(
    Effect.flatMap((text) =>
      Effect.catch(
        decode(text),
        (error) =>
          Effect.flatMap(
            isOfDigests(text),
            (isOld) => Effect.fail<Unread>({ cause: isOld ? old : error, isFree: isOld })
          )
      )
    ),
    Effect.map(({ servers }) => new Map(servers.map(({ pins, server }) => [server, pins])))
  )

const explained = (file: string) => ({ cause, isFree }: Unread): CommandError =>
  usage(
    `the pins in ${file} cannot be read: ${describeCause(cause)}`,
    isFree
      ? "--approve shows what the servers say now, asks, and writes it"
      : "repair the file, or remove it and approve all with --approve"
  )

/** Reads the approved definitions of a file. */
export const read = (file: string): Effect.Effect<Approved, CommandError> =>
  Effect.mapError(parse(file), explained(file))

/**
 * Reads what was approved before an approval: nothing, where there is no file or an old one. A file that cannot be read
 * is never overwritten, as nobody has seen what it approves.
 */
export const readBefore = (file: string): Effect.Effect<Approved, CommandError> =>
  Effect.catch(
    parse(file),
    (unread) => unread.isFree ? Effect.succeed<Approved>(new Map()) : Effect.fail(explained(file)(unread))
  )

/** The approved definitions of a server: none, where the file does not name it. */
export const of = (approved: Approved, server: string): Pins.Pins => approved.get(server) ?? []

/** Writes the approved definitions. A gateway that starts in the meantime reads the old file or the new one. */
export const write = (file: string, approved: Approved): Effect.Effect<void, CommandError> =>
  Effect.tryPromise({
    try: async () => {
      const servers = Array.from(approved, ([server, pins]) => ({ server, pins }))
      // A person may read the file: what is hidden in a text of JSON can be written as an escape of JSON.
      const text = Excerpt.lines(JSON.stringify({ version: 2, servers }, undefined, 2))
      await wholeFile.replace(file, `${text}\n`)
    },
    catch: (cause) => line(`the pins cannot be written to ${file}: ${describeCause(cause)}`)
  })

/** The pins of a server as it is now: before clients that can be asked nothing, and before those that can be asked all. */
export const found = (name: string, { connect }: McpGateway.Member): Effect.Effect<Pins.Pins, CommandError> =>
  Effect.forEach(
    [{}, everything],
    (handlers) =>
      Effect.scoped(
        Effect.flatMap(connect({ name: "parley", version, handlers, keepDigits: true }), (client) =>
          offered(name, client))
      )
  ).pipe(
    Effect.mapError((error) => explain(error, name)),
    Effect.map((all) => Pins.of(...all))
  )

const offered = (name: string, client: McpClient.McpClient) =>
  Effect.gen(function*() {
    const { prompts, resources = [], resourceTemplates: templates, tools = [] } = yield* Offer.all(client)
    const uris = [...resources.map(({ uri }) => uri), ...tools.flatMap((tool) => uiOf(tool).resourceUri ?? [])]
    const pages = yield* Effect.forEach(new Set(uris.filter(Pins.isPage)), (uri) =>
      client.readResource(uri).pipe(
        Effect.map(({ contents }) => [[uri, contents] as const]),
        // A page that is not read is not approved.
        Effect.catch((error) => Effect.as(complain(`${name}: ${Excerpt.line(uri)} is left out: ${error.message}`), []))
      ))
    const { instructions } = client
    return { instructions, tools, prompts, resources, templates, pages: pages.flat() }
  })

const unanswered = Effect.fail(ErrorResponse.make(ErrorCode.InternalError, "Nobody is here to be asked"))

const everything: McpClient.ClientOptions["handlers"] = {
  elicit: () => unanswered,
  elicitUrl: () => unanswered,
  sample: () => unanswered,
  sampling: { tools: true, context: true },
  roots: unanswered
}
