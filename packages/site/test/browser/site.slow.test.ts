/** The site in Debian's Chromium: every page as its readers meet it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync } from "node:fs"
import { hasBrowser, isThere, newPage } from "../../../examples/test/browser/browser.ts"
import * as Site from "../../src/Site.ts"
import * as Look from "./Look.ts"

/** Builds the site, and gives the address at which it is served until the Scope closes. */
const served = Effect.gen(function*() {
  yield* Effect.promise(() => Site.build())
  const { resolvedUrls } = yield* Effect.acquireRelease(
    Effect.promise(() => Site.serve(0)),
    (server) => Effect.promise(() => server.close())
  )
  return resolvedUrls?.local[0] ?? assert.fail("the site is not served")
})

/** Addresses of the site as its links have them. */
const addressOf = (base: string, file: string): string => base + file.replace(/(^|\/)index\.html$|\.html$/, "$1")

/** Looks at all pages, a few at once. */
const look = (addresses: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const looks = new Map<string, Look.Look>()
    const waiting = [...addresses]
    const first = yield* newPage()
    const more = yield* Effect.promise(() => first.context().newPage())
    yield* Effect.promise(() =>
      Promise.all([first, more].map(async (page) => {
        await page.setViewportSize({ width: 360, height: 740 })
        for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
          looks.set(address, await Look.at(page, address))
        }
      }))
    )
    return looks
  })

describe("the site in Chromium", () => {
  hasBrowser()

  it.live("loads every page without complaints, from nowhere else, and every link holds; both themes are readable, and no page scrolls sideways on a phone", () =>
    Effect.gen(function*() {
      if (!isThere) return
      const base = yield* served
      const addresses = globSync("**/*.html", { cwd: Site.folder }).filter((file) => file !== "404.html")
        .map((file) => addressOf(base, file))
      const looks = yield* look(addresses)
      const breaches = [...looks].flatMap(([address, { complaints, foreign, ids, links, overflow, pale }]) =>
        [
          ...complaints,
          ...foreign.map((url) => `loads ${url}`),
          ...pale,
          ...(overflow > 0 ? [`is ${overflow} pixels wider than a phone`] : []),
          ...links.flatMap((link) => {
            const [path = "", anchor = ""] = link.split("#")
            const target = path === address ? ids : looks.get(path)?.ids
            if (target === undefined) {
              return Site.has(path.slice(base.length))
                ? []
                : [`links to ${link}, which is not there`]
            }
            return anchor === "" || target.has(decodeURIComponent(anchor))
              ? []
              : [`links to ${link}, which has no such heading`]
          })
        ].map((breach) => `/${address.slice(base.length)} ${breach}`)
      )
      assert.deepStrictEqual(breaches, [])
      assert.isAbove(looks.size, 100)
    }))

  it.live("finds a page by a word that it says", () =>
    Effect.gen(function*() {
      if (!isThere) return
      const { resolvedUrls } = yield* Effect.acquireRelease(
        Effect.promise(() => Site.serve(0)),
        (server) => Effect.promise(() => server.close())
      )
      const page = yield* newPage()
      yield* Effect.promise(async () => {
        await page.goto(resolvedUrls?.local[0] ?? assert.fail("the site is not served"))
        await page.getByRole("button", { name: "Search" }).first().click()
        await page.getByRole("searchbox").fill("outlives its connections")
        await page.locator(".result", { hasText: "Reconnect" }).first().click()
        await page.waitForURL("**/how-to/reconnect**")
        await page.getByRole("heading", { level: 1, name: "Reconnect" }).waitFor()
      })
    }))
})
