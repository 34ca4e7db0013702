/** Debian's Chromium, driven by Playwright. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"

const executablePath = "/usr/bin/chromium"

export const isThere = existsSync(executablePath)

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

/** Says where the browser is missing, and fails where it must not. */
export const needed = () => {
  if (isThere) return
  const words = "Chromium is not there; Debian's package chromium has it"
  if (process.env["CI"] === "true") assert.fail(words)
  console.warn(words)
}

/** A folder that goes with the Scope. */
export const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A browser of its own, whose errors fail the test. */
export const opened = (address: string, errors: Array<string>) =>
  Effect.gen(function*() {
    const userData = yield* temporary
    const browser = yield* Effect.acquireRelease(
      Effect.promise(() => chromium.launchPersistentContext(userData, { executablePath, args, headless: true })),
      (browser) => Effect.promise(() => browser.close())
    )
    const page = yield* Effect.promise(() => browser.newPage())
    page.on("pageerror", (error) => errors.push(String(error)))
    yield* Effect.promise(() => page.goto(address))
    return page
  })
