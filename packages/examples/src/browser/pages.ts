/** The browser's modules, built by Vite. */
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build, type Rolldown } from "vite"

const here = fileURLToPath(new URL(".", import.meta.url))

/** Builds the page with its worker into a folder. */
export const buildPage = async (folder: string): Promise<void> => {
  await build({ root: here, configFile: false, logLevel: "error", build: { outDir: folder, emptyOutDir: true } })
}

/** The size of a bundle. */
export interface Bundle {
  /** Bytes, minified. */
  readonly minified: number
  /** The same, as it travels. */
  readonly gzipped: number
  /** Bytes before they are minified, by the module's package, the largest first. */
  readonly packages: ReadonlyArray<readonly [name: string, bytes: number]>
  /** The largest modules, likewise. */
  readonly modules: ReadonlyArray<readonly [name: string, bytes: number]>
}

/** Bundles `client.ts`, and weighs it. */
export const weighClient = async (): Promise<Bundle> => {
  const built = await build({
    root: here,
    configFile: false,
    logLevel: "error",
    build: { write: false, modulePreload: false, rolldownOptions: { input: `${here}client.ts` } }
  })
  const outputs = Array.isArray(built) ? built : [built]
  const chunks = outputs.flatMap((output) => "output" in output ? output.output : []).filter(isChunk)
  const code = chunks.map(({ code }) => code).join("")
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules))
    // The bundler marks its own modules, which belong to no package, with a NUL.
    .filter(([id]) => !id.startsWith("\0"))
    .map(([id, { renderedLength }]) => [nameOf(id), renderedLength] as const)
  const sums = new Map<string, number>()
  for (const [name, bytes] of modules) {
    const owner = packageOf(name)
    sums.set(owner, (sums.get(owner) ?? 0) + bytes)
  }
  return {
    minified: Buffer.byteLength(code),
    gzipped: gzipSync(code, { level: 9 }).length,
    packages: largest([...sums]),
    modules: largest(modules)
  }
}

const isChunk = (output: Rolldown.OutputChunk | Rolldown.OutputAsset): output is Rolldown.OutputChunk =>
  output.type === "chunk"

const largest = (all: ReadonlyArray<readonly [string, number]>) => [...all].sort(([, left], [, right]) => right - left)

/** `effect/Schema.ts` of `…/node_modules/effect/src/Schema.ts`, `@parley/peer/Peer.ts` of `…/packages/peer/src/Peer.ts`. */
const nameOf = (id: string): string => {
  const [, own, path] = /\/packages\/([^/]+)\/src\/(.*)$/.exec(id) ?? []
  if (own !== undefined) return `@parley/${own}/${path}`
  const last = id.lastIndexOf("/node_modules/")
  return last === -1 ? id : id.slice(last + "/node_modules/".length).replace(/\/(?:dist|src)\//, "/")
}

const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name
