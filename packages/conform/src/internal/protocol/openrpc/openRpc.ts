/** A server whose methods are known: by its `rpc.discover`, by a document, or because somebody has given calls of them. */
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Spoken } from "../Protocol.ts"
import * as operations from "./operations.ts"

/** The methods of a server that are known. */
export interface Options {
  readonly document: OpenRpc.Document | undefined
  readonly methods: ReadonlyArray<operations.Given>
}

/** Adds the methods that can be called to plain JSON-RPC, where they are known. */
export const find = Effect.fnUntraced(function*(
  plain: Spoken,
  { document: given, methods }: Options
): Effect.fn.Return<Spoken> {
  const document = given ?? (yield* discovered(plain))
  const described = document === undefined ? [] : operations.ofDocument(document)
  const own = methods.filter(({ method }) => described.every(({ name }) => name !== method)).map(operations.ofGiven)
  const spoken: Spoken = {
    ...plain,
    harmless: plain.harmless,
    operations: Effect.succeed([...described, ...own])
  }
  if (document === undefined) return spoken
  const { info: { title, version } } = document
  return { ...spoken, name: "openrpc", title: `${plain.title}, described by the OpenRPC of ${title} ${version}` }
})

/** The document that a server gives of itself, where it gives one that can be read. */
const discovered = ({ open }: Spoken): Effect.Effect<OpenRpc.Document | undefined> =>
  Effect.gen(function*() {
    const line = yield* open
    const called = yield* operations.call(line, OpenRpc.discover, undefined)
    if (called._tag !== "Accepted") return undefined
    return Result.getOrUndefined(OpenRpc.decode(called.value))
  }).pipe(
    Effect.scoped,
    Effect.option,
    Effect.map(Option.getOrUndefined)
  )
