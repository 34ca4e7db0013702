/** The site in Debian's Chromium: every page as its readers meet it. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { execFile } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import { hasBrowser, isThere, newPage } from "../../../examples/test/browser/browser.ts"
import * as Site from "../../src/Site.ts"
import * as Look from "./Look.ts"

/** The time, in milliseconds, to build, serve and look at all pages on busy processors. */
const patience = 1_500_000

/** The address of a page, as links have it. */
const addressOf = (base: string, file: string): string => base + file.replace(/(^|\/)index\.html$|\.html$/, "$1")

/** Builds the site by its command, and returns what it prints. */
const build = async (): Promise<string> => {
  const main = join(import.meta.dirname, "../../src/main.ts")
  const { stderr, stdout } = await promisify(execFile)(process.execPath, [main, "--build"])
  return stdout + stderr
}

const served = Effect.gen(function*() {
  const { resolvedUrls } = yield* Effect.acquireRelease(
    Effect.promise(() => Site.serve(0)),
    (server) => Effect.promise(() => server.close())
  )
  return resolvedUrls?.local[0] ?? assert.fail("the site is not served")
})

/** Looks at all pages, two at once. */
const lookAtAll = async (first: Page, addresses: ReadonlyArray<string>) => {
  const looks = new Map<string, Look.Look>()
  const waiting = [...addresses]
  const looking = [first, await first.context().newPage()].map(async (page) => {
    await page.setViewportSize({ width: 360, height: 740 })
    // A reader who saves data gets no pages ahead: they are looked at by themselves.
    await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }))
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      looks.set(address, await Look.at(page, address))
    }
  })
  await Promise.all(looking)
  return looks
}

describe("the site in Chromium", () => {
  hasBrowser()
  if (!isThere) return
  const scope = Effect.runSync(Scope.make())
  let printed: string
  let base: string
  let looks: ReadonlyMap<string, Look.Look>

  beforeAll(async () => {
    printed = await build()
    base = await Effect.runPromise(Scope.provide(served, scope))
    const page = await Effect.runPromise(Scope.provide(newPage(), scope))
    const pages = globSync("**/*.html", { cwd: Site.folder }).filter((file) => file !== "404.html")
    looks = await lookAtAll(page, pages.map((file) => addressOf(base, file)))
  }, patience)

  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /** Remarks on pages, each with its place on the site. */
  const said = (of: (look: Look.Look, address: string) => ReadonlyArray<string>): ReadonlyArray<string> =>
    Array.from(looks, ([address, look]) => of(look, address).map((text) => `/${address.slice(base.length)} ${text}`))
      .flat()

  it("is built without a warning", () => {
    assert.notMatch(printed, /warn|\(!\)|deprecat|falling back/i)
    assert.include(printed, "built ")
  })

  it("has a page of every module, and of every page that people wrote", () => {
    for (const path of ["", "how-to/reconnect", "api/", "api/peer/", "api/peer/Peer", "api/mcp/payload/Content"]) {
      assert.isTrue(looks.has(base + path), path)
    }
  })

  it("loads every page without complaints, and from itself alone", () => {
    assert.deepStrictEqual(said(({ complaints, foreign }) => [...complaints, ...foreign]), [])
  })

  it("has links and anchors that hold", () => {
    const broken = (link: string, address: string, { ids }: Look.Look): boolean => {
      const [path = "", anchor = ""] = link.split("#")
      const there = path === address ? ids : looks.get(path)?.ids
      if (there === undefined) return !existsSync(join(Site.folder, path.slice(base.length)))
      return anchor !== "" && !there.has(decodeURIComponent(anchor))
    }
    assert.deepStrictEqual(said((look, address) => look.links.filter((link) => broken(link, address, look))), [])
  })

  it("can be read in the light theme and in the dark one", () => {
    assert.deepStrictEqual(said(({ pale }) => pale), [])
  })

  it("scrolls no page sideways on a phone", () => {
    assert.deepStrictEqual(said(({ overflow }) => overflow > 0 ? [`is ${overflow} pixels too wide`] : []), [])
  })

  it("finds a page by words that it says", () =>
    Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const page = yield* newPage()
      yield* Effect.promise(async () => {
        await page.goto(base)
        await page.getByRole("button", { name: "Search" }).first().click()
        await page.getByRole("searchbox").fill("outlives its connections")
        await page.locator(`a.result[href*="/how-to/reconnect"]`).first().press("Enter")
        await page.getByRole("heading", { level: 1, name: "Reconnect" }).waitFor()
      })
    }))))

  it("lists its pages for language models, at addresses that are there", () => {
    const list = readFileSync(join(Site.folder, "llms.txt"), "utf8")
    const files = Array.from(list.matchAll(/\]\(https:\/\/[^/]+\/parley\/([^)]+)\)/g), ([, file = ""]) => file)
    assert.isAbove(files.length, 60)
    assert.deepStrictEqual(files.filter((file) => !existsSync(join(Site.folder, file))), [])
    assert.include(readFileSync(join(Site.folder, "llms-full.txt"), "utf8"), "# Reconnect")
  })
})
