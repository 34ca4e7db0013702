/** Effect tags every module and every export with `@stability stable | unstable | experimental`. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Rules } from "./rules.ts"
import type { Sources } from "./Sources.ts"
import { importsOf, packageOf, placeOf } from "./Sources.ts"

/** The tags of a module by its specifier, `effect/Effect`; undefined when there is no such module. */
export type Tags = (specifier: string) => ModuleTags | undefined

export interface ModuleTags {
  readonly stable: boolean
  /** Exports of the module that are not stable. */
  readonly unstable: ReadonlySet<string>
}

export function* stability(rules: Rules, sources: Sources, tags: Tags): Generator<string> {
  for (const [path, text] of sources.files) {
    const place = placeOf(path)
    if (place?.kind !== "src" || !rules.stable.includes(place.package)) continue
    for (const specifier of importsOf(text).filter((specifier) => packageOf(specifier) === "effect")) {
      const found = tags(specifier)
      if (found?.stable !== true) {
        yield `${path} imports ${specifier}, which Effect does not mark as stable`
        continue
      }
      for (const name of membersOf(text, specifier)) {
        if (found.unstable.has(name)) yield `${path} uses ${name} of ${specifier}, which Effect does not mark as stable`
      }
    }
  }
}

/** What a file takes from a module: `X.member` of a namespace import, and named imports. */
function* membersOf(text: string, specifier: string): Generator<string> {
  for (const [, clause] of text.matchAll(new RegExp(`^import\\b([^"]*?)from\\s*"${specifier}"`, "gm"))) {
    const namespace = /\*\s+as\s+(\w+)/.exec(clause!)?.[1]
    if (namespace !== undefined) {
      for (const [, member] of text.matchAll(new RegExp(`\\b${namespace}\\.(\\w+)`, "g"))) yield member!
    }
    for (const name of /\{([^}]*)\}/.exec(clause!)?.[1]?.split(",") ?? []) {
      yield name.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0]!
    }
  }
}

export const parseTags = (source: string): ModuleTags => {
  const unstable = new Set<string>()
  let stable: boolean | undefined
  let tag: string | undefined
  for (const line of source.split("\n")) {
    tag = /^ \* @stability (\w+)/.exec(line)?.[1] ?? tag
    if (line.startsWith(" */") && stable === undefined) {
      stable = tag === "stable"
      tag = undefined
      continue
    }
    const name = /^export (?:declare )?(?:const|function\*?|class|interface|type|namespace) (\w+)/.exec(line)?.[1]
    if (name === undefined) continue
    if (tag !== undefined && tag !== "stable") unstable.add(name)
    tag = undefined
  }
  return { stable: stable === true, unstable }
}

export const effectTags = (root: string): Tags => {
  const folder = dirname(join(root, "node_modules/effect/package.json"))
  const known = new Map<string, ModuleTags | undefined>()
  return (specifier) => {
    if (!known.has(specifier)) {
      const path = join(folder, "src", `${specifier.slice("effect/".length)}.ts`)
      known.set(specifier, existsSync(path) ? parseTags(readFileSync(path, "utf8")) : undefined)
    }
    return known.get(specifier)
  }
}
