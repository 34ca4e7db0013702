/**
 * How many of our files one call passes: a newcomer who follows it has to read all of them.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

/** Our files of which one inbound typed call over TCP runs some code. */
const most = 25

const program = join(import.meta.dirname, "../support/passedFiles.ts")
const page = join(import.meta.dirname, "../../../../docs/explanation/how-a-message-travels.md")

it(`one typed call over TCP runs code of at most ${most} files, which the page of its way lists`, () => {
  // Functions that come from a cache are not counted.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" }
  const files: ReadonlyArray<string> = JSON.parse(execFileSync(process.execPath, [program], { encoding: "utf8", env }))
  console.log(`${files.length} files:\n${files.join("\n")}`)
  const listed = Array.from(readFileSync(page, "utf8").matchAll(/^\d+\. `(.*?)` /gm), ([, file]) => file)
  expect(listed.toSorted()).toEqual(files)
  expect(files.length).toBeLessThanOrEqual(most)
})
