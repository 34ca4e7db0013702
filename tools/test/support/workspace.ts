import type { Manifest, Sources } from "../../architecture/Sources.ts"

/** A small workspace: paths without `packages/` and `.ts`, and the specifiers each imports. */
export const workspace = (
  files: Readonly<Record<string, ReadonlyArray<string>>>,
  manifests: Readonly<Record<string, Partial<Manifest>>> = {}
): Sources => ({
  files: new Map(
    Object.entries(files).map(([path, imports]) => [
      `packages/${path}.ts`,
      imports.map((specifier, index) => `import * as X${index} from "${specifier}"\n`).join("")
    ])
  ),
  manifests: new Map(Object.entries(manifests).map(([name, rest]) => [name, { name: `@parley/${name}`, ...rest }])),
  shared: new Set(["vitest", "@parley/conformance"])
})
