/**
 * Milliseconds to load `@parley/peer/Peer` after the modules of Effect that it uses: `node startup.ts`.
 *
 * What users install is the output of `tsc -b`, so that is loaded, not the sources that Node would have to strip.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"

const packages = new URL("../../../", import.meta.url)

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    const built = resolved.url.replace("/src/", "/dist/").replace(/\.ts$/, ".js")
    return resolved.url.endsWith(".ts") && existsSync(fileURLToPath(built)) ? { ...resolved, url: built } : resolved
  }
})

/** The modules of Effect that the built files of these packages import. */
const effects = (): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const name of ["protocol", "transport", "peer"]) {
    const dist = new URL(`${name}/dist/`, packages)
    for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
      // Of the transports a peer loads only the interface.
      if (!file.endsWith(".js") || (name === "transport" && !/^Transport(Error)?\.js$/.test(file))) continue
      for (const [, module = ""] of readFileSync(new URL(file, dist), "utf8").matchAll(/from "(effect\/[^"]+)"/g)) {
        found.add(module)
      }
    }
  }
  return [...found]
}

const peer = pathToFileURL(fileURLToPath(new URL("peer/dist/Peer.js", packages))).href

if (!existsSync(fileURLToPath(peer))) throw new Error("run `tsc -b` first")
for (const module of effects()) await import(module)
const start = performance.now()
await import(peer)
process.stdout.write(`${performance.now() - start}\n`, () => process.exit())
