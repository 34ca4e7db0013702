/**
 * How the two sides get to know each other: `initialize` and `ping` of the legacy
 * era, `server/discover` of the modern one, and the level of log messages.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call } from "@parley/peer/Handler"
import { ErrorCode } from "@parley/protocol/shared"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import * as WireIssue from "../../../wire/WireIssue.ts"
import { withoutNulls } from "../../wire/lenient.ts"
import { listDigests } from "../changes/listDigests.ts"
import { capabilitiesOf, type ServerState } from "../definition/ServerState.ts"
import { done } from "../feature/handler.ts"
import { Auth } from "./Auth.ts"
import type { CallConnection } from "./Exchange.ts"
import type { Answer, LiveCall } from "./LiveCall.ts"

/** The revision that `initialize` asks for, if it names one. @internal */
export const requested = ({ params }: Call): string => {
  const version = typeof params === "object" && Object.hasOwn(params, "protocolVersion")
    // An array has no such member.
    ? (params as Schema.JsonObject)["protocolVersion"]
    : undefined
  return typeof version === "string" ? version : ""
}

/** Agrees on a revision: the one that is asked for, or the newest that shakes hands. @internal */
export const initialize = (connection: CallConnection, call: Call): Answer => {
  const { server } = connection
  if (connection.record.revision !== undefined) return again
  const asked = requested(call)
  const revision = Revision.negotiate(asked, server.protocolVersions)
  if (revision === undefined) {
    return Exit.fail(McpError.unsupportedRevision(asked, Revision.ofEra("modern", server.protocolVersions)))
  }
  const codec = RevisionCodec.of(revision)
  const params = withoutNulls(codec.decode.initializeParams)(call.params)
  if (Result.isFailure(params)) return Exit.fail(McpError.invalidParams(params.failure))
  const { capabilities, clientInfo } = params.success
  if (JSON.stringify([capabilities, clientInfo]).length > mostIntroduced) return tooLong
  connection.update({
    revision,
    clientInfo,
    clientCapabilities: capabilities,
    lists: listDigests(connection.server.offer)
  })
  const all = capabilitiesOf(server, codec, new Auth(connection.callerOf(call), server).principal)
  return Exit.succeed(codec.encode.initializeResult({
    protocolVersion: revision,
    // A client that has no session cannot be told of changes.
    capabilities: connection.isLasting ? all : withoutChanges(all),
    serverInfo: server.told(),
    ...instructed(server)
  }))
}

const withoutChanges = ({ prompts, resources, tools, ...rest }: ServerCapabilities): ServerCapabilities => ({
  ...rest,
  ...(prompts !== undefined && { prompts: {} }),
  ...(resources !== undefined && { resources: {} }),
  ...(tools !== undefined && { tools: {} })
})

/** Characters that a client may say of itself, as JSON: its session keeps them, and there may be thousands of sessions. */
const mostIntroduced = 64 * 1024

const tooLong = Exit.fail(
  McpError.invalidParams(WireIssue.make(`capabilities and clientInfo have more than ${mostIntroduced} characters`))
)

const again = Exit.fail(ErrorResponse.make(ErrorCode.InvalidRequest, "Already initialized"))

const instructed = (server: ServerState) => {
  const instructions = server.instructions()
  return instructions === undefined ? undefined : { instructions }
}

/** @internal */
export const ping = (): Answer => done

/** @internal */
export const discover = ({ connection: { server }, codec }: LiveCall): Answer =>
  Exit.succeed(codec.seal(
    codec.encode.discoverResult({
      supportedVersions: Revision.ofEra(codec.era, server.protocolVersions),
      capabilities: capabilitiesOf(server, codec),
      ...instructed(server),
      ...server.lists.cache
    }),
    server.serverInfo(codec)
  ))

/** @internal */
export const setLevel = ({ connection, params, codec }: LiveCall): Answer => {
  const decoded = codec.decode.setLevelParams(params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  connection.update({ logLevel: decoded.success.level })
  return done
}
