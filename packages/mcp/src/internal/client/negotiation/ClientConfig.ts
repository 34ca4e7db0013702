/**
 * What a client was given, with every default in its place.
 */
import * as Duration from "effect/Duration"
import type { Options } from "../../../client/ClientOptions.ts"
import type { McpHandlers } from "../../../client/McpHandlers.ts"
import type { ClientExtension } from "../../../extension/ClientExtension.ts"
import type { ClientCapabilities, Implementation } from "../../../payload/Capabilities.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { Era, Revision } from "../../../wire/Revision.ts"
import * as ResultReader from "./ResultReader.ts"

/** Times are milliseconds. @internal */
export interface ClientConfig {
  readonly info: Implementation
  /** What a server of an era hears of. */
  readonly capabilities: (era: Era) => ClientCapabilities
  readonly revision: Revision | "auto"
  readonly timeout: number
  readonly maxTimeout: number
  /** `undefined` where the kind of transport decides. */
  readonly handshake: number | undefined
  readonly probe: number
  readonly logLevel: LogLevel | undefined
  readonly cached: number
  readonly checkResults: boolean
  readonly rounds: number
  readonly read: ResultReader.ResultReader
}

/** @internal */
export const make = (
  options: Options<McpHandlers<unknown>, ClientExtension<unknown>>,
  log: (message: string) => void
): ClientConfig => ({
  info: {
    name: options.name,
    version: options.version,
    ...(options.title !== undefined && { title: options.title }),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.websiteUrl !== undefined && { websiteUrl: options.websiteUrl }),
    ...(options.icons !== undefined && { icons: options.icons })
  },
  capabilities: (era) => ({
    ...capabilitiesOf(options.handlers ?? {}),
    ...extensionsOf(options.extensions ?? [], era)
  }),
  revision: options.revision ?? "auto",
  timeout: millis(options.timeout ?? Duration.seconds(30)),
  maxTimeout: millis(options.maxTimeout ?? Duration.minutes(10)),
  handshake: options.handshake === undefined ? undefined : millis(options.handshake),
  probe: millis(options.probe ?? Duration.seconds(2)),
  logLevel: options.logLevel,
  cached: options.cached ?? 256,
  checkResults: options.checkResults ?? true,
  rounds: options.rounds ?? 16,
  read: options.strict === true ? ResultReader.strict : ResultReader.lenient(log)
})

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

const extensionsOf = (
  extensions: ReadonlyArray<ClientExtension<unknown>>,
  wanted: Era
): Pick<ClientCapabilities, "extensions"> | undefined => {
  const declared = extensions.flatMap(({ era, identifier, settings }) =>
    settings === undefined || (era !== undefined && era !== wanted) ? [] : [[identifier, settings] as const]
  )
  return declared.length === 0 ? undefined : { extensions: Object.fromEntries(declared) }
}

/** The handlers that there are, as a server hears of them. */
const capabilitiesOf = ({ elicit, elicitUrl, roots, sample, sampling }: McpHandlers<unknown>): ClientCapabilities => ({
  ...(roots !== undefined && { roots: { listChanged: true } }),
  ...(sample !== undefined && {
    sampling: {
      ...(sampling?.tools === true && { tools: {} }),
      ...(sampling?.context === true && { context: {} })
    }
  }),
  ...((elicit !== undefined || elicitUrl !== undefined) && {
    elicitation: { ...(elicit !== undefined && { form: {} }), ...(elicitUrl !== undefined && { url: {} }) }
  })
})
