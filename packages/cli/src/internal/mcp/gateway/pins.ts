/**
 * The file with the approved definitions of tools, and their approval.
 */
import type * as McpGateway from "@parley/mcp/gateway/McpGateway"
import * as ToolPins from "@parley/mcp/gateway/ToolPins"
import type * as McpClient from "@parley/mcp/McpClient"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as ErrorCode from "@parley/protocol/ErrorCode"
import { describeCause } from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFile, rename, writeFile } from "node:fs/promises"
import { type CommandError, line, usage } from "../../terminal/CommandError.ts"
import { version } from "../../terminal/version.ts"
import { explain } from "../failures.ts"
import * as Offer from "../offer/Offer.ts"

const File = Schema.Record(Schema.String, ToolPins.ToolPins)

export type Approved = typeof File.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(File))

/** Reads the approved tools of a file. */
export const read = (file: string): Effect.Effect<Approved, CommandError> =>
  Effect.tryPromise({ try: () => readFile(file, "utf8"), catch: (cause) => cause }).pipe(
    Effect.flatMap(decode),
    Effect.mapError((cause) =>
      usage(
        `the pins in ${file} cannot be read: ${describeCause(cause)}`,
        "--approve writes it from the tools as they are now"
      )
    )
  )

/** The approved tools of a server: none, where the file does not name it. */
export const of = (approved: Approved, server: string): ToolPins.ToolPins =>
  Object.hasOwn(approved, server) ? approved[server] ?? {} : {}

/** Writes the approved definitions. A gateway that starts in the meantime reads the old file or the new one. */
export const write = (file: string, approved: Approved): Effect.Effect<void, CommandError> =>
  Effect.tryPromise({
    try: async () => {
      const written = `${file}.${process.pid}`
      await writeFile(written, `${JSON.stringify(approved, undefined, 2)}\n`)
      await rename(written, file)
    },
    catch: (cause) => line(`the pins cannot be written to ${file}: ${describeCause(cause)}`)
  })

/** The pins of a server as it is now: before clients that can be asked nothing, and before those that can be asked all. */
export const found = (name: string, { connect }: McpGateway.Member): Effect.Effect<ToolPins.ToolPins, CommandError> =>
  Effect.forEach(
    [{}, everything],
    (handlers) => Effect.scoped(Effect.flatMap(connect({ name: "parley", version, handlers }), Offer.tools))
  ).pipe(
    Effect.mapError((error) => explain(error, name)),
    Effect.flatMap((found) => ToolPins.of(found.flatMap((tools) => tools ?? [])))
  )

const unanswered = Effect.fail(ErrorResponse.make(ErrorCode.InternalError, "Nobody is here to be asked"))

const everything: McpClient.Options["handlers"] = {
  elicit: () => unanswered,
  elicitUrl: () => unanswered,
  sample: () => unanswered,
  sampling: { tools: true, context: true },
  roots: unanswered
}

/** The differences between the approved and the current definitions, one per line. */
export const changes = (before: Approved, after: Approved): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted().flatMap((server) => {
    const [old, now] = [toolsOf(before, server), toolsOf(after, server)]
    return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((tool) => {
      const [was, is] = [old.get(tool), now.get(tool)]
      if (is === undefined) return [`- ${server} ${tool}`]
      if (was === undefined) return [`+ ${server} ${tool}`]
      return was.join() === is.join() ? [] : [`~ ${server} ${tool}`]
    })
  })

/** The tools of a server. A server may give them the names that every object has. */
const toolsOf = (approved: Approved, server: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(Object.entries(of(approved, server)))
