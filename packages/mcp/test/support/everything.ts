/** `@modelcontextprotocol/server-everything` as a child process that listens on this machine alone. */
import { Effect, type Scope } from "effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Makes it listen where a test wants, and tell where that is. */
const preload = `data:text/javascript,${
  encodeURIComponent(`
    import { Server } from "node:net"
    const { listen } = Server.prototype
    Server.prototype.listen = function(_, ready) {
      this.once("listening", () => process.send(this.address().port))
      return listen.call(this, 0, "127.0.0.1", ready)
    }
    process.on("disconnect", () => process.exit(0))
  `)
}`

export const program = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

/** Runs it until the Scope closes, and gives its URL. */
export const serve = (mode: string, path: string): Effect.Effect<string, unknown, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      fork(program, [mode], { execArgv: ["--import", preload], stdio: ["ignore", "ignore", "pipe", "ipc"] })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  ).pipe(Effect.flatMap((child) =>
    Effect.callback<string, Error>((resume) => {
      let said = ""
      child.stderr?.on("data", (chunk: Buffer) => said += chunk.toString())
      child.once("message", (port) => resume(Effect.succeed(`http://127.0.0.1:${port}${path}`)))
      child.once("exit", (code) => resume(Effect.fail(new Error(`it ended with ${code}: ${said}`))))
    })
  ))
