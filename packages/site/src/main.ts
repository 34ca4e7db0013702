/**
 * The site: `pnpm site` builds it and serves it at an address of this machine until it is ended.
 *
 * `--build` only builds it. `--draft` leaves the reference as it was: a quick look at pages. `--draw` only draws the
 * pictures of the pages again, the bars of the benchmarks among them.
 */
import { parseArgs } from "node:util"
import { build, draw, folder, serve } from "./Site.ts"

const { values } = parseArgs({
  // `pnpm site -- --build` passes the `--` on.
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  options: {
    build: { type: "boolean", default: false },
    draw: { type: "boolean", default: false },
    draft: { type: "boolean", default: false },
    port: { type: "string", default: "4173" }
  }
})

if (values.draw) {
  draw()
  console.log("drew the pictures of the pages")
} else {
  await build({ reference: !values.draft })
  if (values.build) console.log(`built ${folder}`)
  else console.log(`listening ${(await serve(Number(values.port))).resolvedUrls?.local[0]}`)
}
