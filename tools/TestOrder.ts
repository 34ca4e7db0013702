import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { valueImportsOf } from "./architecture/Sources.ts"

/**
 * The order of vitest, but for files that collect garbage to measure memory, which come first. A collection takes the
 * longer, the more a worker remembers of the files before: at the end of a run, several times as long as at its beginning.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const first = new Set(sorted.filter(({ moduleId }) => collectsGarbage(moduleId)))
    return [...first, ...sorted.filter((file) => !first.has(file))]
  }
}

/** Whether a file of tests, or one that it imports and that belongs to tests, has the garbage collector at hand. */
export const collectsGarbage = (file: string): boolean => {
  const files = new Set([file])
  for (const each of files) {
    const { imports, isCollector } = known.get(each) ?? look(each)
    if (isCollector) return true
    for (const imported of imports) files.add(imported)
  }
  return false
}

interface Looked {
  readonly isCollector: boolean
  /** The files of tests that it imports. */
  readonly imports: ReadonlyArray<string>
}

/** Many files import the same ones. */
const known = new Map<string, Looked>()

const look = (file: string): Looked => {
  const text = readFileSync(file, "utf8")
  const paths = valueImportsOf(text).filter((specifier) => specifier.startsWith(".")).map((specifier) =>
    resolve(dirname(file), specifier)
  )
  const looked = {
    isCollector: text.includes("--expose-gc"),
    imports: paths.filter((path) => path.includes("/test/") && existsSync(path))
  }
  known.set(file, looked)
  return looked
}
