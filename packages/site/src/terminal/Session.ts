/** The terminal session of the README: its commands, and what they print on a terminal. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

/** A command, and what it has printed: text with the escape sequences of a terminal. */
export interface Step {
  readonly command: string
  readonly output: string
}

/** Characters of a line. */
export const columns = 92

const server = "parley serve --unix calc.sock &"

const commands: ReadonlyArray<string> = [
  "parley call unix:calc.sock subtract '[42, 23]' --trace",
  `parley call unix:calc.sock subtract '["42", 23]'`,
  "parley call unix:calc.sock sleep '[60000]' --timeout 500ms --trace",
  "parley mcp call 'stdio:parley mcp serve --stdio' add a=2 b=3"
]

/** Runs all commands in an empty folder, the server beside the others. */
export const record = async (): Promise<ReadonlyArray<Step>> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-"))
  const bin = join(import.meta.dirname, "../../../cli/src/bin.ts")
  await writeFile(join(folder, "parley"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 })
  const surroundings = {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}`, TERM: "xterm-256color" }
  }
  const serving = spawn("parley", server.split(" ").slice(1, -1), {
    ...surroundings,
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const steps: Array<Step> = [{ command: server, output: await firstOutput(serving) }]
    for (const command of commands) {
      // `script` gives the command a terminal, and exits as the command does.
      const typed = `stty cols ${columns}; ${command}`
      const { stdout } = await promisify(execFile)("script", ["-qc", typed, "/dev/null"], surroundings)
      steps.push({ command, output: stdout.replaceAll("\r\n", "\n") })
    }
    return steps
  } finally {
    const ended = once(serving, "exit")
    serving.kill()
    await ended
    await rm(folder, { recursive: true })
  }
}

const firstOutput = async ({ stdout }: ChildProcess): Promise<string> => {
  if (stdout === null) throw new Error("the server has no stdout")
  const [text] = await once(stdout, "data")
  return String(text)
}
