/** The page in a real browser: Debian's Chromium, driven by Playwright. */
import { assert, describe, it } from "@effect/vitest"
import { NodeWebSocket } from "@parley/node"
import { Router, Server } from "@parley/peer"
import { Listener } from "@parley/transport/Listener"
import { Effect, Layer, Scope, Stream } from "effect"
import type { Page } from "playwright-core"
import { preview } from "vite"
import { Desk, dialect } from "../../src/browser/Desk.ts"
import { buildPage } from "../../src/browser/pages.ts"
import { hasBrowser, isThere, newPage, temporary } from "./browser.ts"

/** Builds and serves the page, and gives its address. */
const served = Effect.gen(function*() {
  const outDir = yield* temporary
  yield* Effect.promise(() => buildPage(outDir))
  const { resolvedUrls } = yield* Effect.acquireRelease(
    Effect.promise(() =>
      preview({
        configFile: false,
        logLevel: "error",
        build: { outDir },
        preview: { host: "127.0.0.1", port: 0, strictPort: false }
      })
    ),
    (server) => Effect.promise(() => server.close())
  )
  return new URL(resolvedUrls?.local[0] ?? assert.fail("the page is not served"))
})

/** A browser of its own, whose errors fail the test. */
const opened = (address: string, errors: Array<string>) =>
  Effect.gen(function*() {
    const page = yield* newPage()
    page.on("pageerror", (error) => errors.push(String(error)))
    yield* Effect.promise(() => page.goto(address))
    return page
  })

/** Waits until an output shows this. */
const shows = (page: Page, id: string, text: string | RegExp) =>
  Effect.promise(() => page.locator(`#${id}`, { hasText: text }).waitFor({ timeout: 20_000 }))

const click = (page: Page, id: string) => Effect.promise(() => page.locator(`#${id}`).click())

/** The desk on a port, until the Scope closes. */
const serving = (options: { readonly port: number; readonly origins: ReadonlyArray<string> }) =>
  Effect.gen(function*() {
    const pondering = { count: 0 }
    const handlers = Desk.toLayer({
      add: ({ left, right }) => Effect.succeed(left + right),
      ponder: () =>
        Effect.acquireUseRelease(
          Effect.sync(() => pondering.count++),
          () => Effect.never,
          () => Effect.sync(() => pondering.count--)
        ),
      count: () => Stream.concat(Stream.range(1, 3), Stream.never)
    })
    const listener = yield* NodeWebSocket.makeListener({ port: options.port, access: { origins: options.origins } })
    const routed = yield* Layer.build(Router.layer(handlers))
    yield* Effect.forkScoped(
      Server.runWith({ dialect, limits: { drain: 500 } }).pipe(
        Effect.provideService(Listener, listener),
        Effect.provide(routed)
      )
    )
    return { pondering, url: listener.address, port: Number(new URL(listener.address).port) }
  })

const until = (holds: () => boolean) =>
  Effect.promise(async () => {
    const { setTimeout } = await import("node:timers/promises")
    for (let times = 0; times < 2_000 && !holds(); times++) await setTimeout(5)
    assert.isTrue(holds())
  })

describe("a page in Chromium", () => {
  hasBrowser()

  it.live("talks to a server over a WebSocket and to its worker: results, cancellation, reconnection", () =>
    Effect.gen(function*() {
      if (!isThere) return
      const errors: Array<string> = []
      const site = yield* served
      const origins = [site.origin]

      const first = yield* Scope.make()
      const server = yield* Scope.provide(serving({ port: 0, origins }), first)
      const page = yield* opened(`${site.href}?server=${encodeURIComponent(server.url)}`, errors)
      yield* shows(page, "state", "Connected 1")
      yield* shows(page, "server-items", "1 2 3")

      yield* click(page, "server-add")
      yield* shows(page, "server-result", /^5$/)
      yield* click(page, "worker-add")
      yield* shows(page, "worker-result", /^5$/)

      yield* click(page, "server-ponder")
      yield* until(() => server.pondering.count === 1)
      yield* click(page, "server-give-up")
      yield* until(() => server.pondering.count === 0)
      yield* click(page, "worker-ponder")
      yield* shows(page, "worker-items", /^1$/)
      yield* click(page, "worker-give-up")
      yield* shows(page, "worker-items", /^0$/)

      // A call that is under way when the server goes ends typed; one that is made meanwhile waits.
      yield* click(page, "server-ponder")
      yield* until(() => server.pondering.count === 1)
      yield* Effect.forkScoped(Scope.close(first, yield* Effect.exit(Effect.void)))
      yield* shows(page, "server-result", /^(Disconnected|RemoteError)$/)
      yield* shows(page, "state", /^(Waiting|Connecting)$/)
      yield* click(page, "server-add")
      const again = yield* serving({ port: server.port, origins })
      yield* shows(page, "state", "Connected 2")
      yield* shows(page, "server-result", /^5$/)
      yield* shows(page, "server-items", "1 2 3 gap 1 2 3")
      assert.strictEqual(again.url, server.url)
      assert.deepStrictEqual(errors, [])
    }))

  it.live("promise 6: a foreign protocol is closed and runs nothing: a page from elsewhere does not reach the server", () =>
    Effect.gen(function*() {
      if (!isThere) return
      const site = yield* served
      const { url } = yield* serving({ port: 0, origins: ["https://elsewhere.example"] })
      const page = yield* opened(`${site.href}?server=${encodeURIComponent(url)}`, [])
      yield* shows(page, "worker-items", /^0$/)
      yield* shows(page, "state", /^(Waiting|Connecting)$/)
      const reached = yield* Effect.promise(() =>
        page.evaluate((url) =>
          new Promise((resolve) => {
            const socket = new WebSocket(url)
            socket.onopen = () => resolve("open")
            socket.onclose = () => resolve("closed")
          }), url)
      )
      assert.strictEqual(reached, "closed")
    }))
})
