/** Generated modules as files of a folder that git ignores: they resolve packages as the sources do. */
import type { Contract } from "@parley/contract"
import { Codegen, OpenRpc } from "@parley/openrpc"
import { Effect, Result } from "effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const root = join(import.meta.dirname, "../../../..")

const all = join(import.meta.dirname, "../../.tmp")

const hour = 3_600_000

mkdirSync(all, { recursive: true })

// Workers end without a word, so what they have left is removed by a later one.
for (const name of readdirSync(all)) {
  const folder = join(all, name)
  const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
  if (Date.now() - made > hour) rmSync(folder, { recursive: true, force: true })
}

export interface Modules {
  /** The exports of a module of this text. */
  readonly load: (text: string) => Effect.Effect<{ readonly [name: string]: unknown }>
  /** What the compiler says of all that were loaded, in strict mode, when it writes their declarations. */
  readonly compile: () => ReadonlyArray<string>
}

export const make = (name: string): Modules => {
  // A test may run several times at once, under mutants and without, and a module is loaded once by its path.
  const folder = mkdtempSync(join(all, `${name}-`))
  let count = 0
  return {
    load: (text) =>
      Effect.promise(() => {
        const file = join(folder, `${++count}.ts`)
        writeFileSync(file, text)
        return import(pathToFileURL(file).href)
      }),
    compile: () => {
      const config = {
        extends: join(root, "tsconfig.base.json"),
        compilerOptions: {
          composite: false,
          incremental: false,
          declaration: true,
          declarationMap: false,
          emitDeclarationOnly: true,
          outDir: "out",
          rootDir: "."
        },
        include: ["*.ts"]
      }
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
      const tsc = join(root, "node_modules/.bin/tsc")
      // Most of the work is to know the declarations of Effect, which each checker does for itself.
      const args = ["-p", folder, "--checkers", "1", "--pretty", "false"]
      const { status, stdout } = spawnSync(tsc, args, { cwd: folder, encoding: "utf8" })
      if (status === null) throw new Error("tsc did not run")
      return stdout.split("\n").filter((line) => /^\d+\.ts\(|^error/.test(line))
    }
  }
}

/** The document as it travels: JSON, read again. */
export const travel = (document: OpenRpc.Document): OpenRpc.Document =>
  Result.getOrThrow(OpenRpc.decode(JSON.parse(JSON.stringify(document))))

/** The only contract, or the protocol, of a module. */
export const exportedBy = (module: { readonly [name: string]: unknown }): Contract.Any | OpenRpc.AnyPair => {
  const values = Object.values(module)
  const protocol = values.find((value): value is OpenRpc.AnyPair => has(value, "layerServer"))
  const contract = values.find((value): value is Contract.Any => has(value, "layerClient"))
  const found = protocol ?? contract
  if (found === undefined) throw new Error("the module exports no contract")
  return found
}

/** A contract that a class extends has its members by inheritance. */
const has = (value: unknown, name: string) =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && name in value

/** The document of the module that is made of a document, and the text of that module. */
export const regenerate = (modules: Modules, document: OpenRpc.Document) =>
  Effect.gen(function*() {
    const text = yield* Effect.fromResult(Codegen.toModule(document))
    const module = yield* modules.load(text)
    const found = exportedBy(module)
    const info = module["info"] as OpenRpc.DocumentInfo
    const again = "members" in found ? OpenRpc.fromContract(found, info) : OpenRpc.fromPair(found, info)
    return { text, module, found, document: again }
  })
