/**
 * The site: `pnpm site` builds it and serves it at an address of this machine until it is ended.
 *
 * `--build` only builds it. `--draft` leaves the reference out: a quick look at pages.
 */
import { parseArgs } from "node:util"
import { build, folder, serve } from "./Site.ts"

const { values } = parseArgs({
  // `pnpm site -- --build` passes the `--` on.
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  options: {
    build: { type: "boolean", default: false },
    draft: { type: "boolean", default: false },
    port: { type: "string", default: "4173" }
  }
})

await build({ reference: !values.draft })
if (values.build) console.log(`built ${folder}`)
else console.log(`listening ${(await serve(Number(values.port))).resolvedUrls?.local[0]}`)
