// Runs the modules that it is given, one when nothing of the one before is left to do, and tells on both streams where
// each has ended, and how.
import { writeSync } from "node:fs"
import { pathToFileURL } from "node:url"

const files: ReadonlyArray<string> = JSON.parse(process.argv[2] ?? "[]")
let at = -1
let code = 0
let hasEnded = true

const failed = (error: unknown) => {
  console.error(error)
  code = 1
}

const run = async (file: string) => {
  hasEnded = false
  await import(pathToFileURL(file).href).catch(failed)
  hasEnded = true
}

const end = (code: number) => {
  for (const stream of [1, 2]) writeSync(stream, `\0${code}\n`)
}

// When nobody reads what it prints, whoever started it has ended.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1))

process.on("uncaughtException", failed)
process.on("beforeExit", () => {
  // Nothing is left that could wake it.
  if (!hasEnded) failed(new Error("it waits for ever"))
  if (at >= 0) end(Number(process.exitCode ?? code))
  process.exitCode = undefined
  code = 0
  const file = files[++at]
  if (file === undefined) return
  // A module that begins and ends within this event would be followed by no other.
  setTimeout(() => void run(file))
})
process.on("exit", (code) => {
  if (at < files.length) end(code)
})
