/** A configuration of a gateway in a folder of its own, for one test. */
import { Effect, type Scope } from "effect"
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const directory = Effect.acquireRelease(
  Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "parley-")))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

/** A folder with a configuration, and its path. */
export const configured = (
  config: unknown
): Effect.Effect<{ readonly folder: string; readonly file: string }, never, Scope.Scope> =>
  Effect.flatMap(directory, (folder) => {
    const file = join(folder, "servers.json")
    const text = typeof config === "string" ? config : JSON.stringify(config)
    return Effect.as(Effect.promise(() => writeFile(file, text.replaceAll("@folder", folder))), { folder, file })
  })
