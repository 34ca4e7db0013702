/** Commands as they are typed, each in a terminal of its own: the next when the one before has ended, or listens. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { environment as inherited } from "../pack/Pnpm.ts"

export interface Terminal {
  readonly command: string
  /** What it has printed so far. */
  readonly printed: () => string
  /** `undefined` while it runs. */
  readonly exitCode: () => number | undefined
}

/** The line by which a server says that it can be called: one of its own, or one of its log. */
export const listens = /(?:^|: )listening /im

export interface Options {
  readonly environment?: NodeJS.ProcessEnv
  /** Milliseconds after which a command that neither ends nor listens is left running. */
  readonly longest?: number
}

export class Terminals implements AsyncDisposable {
  readonly #cwd: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #longest: number
  readonly #running: Array<ChildProcess> = []

  constructor(cwd: string, { environment, longest = 30_000 }: Options = {}) {
    this.#cwd = cwd
    this.#longest = longest
    this.#environment = { ...inherited, ...environment }
  }

  /** Types a command. */
  async type(command: string, cwd = this.#cwd): Promise<Terminal> {
    const child = spawn(command, {
      cwd,
      env: this.#environment,
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
          if (listens.test(printed)) resolve()
        })
      }
      child.on("close", (code) => {
        exitCode = code ?? -1
        resolve()
      })
      setTimeout(resolve, this.#longest).unref()
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
