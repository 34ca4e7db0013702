/**
 * `parley openrpc`: the document of a contract or protocol that a module exports.
 */
import type * as Contract from "@parley/contract/Contract"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import * as json from "../terminal/json.ts"
import { print } from "../terminal/output.ts"

/** The argument of the command. */
export interface Input {
  readonly module: string
}

type Described = Contract.Any | OpenRpc.AnyPair

/** Loads the module, and prints the document. */
export const openrpc = Effect.fnUntraced(function*(input: Input): Effect.fn.Return<void, CommandError> {
  const document = yield* documentOf(input.module)
  // A document has only members of JSON; indented, because it is written to a file to be read.
  yield* print(json.render(document as unknown as Schema.Json, { ...json.styleOf(process.stdout), pretty: true }))
})

/** The document of what a module exports, which has `#` and a name behind it where it exports more than one contract. */
export const documentOf = Effect.fnUntraced(function*(
  module: string
): Effect.fn.Return<OpenRpc.Document, CommandError> {
  const { name, path } = split(module)
  const exported = yield* load(path)
  const found = yield* choose(path, name, exported)
  const info = Option.getOrElse(decodeInfo(exported["info"]), () => ({}))
  return yield* Effect.try({
    try: () => "members" in found ? OpenRpc.fromContract(found, info) : OpenRpc.fromPair(found, info),
    catch: (cause) =>
      usage(
        `${module}: ${describeCause(cause)}`,
        "every Schema needs a JSON Schema, and every example must fit its Schema"
      )
  })
})

/** The `info` that a module of `parley codegen` exports besides the contract. */
const decodeInfo = Schema.decodeUnknownOption(OpenRpc.Info)

/** A path may have `#` in it, and the name of an export has none. */
const split = (text: string): { readonly path: string; readonly name?: string } => {
  const at = text.lastIndexOf("#")
  return at < 0 ? { path: text } : { path: text.slice(0, at), name: text.slice(at + 1) }
}

type Exports = { readonly [name: string]: unknown }

const load = (path: string): Effect.Effect<Exports, CommandError> =>
  Effect.tryPromise({
    try: (): Promise<Exports> => import(pathToFileURL(resolve(path)).href),
    catch: (cause) =>
      usage(
        `${path} cannot be loaded: ${describeCause(cause)}`,
        "MODULE is a path from here to a module, as in src/Bank.ts"
      )
  })

const choose = (path: string, name: string | undefined, exported: Exports): Effect.Effect<Described, CommandError> => {
  const candidates = candidatesOf(exported)
  const names = [...candidates.keys()]
  if (name !== undefined) {
    const value = exported[name]
    return isDescribed(value)
      ? Effect.succeed(value)
      : Effect.fail(usage(`${path} exports no contract and no protocol named ${name}`, hint(path, names)))
  }
  const [only, ...others] = candidates.values()
  if (only !== undefined && others.length === 0) return Effect.succeed(only)
  return Effect.fail(usage(
    names.length === 0
      ? `${path} exports no contract and no protocol`
      : `${path} exports more than one contract or protocol`,
    hint(path, names)
  ))
}

const hint = (path: string, names: ReadonlyArray<string>): string =>
  names.length === 0
    ? "export a contract of Contract.make or a protocol of Protocol.make"
    : `use one of ${names.map((name) => `${path}#${name}`).join(", ")}`

/** By name; each once, and without the sides of a protocol that is there itself. */
const candidatesOf = (exported: Exports): ReadonlyMap<string, Described> => {
  const found = Object.entries(exported).flatMap(([name, value]) => isDescribed(value) ? [[name, value] as const] : [])
  const sides = new Set<Described>(found.flatMap(([, value]) => "members" in value ? [] : [value.client, value.server]))
  const named = new Map<Described, string>()
  for (const [name, value] of found) {
    // A name says more than `default` does.
    if (!sides.has(value) && (!named.has(value) || named.get(value) === "default")) named.set(value, name)
  }
  return new Map(Array.from(named, ([value, name]) => [name, value]))
}

const isDescribed = (value: unknown): value is Described => isContract(value) || isProtocol(value)

const isContract = (value: unknown): value is Contract.Any =>
  isMembers(value) && typeof value["identifier"] === "string" && isMembers(value["members"])
  && typeof value["toLayer"] === "function"

const isProtocol = (value: unknown): value is OpenRpc.AnyPair =>
  isMembers(value) && isContract(value["client"]) && isContract(value["server"]) && isMembers(value["dialect"])

const isMembers = (value: unknown): value is { readonly [name: string]: unknown } =>
  (typeof value === "object" && value !== null) || typeof value === "function"
