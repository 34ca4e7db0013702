/** The methods of a server that the command line names. */
import type { GivenCall } from "@parley/conform/Conform"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import { Params } from "@parley/protocol/Message"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { printableLine } from "../terminal/output.ts"

/** Reads the document of a file. */
export const document = (file: Option.Option<string>): Effect.Effect<OpenRpc.Document | undefined, CommandError> =>
  Option.isNone(file) ? Effect.undefined : Effect.flatMap(
    Effect.tryPromise({
      try: async (): Promise<unknown> => JSON.parse(await readFile(file.value, "utf8")),
      catch: (cause) =>
        usage(`${printableLine(file.value)} cannot be read: ${describeCause(cause)}`, "--openrpc takes a file of JSON")
    }),
    (json) =>
      Effect.mapError(
        Effect.fromResult(OpenRpc.decode(json)),
        ({ message }) => usage(`${printableLine(file.value)}: ${message}`, "--openrpc takes an OpenRPC document")
      )
  )

/** Reads a call: the name of a method, and its params as JSON. */
export const call = (text: string): Effect.Effect<GivenCall, CommandError> => {
  const end = text.search(/\s/)
  if (end < 0) return Effect.succeed({ method: text })
  return Result.match(paramsOf(text.slice(end)), {
    onSuccess: (params) => Effect.succeed({ method: text.slice(0, end), params }),
    onFailure: () =>
      Effect.fail(usage(
        `--method ${JSON.stringify(text)} has params that are no array and no object`,
        "for example --method 'subtract [42, 23]'"
      ))
  })
}

const paramsOf = Schema.decodeUnknownResult(Schema.fromJsonString(Params))
