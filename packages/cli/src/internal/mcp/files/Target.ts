/**
 * The place of `--out`: a file, or a folder. Files that exist are replaced, as by `curl -o`. Servers choose no name: in a
 * folder each file is named by its kind, its number and the ending of its type.
 */
import * as Content from "@parley/mcp/payload/Content"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { mkdir, stat, writeFile } from "node:fs/promises"
import { dirname, join, parse } from "node:path"
import { CommandError, ExitCode, usage } from "../../terminal/CommandError.ts"
import { complain, printableLine } from "../../terminal/output.ts"
import * as extension from "./extension.ts"

/** Where files are written. */
export interface Target {
  readonly isFolder: boolean
  readonly path: string
}

/** Content that a file can hold. */
export interface Attachment {
  readonly kind: Exclude<Content.Content["type"], "resource_link">
  readonly mediaType: string | undefined
  /** Its Base64 may be invalid. */
  readonly bytes: Result.Result<Uint8Array, unknown>
}

/** The place that a flag names. Whether it can be written is told before a server is asked for anything. */
export const fromFlag = (out: Option.Option<string>): Effect.Effect<Target | undefined, CommandError> => {
  if (Option.isNone(out)) return Effect.undefined
  const path = out.value
  return Effect.gen(function*() {
    if (path === "") return yield* usage("--out names no file", "for example --out picture.png")
    if (/[\\/]$/.test(path) || (yield* isFolder(path))) return { isFolder: true, path }
    return (yield* isFolder(dirname(path)))
      ? { isFolder: false, path }
      : yield* usage(`--out: there is no folder ${printableLine(dirname(path))}`, "a path that ends with / makes one")
  })
}

const isFolder = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() => stat(path).then((stats) => stats.isDirectory(), () => false))

/** The images, the audio and the bytes of resources. */
export const ofBlocks = (blocks: ReadonlyArray<Content.Content>): ReadonlyArray<Attachment> =>
  blocks.flatMap((block): ReadonlyArray<Attachment> => {
    switch (block.type) {
      case "image":
      case "audio":
        return [{ kind: block.type, mediaType: block.mimeType, bytes: Base64.decode(block.data) }]
      case "resource":
        return Content.isText(block.resource) ? [] : [ofContents(block.resource)]
      default:
        return []
    }
  })

/** All that a resource holds, text as well. */
export const ofContents = (contents: Content.ResourceContents): Attachment => ({
  kind: "resource",
  mediaType: contents.mimeType ?? (Content.isText(contents) ? "text/plain" : undefined),
  bytes: Content.isText(contents) ? Result.succeed(Buffer.from(contents.text)) : Base64.decode(contents.blob)
})

/** The paths of so many files. */
export const pathsOf = (
  { isFolder, path }: Target,
  attachments: ReadonlyArray<Pick<Attachment, "kind" | "mediaType">>
): ReadonlyArray<string> => {
  if (isFolder) {
    return attachments.map(({ kind, mediaType }, at) => join(path, `${kind}-${at + 1}${extension.ofType(mediaType)}`))
  }
  if (attachments.length === 1) return [path]
  const { dir, ext, name } = parse(path)
  return attachments.map((_, at) => join(dir, `${name}-${at + 1}${ext}`))
}

/** The bytes of each file. Fails where the server has sent one that has none. */
export const bytesOf = (
  attachments: ReadonlyArray<Attachment>
): Effect.Effect<ReadonlyArray<Uint8Array>, CommandError> =>
  Effect.forEach(attachments, ({ bytes, kind }, at) =>
    Result.isSuccess(bytes)
      ? Effect.succeed(bytes.success)
      : new CommandError({
        exitCode: ExitCode.remote,
        message: `the server has sent invalid Base64 as file ${
          at + 1
        } of ${attachments.length} (${kind}): nothing is written`
      }))

/** Writes the files, and tells of each on stderr. Without any, the command has not done what it was to do. */
export const write = Effect.fnUntraced(function*(
  target: Target,
  attachments: ReadonlyArray<Attachment>
): Effect.fn.Return<void, CommandError> {
  const paths = pathsOf(target, attachments)
  if (paths.length === 0) {
    return yield* new CommandError({
      exitCode: ExitCode.remote,
      message: `nothing was written to ${printableLine(target.path)}: the result has no image, audio or other file`
    })
  }
  const all = yield* bytesOf(attachments)
  for (const [at, bytes] of all.entries()) {
    const path = paths[at] ?? target.path
    const mediaType = attachments[at]?.mediaType ?? "no known type"
    yield* Effect.tryPromise({
      try: async () => {
        if (target.isFolder) await mkdir(target.path, { recursive: true })
        await writeFile(path, bytes)
      },
      catch: (cause) =>
        new CommandError({
          exitCode: ExitCode.output,
          message: `${printableLine(path)} cannot be written: ${describeCause(cause)}`
        })
    })
    yield* complain(
      `wrote ${printableLine(path)} (${printableLine(mediaType)}, ${bytes.length} bytes)`
    )
  }
})
