/** One terminal, in which commands are typed line by line: the next when the one before has ended, or its job listens. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { environment, pnpmPath } from "../pack/Pnpm.ts"

/** Reads lines from a stream of its own, so that no command can take them for its input. */
const script = `set -m
while IFS= read -r line <&3; do
  eval "$line" 2>&1
  printf '\\0%s\\0\\n' $?
done
for job in $(jobs -p); do kill -- "-$job"; done`

export interface Typed {
  readonly command: string
  /** All that was printed since it was typed, by jobs in the background, too. */
  readonly printed: string
  readonly exitCode: number
}

export class Shell implements AsyncDisposable {
  readonly #shell: ChildProcess
  #printed = ""
  #onChange: () => void = () => {}

  constructor(cwd: string) {
    this.#shell = spawn("bash", ["-c", script], {
      cwd,
      env: environment,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"]
    })
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text
        this.#onChange()
      })
    }
    this.#shell.on("exit", () => this.#onChange())
  }

  /** The pnpm that runs us stands in for the one that a command may name. */
  async type(command: string): Promise<Typed> {
    this.#printed = ""
    const lines = this.#shell.stdio[3]
    if (lines === null || lines === undefined || !("write" in lines)) throw new Error("the shell takes no commands")
    const isJob = command.endsWith("&")
    const line = command.replace(/^npx -y pnpm@\d+ /, `${pnpmPath.join(" ")} `)
    // A shell that traps a signal waits for its command: when the shell of a job has ended, so has its command.
    const job = `{ trap 'exit 143' TERM; ${line.slice(0, -1)}; printf '\\0ended\\0\\n'; } &`
    lines.write(`${isJob ? job : line}\n`)
    const ended = /\0(\d+)\0\n/
    await this.#until(() => ended.test(this.#printed))
    if (isJob) await this.#until(() => /^listening |\0ended\0/m.test(this.#printed))
    const exitCode = Number(ended.exec(this.#printed)![1])
    const printed = this.#printed.replace(/\0(\d+|ended)\0\n/g, "")
    if (isJob && this.#printed.includes("\0ended\0")) throw new Error(`"${command}" has ended: ${printed}`)
    return { command, printed, exitCode }
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#shell.exitCode !== null) throw new Error(`the shell ended: ${this.#printed}`)
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#shell.exitCode !== null) return
    const ended = once(this.#shell, "exit")
    this.#shell.stdio[3]?.destroy()
    await ended
  }
}
