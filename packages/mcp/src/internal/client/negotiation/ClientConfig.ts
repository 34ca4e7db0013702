/**
 * What a client was given, with every default in its place.
 */
import * as Duration from "effect/Duration"
import type { ClientExtension } from "../../../client/ClientExtension.ts"
import type { ClientOptions } from "../../../client/ClientOptions.ts"
import type { McpHandlers } from "../../../client/McpHandlers.ts"
import type { ClientCapabilities, Implementation } from "../../../payload/Capabilities.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import * as Tasks from "../../../payload/Tasks.ts"
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
  readonly logLevel: LogLevel | undefined
  readonly cacheSize: number
  readonly checkResults: boolean
  /** Whether results are refused where others are used as far as they go. */
  readonly isStrict: boolean
  readonly maxInputRounds: number
  /** How the client takes part in tasks. */
  readonly tasks: TaskConfig
  readonly read: ResultReader.ResultReader
}

/** Times are milliseconds. @internal */
export interface TaskConfig {
  /** Whether servers of the modern era are told that calls may become tasks. */
  readonly declares: boolean
  readonly timeout: number
  readonly maxTimeout: number
  /** Whether a server may ask us by tasks. */
  readonly answers: boolean
}

/** @internal */
export const make = (
  options: ClientOptions<McpHandlers<unknown>, ClientExtension<unknown>>,
  log: (message: string) => void
): ClientConfig => {
  const tasks = tasksOf(options.tasks)
  return {
    info: {
      name: options.name,
      version: options.version,
      ...(options.title !== undefined && { title: options.title }),
      ...(options.description !== undefined && { description: options.description }),
      ...(options.websiteUrl !== undefined && { websiteUrl: options.websiteUrl }),
      ...(options.icons !== undefined && { icons: options.icons })
    },
    capabilities: (era) => ({
      ...capabilitiesOf(options.handlers ?? {}, tasks),
      ...extensionsOf(options.extensions ?? [], tasks, era)
    }),
    revision: options.revision ?? "auto",
    timeout: millis(options.timeout ?? Duration.seconds(30)),
    maxTimeout: millis(options.maxTimeout ?? Duration.minutes(10)),
    initializeTimeout: options.initializeTimeout === undefined ? undefined : millis(options.initializeTimeout),
    probe: millis(options.probe ?? Duration.seconds(2)),
    logLevel: options.logLevel,
    cacheSize: options.cacheSize ?? 256,
    checkResults: options.checkResults ?? true,
    isStrict: options.strict === true,
    maxInputRounds: options.maxInputRounds ?? 16,
    tasks,
    read: options.strict === true ? ResultReader.strict : ResultReader.lenient(log)
  }
}

const tasksOf = (tasks: ClientOptions["tasks"] = false): TaskConfig => {
  const options = typeof tasks === "boolean" ? {} : tasks
  return {
    declares: tasks !== false,
    timeout: millis(options.timeout ?? Duration.hours(1)),
    maxTimeout: millis(options.maxTimeout ?? Duration.hours(24)),
    answers: options.answers === true
  }
}

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

const extensionsOf = (
  extensions: ReadonlyArray<ClientExtension<unknown>>,
  tasks: TaskConfig,
  wanted: Era
): Pick<ClientCapabilities, "extensions"> | undefined => {
  const used = extensions.flatMap(({ era, identifier, settings }) =>
    settings === undefined || (era !== undefined && era !== wanted) ? [] : [[identifier, settings] as const]
  )
  const declared = tasks.declares && wanted === "modern" ? [[Tasks.extension, {}] as const, ...used] : used
  return declared.length === 0 ? undefined : { extensions: Object.fromEntries(declared) }
}

/** The handlers that there are, as a server hears of them. */
const capabilitiesOf = (
  { elicit, elicitUrl, roots, sample, sampling }: McpHandlers<unknown>,
  { answers }: TaskConfig
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
    }),
    ...(answers && (elicits || sample !== undefined) && {
      tasks: {
        list: {},
        cancel: {},
        requests: {
          ...(sample !== undefined && { sampling: { createMessage: {} } }),
          ...(elicits && { elicitation: { create: {} } })
        }
      }
    })
  }
}
