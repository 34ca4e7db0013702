/**
 * The site: `pnpm site` builds it and serves it at an address of this machine until it is ended.
 *
 * `--build` only builds it. `--draft` leaves the reference as it was: a quick look at pages. `--draw` only draws the
 * pictures of the pages again, the bars of the benchmarks among them.
 */
import { parseArgs } from "node:util"

const usage = `Usage: pnpm site [flags]

Builds the site of the documentation, and serves it at an address of this machine until it is ended.

  --build       Only build it
  --draft       Leave the reference as it was: a quick look at pages
  --draw        Only draw the pictures of the pages again
  --port N      Serve it at this port, or the next one that is free (default: 4173)
  -h, --help    Print this, and build nothing`

const { values } = parseArgs({
  // `pnpm site -- --build` passes the `--` on.
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  options: {
    build: { type: "boolean", default: false },
    draw: { type: "boolean", default: false },
    draft: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
    port: { type: "string", default: "4173" }
  }
})

if (values.help) {
  console.log(usage)
} else {
  const { build, draw, folder, serve } = await import("./Site.ts")
  if (values.draw) {
    draw()
    console.log("drew the pictures of the pages")
  } else {
    await build({ reference: !values.draft })
    if (values.build) console.log(`built ${folder}`)
    else console.log(`listening ${(await serve(Number(values.port))).resolvedUrls?.local[0]}`)
  }
}
