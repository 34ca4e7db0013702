/** The lines with which a page has its reader install what it uses, made from its code blocks. */
import { importsOf, packageOf } from "../architecture/Sources.ts"
import type { Fence } from "./Fence.ts"
import { isTest } from "./Project.ts"

/** Packages with which programs are developed and tested: a program that is deployed runs without them. */
const development = new Set(["@effect/vitest", "@parley/cli", "@parley/conform", "@parley/conformance", "vitest"])

/** The packages of npm that a block imports. */
const packagesOf = ({ code }: Fence): ReadonlyArray<string> =>
  importsOf(code).filter((path) => !/^(?:node:|\.)/.test(path)).map(packageOf)

/** The lines that type the command by its own name, which only a global installation gives it. */
const typedIn = ({ code, language }: Fence): ReadonlyArray<string> =>
  language === "bash" ? code.split("\n").filter((line) => /(?:^|[|&;(]\s*)parley /.test(line)) : []

/** Whether a block runs the command by npx, which takes it from the project. The configuration of a host does not. */
const runsCommand = ({ code, language }: Fence): boolean =>
  ["bash", "ts"].includes(language) &&
  code.split("\n").some((line) => line.includes("@parley/cli") && !line.startsWith("npm install"))

const line = (flag: string, names: Iterable<string>): ReadonlyArray<string> => {
  const sorted = [...new Set(names)].toSorted()
  // Effect comes first: all others stand on it.
  const effects = sorted.filter((name) => /^(?:effect$|@effect\/)/.test(name)).toSorted((a, b) => a.length - b.length)
  const all = [...effects, ...sorted.filter((name) => !effects.includes(name))]
  return all.length === 0 ? [] : [`npm install ${flag}${all.join(" ")}`]
}

/** The lines that a page with these blocks begins with: none, where it needs no package. */
export const linesOf = (fences: ReadonlyArray<Fence>): ReadonlyArray<string> => {
  const modules = fences.filter(({ language }) => language === "ts")
  const names = modules.flatMap(packagesOf)
  const isOurs = names.some((name) => name.startsWith("@parley/"))
  const typed = fences.flatMap(typedIn)
  return [
    // Every package of ours needs it beside itself, whether the page names it or not.
    ...line("", [...isOurs ? ["effect"] : [], ...names.filter((name) => !development.has(name))]),
    ...line("--save-dev ", [
      ...names.filter((name) => development.has(name)),
      ...modules.some(isTest) ? ["vitest"] : [],
      ...typed.length === 0 && fences.some(runsCommand) ? ["@parley/cli"] : []
    ]),
    ...line("--global ", [
      ...typed.length > 0 ? ["@parley/cli"] : [],
      // The command loads it only for such an endpoint.
      ...typed.some((line) => line.includes("nats://")) ? ["@parley/nats"] : []
    ])
  ]
}
