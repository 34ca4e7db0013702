/** Debian's Chromium, driven by Playwright. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"

const executablePath = "/usr/bin/chromium"

/** Whether the browser is there. Without it, tests that need it pass, and `hasBrowser` says so. */
export const isThere = existsSync(executablePath)

export const hasBrowser = (): void =>
  it("has its browser", () => {
    if (isThere) return
    const words = "Chromium is not there; Debian's package chromium has it"
    if (process.env["CI"] === "true") assert.fail(words)
    console.warn(words)
  })

/** Without a sandbox, because tests may run as root; the rest keeps it from calling home. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

export const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** An empty page in a browser of its own. */
export const newPage = (...more: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const userData = yield* temporary
    const browser = yield* Effect.acquireRelease(
      Effect.promise(() =>
        chromium.launchPersistentContext(userData, { executablePath, args: [...args, ...more], headless: true })
      ),
      (browser) => Effect.promise(() => browser.close())
    )
    return yield* Effect.promise(() => browser.newPage())
  })

/** A page at an address, whose errors fail the test. */
export const opened = (address: string, errors: Array<string>) =>
  Effect.gen(function*() {
    const page = yield* newPage()
    page.on("pageerror", (error) => errors.push(String(error)))
    yield* Effect.promise(() => page.goto(address))
    return page
  })
