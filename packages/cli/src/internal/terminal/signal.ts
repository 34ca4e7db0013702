/**
 * The signals that ask a process to end.
 */
import * as Effect from "effect/Effect"

/**
 * Waits for SIGINT or SIGTERM. Only the first is taken: a second one ends the process at once, as it would without us.
 */
export const received: Effect.Effect<"SIGINT" | "SIGTERM"> = Effect.callback((resume) => {
  const forget = () => {
    process.off("SIGINT", onInterrupt)
    process.off("SIGTERM", onTerminate)
  }
  const end = (signal: "SIGINT" | "SIGTERM") => {
    forget()
    resume(Effect.succeed(signal))
  }
  const onInterrupt = () => end("SIGINT")
  const onTerminate = () => end("SIGTERM")
  process.on("SIGINT", onInterrupt)
  process.on("SIGTERM", onTerminate)
  return Effect.sync(forget)
})
