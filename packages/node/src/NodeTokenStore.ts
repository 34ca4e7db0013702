/**
 * A store of tokens in files that only their owner can read, shared by all processes of that owner.
 *
 * Each key has a file of its own with mode 0600, in a folder with mode 0700. A file is replaced as a whole, so that a
 * process which ends while it writes loses nothing. A lock is a file, too: it belongs to its holder for as long as that
 * touches it, so the lock of a process that was killed is free after ten seconds.
 *
 * It fits the `TokenStore` of `@parley/oauth`.
 *
 * ```ts run
 * import { NodeTokenStore } from "@parley/node"
 * import { Effect, Redacted } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const directory = mkdtempSync(join(tmpdir(), "tokens-"))
 * const store = NodeTokenStore.make({ directory })
 *
 * const program = Effect.gen(function*() {
 *   yield* store.withLock("api.example.org", store.set("api.example.org", Redacted.make("secret")))
 *   console.log(String(yield* store.get("api.example.org"))) // => <redacted>
 * })
 *
 * await Effect.runPromise(program)
 * rmSync(directory, { recursive: true })
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { join } from "node:path"
import * as FileLock from "./internal/tokens/FileLock.ts"
import * as SecretFile from "./internal/tokens/SecretFile.ts"
import { TokenFileError } from "./internal/tokens/TokenFileError.ts"

/** A file of the store cannot be used. @category errors @since 0.1.0 */
export { TokenFileError }

/**
 * Secret texts by their keys, and a lock for each key among all processes that share the folder.
 *
 * @category models
 * @since 0.1.0
 */
export interface NodeTokenStore {
  /** `undefined` where there is none. Fails where others than the owner could read or change the file. */
  readonly get: (key: string) => Effect.Effect<Redacted.Redacted | undefined, TokenFileError>
  /** Writes the text of a key, in place of the one before. */
  readonly set: (key: string, text: Redacted.Redacted) => Effect.Effect<void, TokenFileError>
  /** Removes the text of a key, if there is one. */
  readonly remove: (key: string) => Effect.Effect<void, TokenFileError>
  /** Runs one effect of a key at a time, here and in other processes. */
  readonly withLock: <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TokenFileError, R>
}

/**
 * The place of the files, and the time after which a lock is free.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenStoreOptions {
  /** A folder for this alone. It is made when it is needed. */
  readonly directory: string
  /** How long the holder of a lock may not touch it before another takes it; 10 seconds by default. */
  readonly patience?: Duration.Input | undefined
}

/**
 * A store in a folder. It reads the files each time, so it sees what other processes write.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ directory, patience = "10 seconds" }: TokenStoreOptions): NodeTokenStore => {
  const pathOf = (key: string) => join(directory, SecretFile.nameOf(key))
  return {
    get: (key) => SecretFile.read(pathOf(key), key),
    set: (key, text) => SecretFile.write(pathOf(key), key, text),
    remove: (key) => SecretFile.remove(pathOf(key)),
    withLock: (key, effect) => FileLock.withLock(`${pathOf(key)}.lock`, patience, effect)
  }
}
