#!/usr/bin/env node
/**
 * The `parley` command. Its modules are loaded through the compile cache of Node.js, which halves the time to start; other
 * runtimes have none.
 *
 * @since 0.1.0
 */
import { writeSync } from "node:fs"
import * as module from "node:module"
import { version } from "./internal/terminal/version.ts"

/** Tells the version, for which no other module is loaded; the long way says why it could not be written. */
const tellsVersion = (): boolean => {
  try {
    return writeSync(1, `parley v${version}\n`) > 0
  } catch {
    return false
  }
}

const args = process.argv.slice(2)
const asked = args.length === 1 && ["--version", "-v", "version"].includes(args[0] ?? "")
if (!asked || !tellsVersion()) {
  if ("enableCompileCache" in module) module.enableCompileCache()
  const { run } = await import("./internal/main.ts")
  process.exit(await run(asked ? ["--version"] : args))
}
