/** What a package imports and what its package.json names are the same. */
import type { Manifest, Sources } from "./Sources.ts"
import { importsOf, packageOf, placeOf } from "./Sources.ts"

export function* manifests(sources: Sources): Generator<string> {
  for (const [folder, manifest] of sources.manifests) {
    const runtime = new Set([...keys(manifest.dependencies), ...keys(manifest.peerDependencies)])
    const anywhere = new Set([...runtime, ...keys(manifest.devDependencies), ...sources.shared, manifest.name])
    let text = ""
    for (const [path, source] of sources.files) {
      const place = placeOf(path)
      if (place?.package !== folder) continue
      if (place.kind === "src" || manifest.private === true) text += source
      const named = place.kind === "src" ? runtime : anywhere
      for (const name of new Set(importsOf(source).filter(isExternal).map(packageOf))) {
        if (!named.has(name)) yield `${path} imports ${name}, which packages/${folder}/package.json does not name`
      }
    }
    for (const name of runtime) {
      // Any mention in quotes counts: programs are run by their path, which `import.meta.resolve` gives.
      if (!text.includes(`"${name}"`) && !text.includes(`"${name}/`)) {
        yield `packages/${folder}/package.json names ${name}, which its sources do not import`
      }
    }
  }
}

const keys = (dependencies: Manifest["dependencies"]): ReadonlyArray<string> => Object.keys(dependencies ?? {})

const isExternal = (specifier: string): boolean => !specifier.startsWith(".") && !specifier.startsWith("node:")
