/** The page of the playground in Debian's Chromium. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { preview, type PreviewServer } from "vite"
import { build } from "vitepress"
import { afterAll, beforeAll } from "vitest"
import { hasBrowser, isThere, newPage } from "../../../examples/test/browser/browser.ts"
import * as Look from "../browser/Look.ts"

const site = join(import.meta.dirname, "../..")
const root = join(site, ".tmp/playground")
const outDir = ".vitepress/dist"

let server: PreviewServer

/** A site of this page alone, which takes less time than all pages. */
beforeAll(async () => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, ".vitepress/theme"), { recursive: true })
  writeFileSync(join(root, ".vitepress/theme/index.ts"), `export { default } from "../../../../src/theme/index.ts"\n`)
  writeFileSync(
    join(root, ".vitepress/config.ts"),
    `import { markdown } from "../../../src/config.ts"\nexport default { markdown, ignoreDeadLinks: true }\n`
  )
  cpSync(join(site, "../../docs/playground.md"), join(root, "index.md"))
  await build(root)
  server = await preview({
    root,
    configFile: false,
    logLevel: "error",
    build: { outDir },
    preview: { host: "127.0.0.1", port: 0 }
  })
})

afterAll(() => server?.close())

/** Runs a test on the page, and fails it for every error of the console and for every request that leaves the page. */
const onPage = (run: (page: Page) => Promise<void>, width: number = 1_280) => () =>
  Effect.gen(function*() {
    if (!isThere) return
    const page = yield* newPage()
    const errors: Array<string> = []
    const address = server.resolvedUrls?.local[0] ?? assert.fail("nothing is served")
    page.on("pageerror", (error) => errors.push(String(error)))
    page.on("console", (message) => {
      if (message.type() === "error" && !message.location().url.endsWith("favicon.ico")) errors.push(message.text())
    })
    page.on("request", (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith("data:")) errors.push(request.url())
    })
    yield* Effect.promise(async () => {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(address)
      await run(page)
    })
    assert.deepStrictEqual(errors, [])
  })

const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

const messages = "Messages, the oldest first"

const shows = (page: Page, list: "Calls" | typeof messages, ...texts: ReadonlyArray<string>) =>
  Promise.all(
    texts.map((text) =>
      page.getByRole("list", { name: list, exact: true }).getByText(text).first().waitFor({ timeout: 20_000 })
    )
  )

describe("the playground in Chromium", () => {
  hasBrowser()

  it.live(
    "shows the messages of a call, and another result for another parameter",
    onPage(async (page) => {
      await click(page, "A plain call")
      await shows(page, messages, `{"jsonrpc":"2.0","id":1,"method":"deposit","params":{"amount":50}}`)
      await shows(page, messages, `{"jsonrpc":"2.0","id":1,"result":1050}`)
      await page.getByLabel("amount", { exact: true }).fill("7")
      await click(page, "Call")
      await shows(page, "Calls", `bank.deposit({"amount":7})`, "1057")
      await page.getByLabel("params as JSON").fill(`{"amount":-1057}`)
      await click(page, "Call")
      await shows(page, messages, `{"jsonrpc":"2.0","id":3,"result":0}`)
      await page.getByLabel("params as JSON").fill("{")
      await click(page, "Call")
      await shows(page, "Calls", "the params cannot be read, and nothing was sent")
    })
  )

  it.live(
    "shows typed errors, progress, a stream, a batch and a timeout",
    onPage(async (page) => {
      await click(page, "A typed error")
      await shows(page, "Calls", "Insufficient", `{"balance":1000}`)
      await click(page, "A batch")
      await shows(page, messages, "batch of 2")
      await click(page, "A stream")
      await shows(
        page,
        "Calls",
        `item: {"number":12,"amount":120}`,
        `progress: {"value":{"number":10,"entries":12}`,
        "the stream has ended"
      )
      await click(page, "A timeout")
      await shows(page, "Calls", `progress: {"value":{"year":1,"years":9}`, "RequestTimeout")
    })
  )

  it.live(
    "asks back, and takes the answer",
    onPage(async (page) => {
      await click(page, "A call back")
      await page.getByRole("alert").getByText("do you withdraw 200?").waitFor()
      await click(page, "Yes")
      await shows(page, "Calls", "800")
      await click(page, "A call back")
      await click(page, "No")
      await shows(page, "Calls", "Declined")
    })
  )

  it.live(
    "cancels a call by a button, and tells the bank",
    onPage(async (page) => {
      await click(page, "Progress")
      await click(page, "Cancel")
      await shows(page, messages, "$/cancelRequest", "Request cancelled")
      await shows(page, "Calls", "cancelled: the bank was told")
    })
  )

  it.live(
    "shows the typed error of each fault, and connects again",
    onPage(async (page) => {
      await page.getByLabel("The answers of the bank").selectOption("result and error")
      await click(page, "A plain call")
      await shows(page, "Calls", "InvalidResponse")
      await shows(page, messages, "not arrived", "made by the line")
      await page.getByLabel("The answers of the bank").selectOption("right")
      await click(page, "Progress")
      await shows(page, messages, `"method":"audit"`)
      await click(page, "Cut the line")
      await shows(page, "Calls", "Disconnected", "the line was cut")
      await click(page, "A plain call")
      await shows(page, messages, "connection 2")
    })
  )

  it.live(
    "sends the text of a foreign peer as it stands",
    onPage(async (page) => {
      await page.getByLabel("Text to send as it stands").fill(`{"jsonrpc":"2.0","id":1.00,"method":"borrow"}`)
      await click(page, "Send")
      await shows(page, messages, `{"jsonrpc":"2.0","id":1.00,"error":{"code":-32601`)
    })
  )

  it.live(
    "is used by the keyboard alone",
    onPage(async (page) => {
      await page.getByRole("button", { name: "A plain call" }).focus()
      await page.keyboard.press("Enter")
      await shows(page, "Calls", "1050")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Space")
      await shows(page, "Calls", "Insufficient")
    })
  )

  for (const width of [360, 1_280]) {
    it.live(
      `fits ${width} pixels, and can be read in both themes`,
      onPage(async (page) => {
        for (const name of ["A typed error", "A batch", "Arguments that do not fit", "Progress"]) {
          await click(page, name)
        }
        await shows(page, "Calls", "InvalidArguments", "4 years are in order")
        assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), width)
        assert.deepStrictEqual(await Look.paleTexts(page, ".playground"), [])
      }, width)
    )
  }

  it("weighs little more than its client, with gzip", () => {
    const chunks = join(root, outDir, "assets/chunks")
    const [script = assert.fail("there is no script")] = readdirSync(chunks).filter((name) =>
      name.startsWith("Playground")
    )
    const { length } = gzipSync(readFileSync(join(chunks, script)), { level: 9 })
    console.log(`the playground weighs ${(length / 1_000).toFixed(1)} kB with gzip`)
    assert.isBelow(length, 110_000)
  })

  it("has components whose types hold", () => {
    execFileSync(join(site, "node_modules/.bin/vue-tsc"), ["-p", "tsconfig.vue.json"], { cwd: site, stdio: "inherit" })
  })
})
