/**
 * Stdout for one owner: whoever else writes to it reaches stderr instead.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Takes `process.stdout` away from `console.log` and everybody else until the Scope closes, and gives its own `write`.
 *
 * What does not go through `process.stdout` (`fs.writeSync(1)`, a child that inherits it) cannot be kept away.
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
        // Somebody may have replaced it in the meantime, and would lose that.
        if (stdout.write !== divert) return
        if (own !== undefined) Object.defineProperty(stdout, "write", own)
        else Reflect.deleteProperty(stdout, "write")
      })
  ),
  ({ write }) => (bytes, written) => write(bytes, written)
)
