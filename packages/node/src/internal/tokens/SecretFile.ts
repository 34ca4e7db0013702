/**
 * A file with a secret text, which only its owner can read.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname } from "node:path"
import { TokenFileError } from "./TokenFileError.ts"

/** Runs something of the file system. Its errors name paths and never what is in files. */
export const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, TokenFileError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new TokenFileError({ path, rule: cause instanceof Error ? cause.message : "it failed" })
  })

/** Takes an error of the file system with this code for nothing, and throws others again. */
export const except = (code: "EEXIST" | "ENOENT") => (cause: unknown): undefined => {
  if (cause instanceof Error && "code" in cause && cause.code === code) return undefined
  throw cause
}

/** A key as the name of a file, whatever is in it. */
export const nameOf = (key: string): string =>
  // Loaded here, because few programs store tokens.
  process.getBuiltinModule("node:crypto").createHash("sha256").update(key).digest("base64url").slice(0, 32)

const isPosix = process.platform !== "win32"

/** Bytes of a file. A set of tokens has a few thousand. */
const mostBytes = 1_048_576

/** The secret of a key, or `undefined` where there is no such file. */
export const read = (path: string, key: string): Effect.Effect<Redacted.Redacted | undefined, TokenFileError> =>
  attempt(path, async () => {
    // A link could lead to a file that somebody else fills.
    const file = await fs.open(path, constants.O_RDONLY | (isPosix ? constants.O_NOFOLLOW : 0)).catch(except("ENOENT"))
    if (file === undefined) return undefined
    try {
      const { mode, size, uid } = await file.stat()
      if (isPosix && (mode & 0o077) !== 0) throw new Error("others can read or change it; `chmod 600` it")
      if (isPosix && uid !== process.getuid?.()) throw new Error("it belongs to another user")
      if (size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
      const [first, ...rest] = (await file.readFile("utf8")).split("\n")
      return first === JSON.stringify(key) ? Redacted.make(rest.join("\n")) : undefined
    } finally {
      await file.close()
    }
  })

/** Replaces the file as a whole. */
export const write = (path: string, key: string, text: Redacted.Redacted): Effect.Effect<void, TokenFileError> =>
  attempt(path, async () => {
    await makeFolder(path)
    const whole = `${path}.${crypto.randomUUID()}`
    try {
      await fs.writeFile(whole, `${JSON.stringify(key)}\n${Redacted.value(text)}`, {
        mode: 0o600,
        flag: "wx",
        flush: true
      })
      await fs.rename(whole, path)
    } catch (cause) {
      await fs.rm(whole, { force: true })
      throw cause
    }
  })

/** Makes the folder of a file. */
export const makeFolder = (path: string): Promise<unknown> => fs.mkdir(dirname(path), { recursive: true, mode: 0o700 })

export const remove = (path: string): Effect.Effect<void, TokenFileError> =>
  attempt(path, () => fs.rm(path, { force: true }))
