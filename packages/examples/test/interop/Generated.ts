/** Contracts that are written from documents of others, and loaded. */
import type { Contract } from "@parley/contract"
import { Codegen, OpenRpc } from "@parley/openrpc"
import type { Caller } from "@parley/peer"
import { Effect, type Stream } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** The types of a contract that is loaded at run time, unknown when this file is compiled. */
export interface Generated {
  readonly contract: Contract.Any
  readonly notices: ReadonlyArray<Codegen.Notice>
  readonly text: string
}

type Failure = Caller.CallError | Contract.InvalidResult | Contract.Lagged

/** A record of JSON. */
export interface Json {
  readonly [name: string]: unknown
}

/** The client of such a contract: a test says what it expects. */
export interface Client {
  readonly call: <A = Json>(method: string, params?: unknown) => Effect.Effect<A, Failure>
  readonly stream: <A = Json>(method: string, params?: unknown) => Stream.Stream<A, Failure>
}

/** Writes the module of a document beside the sources, whose packages it imports, and loads it. */
export const load = (name: string, json: unknown, options: Codegen.CodegenOptions): Effect.Effect<Generated> =>
  Effect.gen(function*() {
    const document = yield* Effect.fromResult(OpenRpc.decode(json))
    const { notices, text } = yield* Effect.fromResult(Codegen.generate(document, { ...options, name }))
    const folder = join(import.meta.dirname, "../../.tmp/generated")
    const file = join(folder, `${name}.ts`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, text)
    const module: { readonly [name: string]: unknown } = yield* Effect.promise(() => import(pathToFileURL(file).href))
    // The contract is exported by its name.
    return { contract: module[name] as Contract.Any, notices, text }
  }).pipe(Effect.orDie)

/** The client of such a contract. */
export const clientOf = (contract: Contract.Any, caller: Caller.Caller): Client => {
  // A contract without types gives a client without types.
  const { client } = contract as unknown as {
    readonly client: (caller: Caller.Caller) => { readonly [method: string]: (params?: unknown) => unknown }
  }
  const members = client(caller)
  const run = (method: string, params: unknown): unknown => (members[method] ?? missing)(params)
  return {
    call: <A>(method: string, params?: unknown) => run(method, params) as Effect.Effect<A, Failure>,
    stream: <A>(method: string, params?: unknown) => run(method, params) as Stream.Stream<A, Failure>
  }
}

const missing = () => {
  throw new TypeError("there is no such method")
}
