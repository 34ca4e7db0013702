/**
 * The folders and files that are watched where nobody names any.
 */
import { dirname, relative, resolve, sep } from "node:path"
import type * as Endpoint from "../../../Endpoint.ts"
import { isScript } from "../name.ts"
import { isFile, realOf } from "./files.ts"

/**
 * The folders of the scripts of a command, and of what they link to, and its other files. Without a script, the folders of those
 * files, else the one that the command runs in.
 */
export const of = ({ args, command }: Endpoint.Command, here: string = process.cwd()): ReadonlyArray<string> => {
  const words = [
    ...args.filter((word) => !word.startsWith("-")),
    ...(isOwn(resolve(here, command), here) ? [command] : [])
  ]
  const paths = words.map((word) => resolve(here, word)).filter(isFile)
  const scripts = paths.filter(isScript)
  const roots = scripts.length === 0 ? paths : scripts
  const folders = roots.flatMap((path) => [dirname(path), dirname(realOf(path) ?? path)])
  return folders.length === 0 ? [here] : [...new Set([...folders, ...paths.filter((path) => !roots.includes(path))])]
}

/** Whether a program is of the project, and none that is installed, such as an interpreter. */
const isOwn = (program: string, here: string): boolean => {
  const real = realOf(program)
  if (real === undefined || real.split(sep).includes("node_modules")) return false
  return isScript(real) || !relative(realOf(here) ?? here, real).startsWith("..")
}
