/** `pnpm bundle` weighs the smallest browser client, and writes docs/reference/bundle-size.md. */
import { writeFileSync } from "node:fs"
import { type Bundle, weighClient } from "./browser/pages.ts"

/** The page of a bundle. */
export const page = ({ gzipped, minified, modules, packages }: Bundle): string =>
  `# Bundle size

This page says what a browser loads for the smallest client there is: one contract of one method, a peer and a WebSocket, from \`packages/examples/src/browser/client.ts\`, built by Vite. \`pnpm bundle\` writes this page, and a test compares it with what is built.

**${kilobytes(minified)} minified, ${kilobytes(gzipped)} with gzip.**

## What is in it

Before it is minified, which takes away comments and names:

${table("Package", packages)}

Most of it is Effect: its runtime, and Schema, which the contract needs. Schema brings modules that this client never runs (addresses, cookies, dates, decimals), because it names Schemas for them.

${table("Module", modules.slice(0, 12))}
`

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`

const table = (head: string, rows: ReadonlyArray<readonly [name: string, bytes: number]>): string => {
  const cells = rows.map(([name, bytes]) => [`\`${name}\``, kilobytes(bytes)] as const)
  const left = Math.max(head.length, ...cells.map(([name]) => name.length))
  const right = Math.max("Size".length, ...cells.map(([, size]) => size.length))
  return [
    `| ${head.padEnd(left)} | ${"Size".padStart(right)} |`,
    `| ${"-".repeat(left)} | ${"-".repeat(right - 1)}: |`,
    ...cells.map(([name, size]) => `| ${name.padEnd(left)} | ${size.padStart(right)} |`)
  ].join("\n")
}

if (import.meta.main) {
  const bundle = await weighClient()
  writeFileSync(new URL("../../../docs/reference/bundle-size.md", import.meta.url), page(bundle))
  console.log(`${kilobytes(bundle.minified)} minified, ${kilobytes(bundle.gzipped)} with gzip`)
}
