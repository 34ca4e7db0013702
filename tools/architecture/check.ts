/** Applies the rules to the sources. Each breach is one sentence that names the file. */
import { dirname } from "node:path"
import { circles } from "./circles.ts"
import { closure } from "./closure.ts"
import { sizes } from "./lines.ts"
import { manifests } from "./manifests.ts"
import { metadata } from "./metadata.ts"
import { graphOf, layering } from "./modules.ts"
import type { Rules } from "./rules.ts"
import type { Sources } from "./Sources.ts"
import { importsOf, packageOf, placeOf } from "./Sources.ts"
import { stability } from "./stability.ts"
import type { Tags } from "./stability.ts"
import { surface } from "./surface.ts"

export const check = (rules: Rules, sources: Sources, tags: Tags): ReadonlyArray<string> => {
  return [
    ...files(rules, sources),
    ...folders(rules, sources),
    ...packages(rules, sources),
    ...layering(rules, graphOf(sources)),
    ...circles(sources),
    ...sizes(rules, sources),
    ...surface(rules, sources),
    ...stability(rules, sources, tags),
    ...manifests(sources),
    ...metadata(rules, sources)
  ]
}

function* files(rules: Rules, sources: Sources): Generator<string> {
  for (const [path, text] of sources.files) {
    const lines = text.trimEnd().split("\n").length
    if (lines > rules.maxLines) yield `${path} has ${lines} lines, more than ${rules.maxLines}: it holds two concepts`
    if (rules.magnets.test(path)) yield `${path} has a name that attracts everything`
  }
}

function* folders(rules: Rules, sources: Sources): Generator<string> {
  const paths = [...sources.files.keys()].filter((path) => path.startsWith("packages/") && !path.endsWith("/index.ts"))
  for (const [folder, files] of Map.groupBy(paths, (path) => dirname(path))) {
    const most = rules.crowded[folder.split("/").slice(1, 3).join("/")] ?? rules.maxFiles
    if (files.length > most) yield `${folder} has ${files.length} files, more than ${most}: give it rooms`
  }
}

function* packages(rules: Rules, sources: Sources): Generator<string> {
  const allowed = closure(rules.packages)
  for (const name of sources.manifests.keys()) {
    if (!Object.hasOwn(rules.packages, name)) yield `packages/${name} has no place among the packages of the rules`
  }
  for (const [path, text] of sources.files) {
    const place = placeOf(path)
    if (place === undefined) continue
    for (const specifier of importsOf(text)) {
      const target = /^@parley\/([^/]+)(?:\/(.+))?$/.exec(specifier)
      if (target !== null && target[1] !== place.package && target[2]?.startsWith("internal/")) {
        yield `${path} imports ${specifier}, which is internal to its package`
      }
      if (place.kind === "test") continue
      if (target !== null && !allowed(place.package).has(target[1]!)) {
        yield `${path} imports ${packageOf(specifier)}, which is not to the left of ${place.package}`
      }
      if (specifier.startsWith("node:") && !rules.node.includes(place.package)) {
        yield `${path} imports ${specifier}; only ${rules.node.join(", ")} know Node.js`
      }
    }
  }
}
