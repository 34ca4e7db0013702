/** A package as npm would get it, and the faults that nobody should publish. */
import { checkPackage, createPackageFromTarballData, type Package, type Problem } from "@arethetypeswrong/core"
import { readFileSync } from "node:fs"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import type { Published } from "../pack/Published.ts"

/** One sentence for each fault of a tarball: none, when it may go out. */
export const faults = async (published: Published): Promise<ReadonlyArray<string>> => {
  const bytes = Uint8Array.from(readFileSync(published.tarball))
  const tarball = withFolders(createPackageFromTarballData(bytes))
  const root = `/node_modules/${published.name}`
  const found = [
    ...absent(tarball, root),
    ...unpublishable(tarball.readFile(`${root}/package.json`)),
    ...tarball.listFiles(root).filter((path) => path.endsWith(".md") && !path.startsWith(guides(root))).flatMap((
      path
    ) => [...relativeLinks(tarball.readFile(path))].map((fault) => `${path.slice(root.length + 1)} ${fault}`)),
    ...await lint(bytes),
    ...await mistyped(tarball, published)
  ]
  return found.map((fault) => `${published.name}: ${fault}`)
}

/** Resolving its modules asks thousands of times whether a folder exists, and a package looks through all of its files. */
const withFolders = (tarball: Package): Package => {
  const folders = new Set<string>()
  for (const path of tarball.listFiles()) {
    const names = path.split("/")
    for (let count = 1; count < names.length; count++) folders.add(names.slice(0, count).join("/"))
  }
  return Object.assign(tarball, { directoryExists: (path: string) => folders.has(path.replace(/\/$/, "")) })
}

/** Pages for readers of the files alone, which npm does not show. */
const guides = (root: string) => `${root}/dist/guides/`

const wanted = ["package.json", "README.md", "CHANGELOG.md", "LICENSE"]

function* absent(tarball: Package, root: string): Generator<string> {
  for (const file of wanted) if (!tarball.fileExists(`${root}/${file}`)) yield `${file} is missing`
}

/** Ranges that only a workspace understands, those without room for a mended version, and the version that no release has. */
export function* unpublishable(manifest: string): Generator<string> {
  const { version, ...members } = JSON.parse(manifest)
  if (version === "0.0.0") yield "the version is 0.0.0"
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
    for (const [name, range] of Object.entries<string>(members[kind] ?? {})) {
      if (/^(?:workspace|catalog|file|link):/.test(range)) yield `${kind} has ${name} at ${range}`
      if (/^\d+\.\d+\.\d+$/.test(range)) yield `${kind} has ${name} at ${range} alone, where users need its next fix`
    }
  }
}

/** npm shows a page without the repository around it. */
export function* relativeLinks(page: string): Generator<string> {
  for (const [, inline, defined, attribute] of page.matchAll(link)) {
    const target = inline ?? defined ?? attribute ?? ""
    if (!/^(?:https:|mailto:|#)/.test(target)) yield `links to ${target}, which npm cannot show`
  }
}

/** The target of `[text](target)`, of `[name]: target`, or of an attribute of HTML. */
const link = /\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]: *(\S+)|<[^>]+ (?:href|src)="([^"]+)"/gm

const lint = async ({ buffer }: Uint8Array<ArrayBuffer>): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

/** The packages are ES modules with `exports`: neither `require` nor the resolution before `exports` reaches them. */
const foreign = new Set(["node10", "node16-cjs"])

/** What "Are the types wrong?" says of every module. */
const mistyped = async (tarball: Package, { name, specifiers }: Published): Promise<ReadonlyArray<string>> => {
  // A package that is only a command is imported by nobody.
  if (specifiers.length === 0) return []
  const entrypoints = specifiers.map((specifier) => `.${specifier.slice(name.length)}`)
  const result = await checkPackage(tarball, { entrypoints })
  if (result.types === false) return ["attw: it has no types"]
  return result.problems.filter(isOurs).map(({ kind, ...place }) => `attw: ${kind} ${JSON.stringify(place)}`)
}

const isOurs = (problem: Problem): boolean =>
  !("resolutionKind" in problem && foreign.has(problem.resolutionKind)) &&
  !("resolutionOption" in problem && problem.resolutionOption === "node10")
