/**
 * `parley codegen`: the module of an OpenRPC document.
 */
import * as Codegen from "@parley/openrpc/Codegen"
import * as OpenRpcDocument from "@parley/openrpc/OpenRpcDocument"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readFile, writeFile } from "node:fs/promises"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { print } from "../terminal/output.ts"

/** What the command line says. */
export interface Input {
  readonly file: string
  readonly name: Option.Option<string>
  readonly out: Option.Option<string>
}

/** Reads the document, and writes the module to a file or to stdout. */
export const codegen = Effect.fnUntraced(function*(input: Input): Effect.fn.Return<void, CommandError> {
  const { file } = input
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => usage(`${file} cannot be read: ${messageOf(cause)}`, "FILE is a path to an OpenRPC document")
  })
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => usage(`${file} is no JSON: ${messageOf(cause)}`, "an OpenRPC document is JSON")
  })
  const name = Option.getOrUndefined(input.name)
  const module = yield* Effect.mapError(
    Effect.fromResult(
      Result.flatMap(OpenRpcDocument.decode(json), (document) => Codegen.toModule(document, { name }))
    ),
    (error) => usage(`${file}${error.message}`, hints[error.reason._tag])
  )
  if (Option.isNone(input.out)) return yield* print(module.trimEnd())
  const out = input.out.value
  yield* Effect.tryPromise({
    try: () => writeFile(out, module),
    catch: (cause) => usage(`${out} cannot be written: ${messageOf(cause)}`, "without --out, the module goes to stdout")
  })
})

const messageOf = (cause: unknown) => cause instanceof Error ? cause.message : String(cause)

const hints = {
  Malformed: "https://spec.open-rpc.org says what a document has; versions 1.0 to 1.3 are read",
  UnresolvedReference: "references lead to components of the same document",
  UnsupportedSchema: "JSON Schemas are of draft 7"
}
