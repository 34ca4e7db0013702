/** The servers that the demo and the tests start, found in the installed packages. */
import { createRequire } from "node:module"

const { resolve } = createRequire(import.meta.url)

/** A program for `NodeChildProcess`. */
export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const node = (module: string, ...args: ReadonlyArray<string>): Program => ({
  command: process.execPath,
  args: [resolve(module), ...args]
})

/** The specimen server of this project. */
export const parleyServe = node("@parley/cli/bin", "serve", "--stdio")

/** The MCP server of this project that has something of everything. */
export const parleyMcp = node("@parley/cli/bin", "mcp", "serve", "--stdio")

/** A server of the Model Context Protocol that exercises all of it. */
export const everything = node("@modelcontextprotocol/server-everything/dist/index.js", "stdio")

/** A server of the Language Server Protocol. */
export const typescriptLanguageServer = node("typescript-language-server/lib/cli.mjs", "--stdio")

/** The server that `typescript-language-server` runs; TypeScript 7 has none. */
export const tsserver = resolve("typescript-6/lib/tsserver.js")
