/** Contracts that the command line names: files, modules and endpoints. */
import * as ContractDiff from "@parley/conform/ContractDiff"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readFile } from "node:fs/promises"
import * as duration from "../arguments/duration.ts"
import { documentOf } from "../commands/openrpc.ts"
import * as Endpoint from "../Endpoint.ts"
import * as Connection from "../mcp/Connection.ts"
import type * as Asked from "../mcp/dialog/Asked.ts"
import * as Offer from "../mcp/offer/Offer.ts"
import { type CommandError, line, usage } from "../terminal/CommandError.ts"
import { printableLine } from "../terminal/output.ts"
import * as wire from "../wire/Wire.ts"
import { discovered } from "./discovered.ts"

/** How endpoints are reached. */
export interface Input extends Pick<wire.Input, "ca" | "header"> {
  readonly timeout: Option.Option<string>
}

/** A contract, and how it may be named. */
export interface Source {
  readonly name: string
  readonly surface: ContractDiff.Surface
}

/** Reads what a text names. */
export const read = (text: string, input: Input): Effect.Effect<Source, CommandError, Asked.Environment> =>
  Result.isSuccess(Endpoint.fromText(text)) ? ofEndpoint(text, input) : ofFile(text)

const ofFile = Effect.fnUntraced(function*(text: string): Effect.fn.Return<Source, CommandError> {
  const json: unknown = /\.[cm]?[jt]sx?(?:#|$)/.test(text) ? yield* documentOf(text) : yield* jsonOf(text)
  return { name: printableLine(text), surface: yield* surfaceOf(text, json) }
})

const jsonOf = (path: string): Effect.Effect<unknown, CommandError> =>
  Effect.tryPromise({
    try: async (): Promise<unknown> => JSON.parse(await readFile(path, "utf8")),
    catch: (cause) =>
      usage(
        `${printableLine(path)} cannot be read: ${describeCause(cause)}`,
        "a contract is a file of JSON, a module or an endpoint, such as http://127.0.0.1:3000/mcp"
      )
  })

const surfaceOf = (text: string, json: unknown): Effect.Effect<ContractDiff.Surface, CommandError> =>
  Effect.mapError(
    Effect.fromResult(ContractDiff.fromJson(json)),
    (why) =>
      usage(
        `${printableLine(text)}: ${printableLine(why)}`,
        "a contract is an OpenRPC document, the result of tools/list, or a lock"
      )
  )

/** Asks an endpoint for its document, and where it has none, for what it lists. */
const ofEndpoint = Effect.fnUntraced(function*(
  text: string,
  input: Input
): Effect.fn.Return<Source, CommandError, Asked.Environment> {
  const there = yield* wire.fromInput({ ...input, endpoint: text, framing: undefined }, "--framing")
  const timeout = yield* duration.fromFlag(Option.getOrElse(input.timeout, () => "30s"))
  const document = yield* discovered(there, timeout)
  if (Result.isSuccess(document)) {
    return { name: there.name, surface: yield* surfaceOf(there.name, document.success) }
  }
  const offer = yield* Effect.mapError(
    Connection.run(
      { ...input, ...asMcp, envAll: text.startsWith("stdio:"), endpoint: text },
      ({ client, wait }) => wait(Offer.all(client))
    ),
    ({ message }) =>
      line(`${there.name} gives no contract: rpc.discover: ${document.failure}; as a server of MCP: ${message}`)
  )
  return { name: there.name, surface: yield* surfaceOf(there.name, offer) }
})

const asMcp = {
  env: [],
  json: false,
  protocolVersion: Option.none<string>(),
  show: Option.none<string>(),
  secrets: false,
  trace: false
}
