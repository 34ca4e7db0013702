/**
 * Stdout for one owner. Everybody else who writes to it writes to stderr instead.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Gives the `write` of `process.stdout`, and sends everything else that is written to it, as by `console.log`, to stderr
 * until the Scope closes.
 *
 * Writes that do not go through `process.stdout` (`fs.writeSync(1)`, a child that inherits it) still reach stdout.
 */
export const takeStdout: Effect.Effect<
  (bytes: Uint8Array, written?: () => void) => boolean,
  never,
  Scope.Scope
> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const { stdout } = process
      const own = Object.getOwnPropertyDescriptor(stdout, "write")
      const write = stdout.write.bind(stdout)
      const divert = process.stderr.write.bind(process.stderr)
      stdout.write = divert
      return { divert, own, stdout, write }
    }),
    ({ divert, own, stdout }) =>
      Effect.sync(() => {
        // Another replacement that was made in the meantime stays.
        if (stdout.write !== divert) return
        if (own !== undefined) Object.defineProperty(stdout, "write", own)
        else Reflect.deleteProperty(stdout, "write")
      })
  ),
  ({ write }) => (bytes, written) => write(bytes, written)
)
