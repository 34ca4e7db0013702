/**
 * The file with a line of JSON for each call, which only its owner may read.
 */
import { type AuditRecord, toLine } from "@parley/mcp-gateway/Audit"
import { Excerpt } from "@parley/protocol/shared"
import { describeCause } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type FileHandle, open as openFile } from "node:fs/promises"
import { type CommandError, line } from "../../terminal/CommandError.ts"

/** Appends to a file until the Scope closes, and gives what writes a record. */
export const open = (
  file: string
): Effect.Effect<(record: AuditRecord) => Effect.Effect<void>, CommandError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => own(file),
        catch: (cause) => line(`the audit cannot be written to ${file}: ${describeCause(cause)}`)
      }),
      (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
    ),
    (handle) => writer(file, handle)
  )

/** `open` sets the mode of a new file only. A device, or a file of another user, keeps its mode. */
const own = async (file: string): Promise<FileHandle> => {
  const handle = await openFile(file, "a", ownersOnly)
  try {
    const stat = await handle.stat()
    if (stat.isFile() && stat.uid === process.getuid?.()) await handle.chmod(ownersOnly)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

const ownersOnly = 0o600

/** Whole lines, one after the other. A record that cannot be written is in the log. */
const writer = (file: string, handle: FileHandle) => {
  let last: Promise<unknown> = Promise.resolve()
  return (record: AuditRecord): Effect.Effect<void> => {
    const text = toLine(record)
    return Effect.tryPromise(() => last = last.catch(() => {}).then(() => handle.appendFile(`${text}\n`))).pipe(
      Effect.catch((error) =>
        // escaped: the file is the operator's, and a line of the audit is ASCII
        Effect.logError(`a record of the audit cannot be written to ${file}: ${text}`, Excerpt.cause(Cause.fail(error)))
      )
    )
  }
}
