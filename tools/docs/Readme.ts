/** The commands that README.md shows for a checkout, in the order of the page. */
import { collect } from "./Fence.ts"
import { freePort } from "./ports.ts"
import { Shell, type Typed } from "./Shell.ts"

/** The port that the page names. A free one stands in for it. */
const named = "127.0.0.1:4000"

export interface Run {
  readonly port: number
  readonly typed: ReadonlyArray<Typed>
}

/** Types the commands of the blocks that begin with npx into one terminal, but for those that match `without`. */
export const run = async (root: string, folder: string, without: RegExp): Promise<Run> => {
  const blocks = collect(root).filter(({ code, language, path }) =>
    path === "README.md" && language === "bash" && code.startsWith("npx ")
  )
  const port = await freePort()
  const typed: Array<Typed> = []
  await using shell = new Shell(folder)
  for (const line of blocks.flatMap(({ code }) => code.split("\n"))) {
    if (!without.test(line)) typed.push(await shell.type(line.replace(named, `127.0.0.1:${port}`)))
  }
  // Jobs that were told to end have ended then.
  await shell.type("wait")
  return { port, typed }
}
