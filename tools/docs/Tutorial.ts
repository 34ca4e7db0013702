/**
 * A tutorial as a newcomer follows it, from an empty folder: each named block is saved under its name, and each line of
 * a `bash` block is typed in a terminal of its own, where the lines before it have led.
 */
import { assert } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { Registry } from "../pack/Registry.ts"
import { type Fence, printedBy } from "./Fence.ts"
import { freePort } from "./ports.ts"
import { listens, Terminals } from "./Terminals.ts"

export interface Setup {
  /** The folder of the Node.js that runs everything. */
  readonly bin: string
  readonly registry: Registry
  /** A port that the page names. A free one stands in for it. */
  readonly port: number
}

/** Follows the blocks of a page to their end; returns what the last command has printed, line by line. */
export const follow = async (
  fences: ReadonlyArray<Fence>,
  { bin, port, registry }: Setup
): Promise<ReadonlyArray<string>> => {
  const start = mkdtempSync(join(tmpdir(), "parley-tutorial-"))
  const environment = { PATH: `${bin}${delimiter}${process.env["PATH"]}`, npm_config_prefer_offline: "true" }
  await using terminals = new Terminals(start, { environment, longest: 240_000 })
  const free = String(await freePort())
  const atFreePort = (text: string) => text.replaceAll(String(port), free)
  const saved = new Map<string, Fence>()
  const ran = new Set<string>()
  let folder = start
  let last: ReadonlyArray<string> = []
  try {
    for (const fence of fences) {
      if (fence.file !== undefined) {
        writeFileSync(join(folder, fence.file), atFreePort(fence.code))
        saved.set(fence.file, fence)
      }
      for (const { command, expected } of fence.language === "bash" ? commandsOf(fence) : []) {
        if (command.startsWith("cd ")) {
          folder = join(folder, command.slice("cd ".length))
          registry.configure(folder)
          continue
        }
        const { exitCode, printed } = await terminals.type(atFreePort(command), folder)
        const where = `${fence.path}: ${command}\n${printed()}`
        if (exitCode() === undefined) assert.match(printed(), listens, where)
        else assert.strictEqual(exitCode(), 0, where)
        last = printed().trimEnd().split("\n")
        const file = command.split(" ").at(-1)!
        const block = saved.get(file)
        if (block !== undefined) {
          ran.add(file)
          const lines = printedBy(block)
          if (lines.length > 0) assert.deepStrictEqual(last, lines, where)
        }
        for (const line of expected) assert.include(last, line, where)
      }
    }
    const promised = [...saved].filter(([, block]) => printedBy(block).length > 0).map(([file]) => file)
    assert.deepStrictEqual(promised.filter((file) => !ran.has(file)), [], "the page runs what says what it prints")
    return last
  } finally {
    await terminals[Symbol.asyncDispose]()
    rmSync(start, { recursive: true, force: true })
  }
}

interface Typed {
  readonly command: string
  /** Lines that it prints, among others: those of the comments `# => text` below it. */
  readonly expected: ReadonlyArray<string>
}

const commandsOf = ({ code }: Fence): ReadonlyArray<Typed> => {
  const commands: Array<{ readonly command: string; readonly expected: Array<string> }> = []
  for (const line of code.split("\n")) {
    const expected = /^# => (.*)$/.exec(line)?.[1]
    if (expected !== undefined) commands.at(-1)!.expected.push(expected)
    else if (line.trim() !== "" && !line.startsWith("#")) commands.push({ command: line, expected: [] })
  }
  return commands
}
