/**
 * What a client was given, with every default in its place.
 */
import * as Duration from "effect/Duration"
import type { ClientExtension } from "../../../client/ClientExtension.ts"
import type { ClientOptions } from "../../../client/ClientOptions.ts"
import type { McpHandlers } from "../../../client/McpHandlers.ts"
import type { ClientCapabilities, Implementation } from "../../../payload/Capabilities.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { Era, Revision } from "../../../wire/Revision.ts"
import * as ResultReader from "./ResultReader.ts"

/** Times are milliseconds. @internal */
export interface ClientConfig {
  readonly info: Implementation
  /** The capabilities that a server of an era hears of. */
  readonly capabilities: (era: Era) => ClientCapabilities
  readonly revision: Revision | "auto"
  readonly timeout: number
  readonly maxTimeout: number
  /** `undefined` where the kind of transport decides. */
  readonly initializeTimeout: number | undefined
  readonly probe: number
  readonly onSilent: (() => void) | undefined
  readonly logLevel: LogLevel | undefined
  readonly cacheSize: number
  readonly checkResults: boolean
  /** Whether results are refused where others are used as far as they go. */
  readonly isStrict: boolean
  readonly maxInputRounds: number
  readonly read: ResultReader.ResultReader
}

/** @internal */
export const make = (
  options: ClientOptions<McpHandlers<unknown>, ClientExtension<unknown>>,
  log: (message: string) => void
): ClientConfig => {
  const { extensions = [], handlers = {} } = options
  return {
    info: {
      name: options.name,
      version: options.version,
      ...(options.title !== undefined && { title: options.title }),
      ...(options.description !== undefined && { description: options.description }),
      ...(options.websiteUrl !== undefined && { websiteUrl: options.websiteUrl }),
      ...(options.icons !== undefined && { icons: options.icons })
    },
    capabilities: (era) =>
      extensions.reduce(
        (all, extension) => declared(all, extension, era, handlers),
        capabilitiesOf(handlers)
      ),
    revision: options.protocolVersion ?? "auto",
    timeout: millis(options.timeout ?? Duration.seconds(30)),
    maxTimeout: millis(options.maxTimeout ?? Duration.minutes(10)),
    initializeTimeout: options.initializeTimeout === undefined ? undefined : millis(options.initializeTimeout),
    probe: millis(options.probe ?? Duration.seconds(2)),
    onSilent: options.onSilent,
    logLevel: options.logLevel,
    cacheSize: options.cacheSize ?? 256,
    checkResults: options.checkResults ?? true,
    isStrict: options.strict === true,
    maxInputRounds: options.maxInputRounds ?? 16,
    read: options.strict === true ? ResultReader.strict : ResultReader.lenient(log)
  }
}

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

/** Capabilities, and what the client declares for an extension in an era. */
const declared = (
  all: ClientCapabilities,
  { capabilities, era, identifier, settings }: ClientExtension<unknown>,
  wanted: Era,
  handlers: McpHandlers<unknown>
): ClientCapabilities => {
  if (era !== undefined && era !== wanted) return all
  const more = capabilities?.(wanted, handlers)
  const extensions = { ...more?.extensions, ...(settings !== undefined && { [identifier]: settings }) }
  return {
    ...all,
    ...more,
    ...(Object.keys(extensions).length > 0 && { extensions: { ...all.extensions, ...extensions } })
  }
}

/** The handlers that there are, as a server hears of them. */
const capabilitiesOf = (
  { elicit, elicitUrl, roots, sample, sampling }: McpHandlers<unknown>
): ClientCapabilities => {
  const elicits = elicit !== undefined || elicitUrl !== undefined
  return {
    ...(roots !== undefined && { roots: { listChanged: true } }),
    ...(sample !== undefined && {
      sampling: {
        ...(sampling?.tools === true && { tools: {} }),
        ...(sampling?.context === true && { context: {} })
      }
    }),
    ...(elicits && {
      elicitation: { ...(elicit !== undefined && { form: {} }), ...(elicitUrl !== undefined && { url: {} }) }
    })
  }
}
