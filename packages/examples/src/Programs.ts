/** The servers that the demo and the tests start, found in the installed packages. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)
const { resolve } = require

/** A program for `NodeChildProcess`. */
export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const node = (module: string, ...args: ReadonlyArray<string>): Program => ({
  command: process.execPath,
  args: [resolve(module), ...args]
})

/** The command of a package that exports no module. */
const parley = (...args: ReadonlyArray<string>): Program => {
  const manifest = resolve("@parley/cli/package.json")
  return { command: process.execPath, args: [join(dirname(manifest), require(manifest).bin.parley), ...args] }
}

/** The specimen server of this project. */
export const parleyServe = parley("serve", "--stdio")

/** The MCP server of this project that has something of everything. */
export const parleyMcp = parley("mcp", "serve", "--stdio")

/** A server of the Model Context Protocol that exercises all of it. */
export const everything = node("@modelcontextprotocol/server-everything/dist/index.js", "stdio")

/** A server of the Language Server Protocol. */
export const typescriptLanguageServer = node("typescript-language-server/lib/cli.mjs", "--stdio")

/** The server that `typescript-language-server` runs; TypeScript 7 has none. */
export const tsserver = resolve("typescript-6/lib/tsserver.js")
