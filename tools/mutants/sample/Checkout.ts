/** A copy of the checkout in a temporary folder: what mutates sources in their place may do it there. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

/** Folders that no test of the sources needs; the store of the dependencies is shared. */
const left = /^(?:\.git|\.tmp|node_modules\/\.pnpm|packages\/[^/]+\/dist)$/

/** Gives a copy to `use`, and removes it. Links between packages lead into the copy, as they are relative. */
export const withCopy = async <A>(root: string, use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-mutants-"))
  try {
    cpSync(root, folder, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !left.test(relative(root, path))
    })
    symlinkSync(join(root, "node_modules/.pnpm"), join(folder, "node_modules/.pnpm"))
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
