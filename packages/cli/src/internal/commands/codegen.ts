/**
 * `parley codegen`: the module of an OpenRPC document.
 */
import * as NodeFolder from "@parley/node/NodeFolder"
import * as Codegen from "@parley/openrpc/Codegen"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readFile, writeFile } from "node:fs/promises"
import { dirname, relative, resolve, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { complain, print, printableLine } from "../terminal/output.ts"

/** The arguments and flags of the command. */
export interface Input {
  readonly file: string
  readonly name: Option.Option<string>
  readonly byPosition: Option.Option<boolean>
  readonly keepUnknown: boolean
  readonly ref: ReadonlyArray<string>
  readonly out: Option.Option<string>
}

/** Reads the document, and writes the module to a file or to stdout; what it does not have goes to stderr. */
export const codegen = Effect.fnUntraced(function*(input: Input): Effect.fn.Return<void, CommandError> {
  const { file } = input
  const json = yield* read(file, "FILE is a path to an OpenRPC document", "an OpenRPC document is JSON")
  const base = pathToFileURL(resolve(file)).href
  const documents = yield* others(json, base, yield* Effect.forEach(input.ref, (text) => named(text, base)))
  const options = {
    name: Option.getOrUndefined(input.name),
    byPosition: Option.getOrUndefined(input.byPosition),
    keepUnknown: input.keepUnknown
  }
  const { notices, text } = yield* Effect.mapError(
    Effect.fromResult(
      Result.flatMap(
        OpenRpc.decode(json, { base, documents }),
        (document) => Codegen.generate(document, options)
      )
    ),
    (error) => usage(printableLine(`${file}${error.message}`), hints[error.reason._tag])
  )
  for (const [issue, places] of Map.groupBy(notices, ({ issue }) => issue)) yield* say(file, issue, places)
  if (Option.isNone(input.out)) return yield* print(text.trimEnd())
  const out = input.out.value
  yield* Effect.tryPromise({
    try: () => writeFile(out, text),
    catch: (cause) =>
      usage(`${out} cannot be written: ${describeCause(cause)}`, "without --out, the module goes to stdout")
  })
})

/** Places that stderr names of one issue. The module lists all of them at its head. */
const shown = 3

const say = Effect.fnUntraced(function*(file: string, issue: string, places: ReadonlyArray<Codegen.Notice>) {
  for (const { path } of places.slice(0, shown)) yield* complain(printableLine(`${file}${path}: ${issue}`))
  const more = places.length - shown
  if (more <= 0) return
  const others = more === 1 ? "one more place" : `${more} more places`
  yield* complain(printableLine(`${file}: the same at ${others}, which the module lists: ${issue}`))
})

/** The JSON of a file that the command line names, or of one that a document names within a folder. */
const read = (
  file: string,
  isFile: string,
  isJson: string,
  within?: string | undefined
): Effect.Effect<unknown, CommandError> =>
  Effect.gen(function*() {
    const bytes: Effect.Effect<Uint8Array, unknown> = within === undefined
      ? Effect.tryPromise({ try: () => readFile(file), catch: (cause) => cause })
      : NodeFolder.readFile(within, relative(within, file))
    const content = yield* Effect.mapError(
      bytes,
      (cause) => usage(`${printableLine(file)} cannot be read: ${describeCause(cause)}`, isFile)
    )
    return yield* Effect.try({
      try: (): unknown => JSON.parse(decoder.decode(content)),
      catch: (cause) => usage(`${printableLine(file)} is not JSON: ${describeCause(cause)}`, isJson)
    })
  })

const decoder = new TextDecoder()

interface Named {
  readonly url: string
  readonly file: string
}

/** The first `=` ends the URL, which may be relative to the document: one in a URL is written as `%3D`. */
const named = (text: string, base: string): Effect.Effect<Named, CommandError> => {
  const at = text.indexOf("=")
  const url = text.slice(0, Math.max(at, 0))
  return url !== "" && URL.canParse(url, base)
    ? Effect.succeed({ url: new URL(url, base).href, file: text.slice(at + 1) })
    : Effect.fail(
      usage(`--ref ${text} is not of the form URL=FILE`, "for example --ref https://example.org/types.json=types.json")
    )
}

/** The documents that this one needs: those that the command line names, and files beside it. Nothing is fetched. */
const others = Effect.fnUntraced(function*(
  json: unknown,
  base: string,
  given: ReadonlyArray<Named>
): Effect.fn.Return<ReadonlyMap<string, unknown>, CommandError> {
  const folder = `${dirname(fileURLToPath(base))}${sep}`
  const documents = new Map<string, unknown>()
  const waiting = [...OpenRpc.referred(json, base)]
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    const found = fileOf(url, given) ?? fileWithin(folder, url)
    if (found === undefined || documents.has(url) || url === base) continue
    const isFile = `another document refers to it as ${url}; --ref URL=FILE says where that is`
    const other = yield* read(found.file, isFile, "JSON Schemas are JSON", found.within)
    documents.set(url, other)
    waiting.push(...OpenRpc.referred(other, url))
  }
  return documents
})

interface Found {
  readonly file: string
  /** The folder out of which neither the path nor a link may lead. */
  readonly within?: string
}

/** A URL that ends with a slash names a folder, with all that is below it and nothing beside it. */
const fileOf = (url: string, given: ReadonlyArray<Named>): Found | undefined => {
  const exact = given.find((named) => named.url === url)
  if (exact !== undefined) return { file: exact.file }
  const above = given.find((named) => named.url.endsWith("/") && url.startsWith(named.url))
  if (above === undefined) return undefined
  const folder = `${resolve(above.file)}${sep}`
  // Added to its URL and not resolved against it: what follows may look like a whole URL, or like a path from the root.
  return fileWithin(folder, pathToFileURL(folder).href + url.slice(above.url.length))
}

/** A document may name the files of its folder, and no others: it could come from anywhere. */
const fileWithin = (folder: string, url: string): Found | undefined => {
  if (!url.startsWith("file:")) return undefined
  const file = pathOf(url)
  return file?.startsWith(folder) === true ? { file, within: folder } : undefined
}

/** No file has a URL with a host, or with a slash that is escaped. */
const pathOf = (url: string): string | undefined => {
  try {
    return resolve(fileURLToPath(url))
  } catch {
    return undefined
  }
}

const hints = {
  Malformed: "https://spec.open-rpc.org says what a document has; versions 1.0 to 1.3 are read",
  UnresolvedReference: "references lead into this document, to files of its folder, or to what --ref URL=FILE names",
  UnsupportedSchema: "JSON Schemas are of draft 7 or later"
}
