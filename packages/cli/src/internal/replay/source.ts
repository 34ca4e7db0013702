/** The source of `parley mock`: a recording, a document, or what a module exports. */
import type * as Mock from "@parley/conform/Mock"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import * as Recorder from "@parley/traffic/Recorder"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { open, readFile } from "node:fs/promises"
import { documentOf } from "../commands/openrpc.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { printableLine } from "../terminal/output.ts"
import type * as framings from "../wire/framings.ts"
import * as recording from "./recording.ts"

/** The source of a mock, and the framing in which it was recorded. */
export interface Found {
  readonly source: Mock.Source
  readonly framing: framings.Name | undefined
}

/** Finds out what a file is. */
export const sourceOf = (file: string): Effect.Effect<Found, CommandError> => {
  if (isModule.test(file)) return Effect.map(documentOf(file), (source) => ({ source, framing: undefined }))
  return Effect.flatMap(beginningOf(file), (beginning): Effect.Effect<Found, CommandError> =>
    isRecording(beginning)
      ? Effect.map(recording.read(file), (source) => ({ source, framing: recording.framingOf(source) }))
      : Effect.map(described(file), (source) => ({ source, framing: undefined })))
}

const isModule = /\.[cm]?[jt]s(?:#[\w$]+)?$/

/** Bytes of the line that says what a file is. That of a document is its first brace. */
const most = 4_096

const beginningOf = (file: string): Effect.Effect<string, CommandError> =>
  Effect.tryPromise({
    try: async () => {
      await using handle = await open(file)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0)
      return buffer.toString("utf8", 0, bytesRead)
    },
    catch: (cause) =>
      usage(
        `${printableLine(file)} cannot be read: ${describeCause(cause)}`,
        "FILE is a recording, an OpenRPC document, or a module with a contract"
      )
  })

/** Whether the first line is one of a recording, or is longer than those of documents are. */
const isRecording = (beginning: string): boolean => {
  const [first = ""] = beginning.trimStart().split("\n")
  return Result.isSuccess(Recorder.fromLine(first)) || /^\{"(?:recording|time)":/.test(first)
}

const described = (file: string): Effect.Effect<OpenRpc.Document, CommandError> =>
  Effect.tryPromise({
    try: async (): Promise<Schema.Json> => JSON.parse(await readFile(file, "utf8")),
    catch: (cause) => cause
  }).pipe(
    Effect.flatMap((json) => Effect.fromResult(OpenRpc.decode(json))),
    Effect.mapError((cause) =>
      usage(
        `${printableLine(file)} is neither a recording nor an OpenRPC document: ${describeCause(cause)}`,
        "parley record writes recordings, and parley openrpc writes documents"
      )
    )
  )
