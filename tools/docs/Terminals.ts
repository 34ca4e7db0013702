/** Commands as they are typed, each in a terminal of its own: the next when the one before has ended, or listens. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { pnpmPath } from "../pack/Pnpm.ts"

export interface Terminal {
  readonly command: string
  /** What it has printed so far. */
  readonly printed: () => string
  /** `undefined` while it runs. */
  readonly exitCode: () => number | undefined
}

/** The slow tests start through npx what the ordinary ones start by itself: npx takes five times as long as the server. */
const isFull = process.env["SLOW"] === "1"
const everything = join(import.meta.dirname, "../../node_modules/.bin/mcp-server-everything")

/** Milliseconds after which a command that neither ends nor listens is left running. */
const longest = 30_000

export class Terminals implements AsyncDisposable {
  readonly #cwd: string
  readonly #running: Array<ChildProcess> = []

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  /** Types a command. The pnpm that runs us stands in for the one that it may name. */
  async type(command: string): Promise<Terminal> {
    const typed = command.replace(/^npx -y pnpm@\d+ /, `${pnpmPath.join(" ")} `)
    const child = spawn(isFull ? typed : typed.replace("npx -y @modelcontextprotocol/server-everything", everything), {
      cwd: this.#cwd,
      shell: true,
      // A group of its own, so that what the shell starts ends with it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#running.push(child)
    let printed = ""
    let exitCode: number | undefined
    const ready = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          printed += text
          if (/^listening /m.test(printed)) resolve()
        })
      }
      child.on("close", (code) => {
        exitCode = code ?? -1
        resolve()
      })
      setTimeout(resolve, longest).unref()
    })
    await ready
    return { command, printed: () => printed, exitCode: () => exitCode }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, "exit")
      process.kill(-child.pid)
      await ended
    }
  }
}
