/** How much a user can import: every path that the `exports` of the published packages resolve. */
import type { Rules } from "./rules.ts"
import type { Manifest, Sources } from "./Sources.ts"

export function* surface(rules: Rules, sources: Sources): Generator<string> {
  const found = [...sources.manifests].flatMap(([folder, manifest]) =>
    manifest.private === true || rules.surface.apart.includes(folder) ? [] : [...pathsOf(folder, manifest, sources)]
  )
  if (found.length > rules.surface.paths) {
    yield `${found.length} paths can be imported, more than ${rules.surface.paths}: ${found.join(", ")}`
  }
}

/** The paths that can be imported beside the name of a package, such as `@parley/peer/Router`. */
export const pathsOf = (folder: string, { exports = {}, name }: Manifest, { files }: Sources): ReadonlySet<string> => {
  const closed = Object.keys(exports).filter((key) => exports[key] === null)
  const isClosed = (key: string) => closed.some((it) => it.endsWith("*") ? key.startsWith(it.slice(0, -1)) : key === it)
  const sources = [...files.keys()].filter((path) => path.startsWith(`packages/${folder}/src/`))
  const found = new Set<string>()
  for (const [key, target] of Object.entries(exports)) {
    if (typeof target !== "string" || !target.endsWith(".ts") || key === ".") continue
    const [start = "", end] = target.replace("./", `packages/${folder}/`).split("*")
    if (end === undefined) found.add(name + key.slice(1))
    else {
      for (const path of sources) {
        if (!path.startsWith(start) || !path.endsWith(end)) continue
        const resolved = key.replace("*", path.slice(start.length, -end.length))
        if (!isClosed(resolved)) found.add(name + resolved.slice(1))
      }
    }
  }
  return found
}
