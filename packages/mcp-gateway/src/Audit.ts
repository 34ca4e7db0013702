/**
 * The records that a gateway writes of the calls of its servers: who, what, when, for how long, and how it ended.
 *
 * A call has one record, which is written when it ends, however many rounds it took. It says nothing of what was in the call
 * or its result, but where `withArguments` asks for the arguments.
 *
 * ```ts
 * import { McpStdioClient } from "@parley/mcp"
 * import { type Audit, McpGateway } from "@parley/mcp-gateway"
 * import { toLine } from "@parley/mcp-gateway/Audit"
 * import { NodeChildProcess } from "@parley/node"
 * import { Effect } from "effect"
 *
 * const audit: Audit.Audit = { write: (record) => Effect.log(toLine(record)) }
 *
 * export const gateway = McpGateway.make({
 *   name: "gateway",
 *   version: "1.0.0",
 *   audit,
 *   servers: {
 *     files: {
 *       connect: (options) =>
 *         McpStdioClient.make({ ...options, start: NodeChildProcess.makeTransport({ command: "files-server" }) })
 *     }
 *   }
 * })
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/**
 * The end of a call: its server answered, a tool said that it failed, the server answered with an error or not at all, the
 * caller gave up, or the gateway did not let it pass.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = "ok" | "failed" | "error" | "interrupted" | "refused"

/**
 * The record of one call.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuditRecord {
  /** When the call began, in milliseconds of the epoch. */
  readonly time: number
  /** How long it took, in milliseconds. */
  readonly milliseconds: number
  /** The caller, as the host has authenticated them; absent where it has not. */
  readonly principal?: string | undefined
  /** The name that the client gives itself. */
  readonly client?: string | undefined
  /** The name of the server; absent where the call was refused before it was known whose the URI is. */
  readonly server?: string | undefined
  readonly method: string
  /** The name of the tool or prompt as the server has it, the URI, or what is completed. */
  readonly name: string
  readonly outcome: Outcome
  /** The code of the error that the caller has. */
  readonly code?: number | undefined
  /** The arguments, where the audit asks for them. */
  readonly arguments?: Schema.Json | undefined
}

/**
 * Where records go.
 *
 * @category models
 * @since 0.1.0
 */
export interface Audit {
  /** Writes a record. The answer of the call waits for it. */
  readonly write: (record: AuditRecord) => Effect.Effect<void>
  /** Whether records have the arguments of calls, which may be secret. `false` by default. */
  readonly withArguments?: boolean | undefined
}

/**
 * A record as one line of JSON, with the time as a date of ISO 8601. Foreign texts cannot break the line, nor hide in it.
 *
 * @category formatting
 * @since 0.1.0
 */
export const toLine = ({ time, ...record }: AuditRecord): string =>
  Excerpt.lines(JSON.stringify({ time: DateTime.formatIso(DateTime.makeUnsafe(time)), ...record }))
