import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** What oxlint said of one file: the names of the rules, such as `eslint(no-var)`. */
export type Reports = ReadonlyMap<string, ReadonlySet<string>>

/** Lints the given sources, by path, as if they were the repository. */
export const lintSources = (sources: Readonly<Record<string, string>>): Reports => {
  const folder = mkdtempSync(join(tmpdir(), "parley-lint-"))
  try {
    const config = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8"))
    config.jsPlugins = [join(root, "tools/lint/plugin.ts")]
    write(join(folder, ".oxlintrc.json"), JSON.stringify(config))
    for (const [path, text] of Object.entries(sources)) write(join(folder, path), text)
    const run = spawnSync(join(root, "node_modules/.bin/oxlint"), ["-f", "json"], { cwd: folder, encoding: "utf8" })
    return group(JSON.parse(run.stdout).diagnostics)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

interface Diagnostic {
  readonly filename: string
  readonly code: string
}

const group = (diagnostics: ReadonlyArray<Diagnostic>): Reports => {
  const reports = new Map<string, Set<string>>()
  for (const { code, filename } of diagnostics) {
    reports.set(filename, (reports.get(filename) ?? new Set()).add(code))
  }
  return reports
}
