/** The authenticated service as a process, with pages in Chromium and `vscode-jsonrpc` as its clients. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SignJWT } from "jose"
import { once } from "node:events"
import { createServer } from "node:http"
import type { Page } from "playwright-core"
import * as ws from "ws"
import { hasBrowser, isThere, opened } from "./browser/browser.ts"
import { theirs } from "./interop/vscodeSocket.ts"
import * as Service from "./Service.ts"

const secret = "a secret of thirty-two characters"

const tokenOf = (user: string, until = "1 hour from now") =>
  new SignJWT({}).setProtectedHeader({ alg: "HS256" }).setSubject(user).setExpirationTime(until).sign(
    new TextEncoder().encode(secret)
  )

const program = new URL("../src/authenticated-service.ts", import.meta.url)

/** The service, once it is healthy. */
const serving = Effect.fnUntraced(function*(origins: ReadonlyArray<string>) {
  const service = yield* Service.start(program, { SECRET: secret, ORIGINS: origins.join(",") })
  const health = new URL("/health", service.url)
  while ((yield* Effect.promise(() => fetch(health))).status !== 200) yield* Effect.yieldNow
  return service
})

/** The origin of an empty page. */
const origin = Effect.gen(function*() {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((_, response) => void response.setHeader("content-type", "text/html").end("<title>App</title>"))
    ),
    (server) => Effect.sync(() => server.close())
  )
  server.listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
})

const call = `{"jsonrpc":"2.0","id":1,"method":"greet","params":{"name":"page"}}`

/** The outcome of a page's call over HTTP: a status and the text, or that the page may not read it. */
const fetched = (page: Page, url: string) =>
  Effect.promise(() =>
    page.evaluate(async ([url, body = ""]) => {
      const headers = { "content-type": "application/json" }
      const options = { method: "POST", headers, body, credentials: "include" } as const
      return fetch(url!, options).then(
        async (response) => `${response.status} ${await response.text()}`,
        (error: unknown) => String(error)
      )
    }, [url, call])
  )

/** The outcome over a WebSocket with these subprotocols: the chosen one and the text, or the end of the connection. */
const socketed = (page: Page, url: string, protocols: ReadonlyArray<string>) =>
  Effect.promise(() =>
    page.evaluate(([url, body, ...protocols]) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url!, protocols)
        socket.onopen = () => socket.send(body!)
        socket.onmessage = ({ data }) => resolve(`${socket.protocol} ${data}`)
        socket.onclose = () => resolve("closed")
      }), [url.replace("http", "ws"), call, ...protocols])
  )

const greeted = (id: string) => `{"jsonrpc":"2.0","id":1,"result":"Hello page, says ${id}"}`

describe("the authenticated service", () => {
  hasBrowser()

  it.live("knows pages of a listed origin by their cookie or subprotocol, and keeps others out", () =>
    Effect.gen(function*() {
      if (!isThere) return
      const [app, evil] = [yield* origin, yield* origin]
      const { log, stop, url } = yield* serving([app])
      const page = yield* opened(app, [])
      assert.strictEqual(yield* fetched(page, url), "401 This server does not know who you are.")
      assert.strictEqual(yield* socketed(page, url, []), "closed")

      const expired = yield* Effect.promise(() => tokenOf("eve", "1 hour ago"))
      assert.strictEqual(yield* socketed(page, url, ["greeter", `bearer.${expired}`]), "closed")
      const bob = yield* Effect.promise(() => tokenOf("bob"))
      assert.strictEqual(yield* socketed(page, url, ["greeter", `bearer.${bob}`]), `greeter ${greeted("bob")}`)

      const ada = yield* Effect.promise(() => tokenOf("ada"))
      yield* Effect.promise(() =>
        page.context().addCookies([{ name: "token", value: ada, url, httpOnly: true, sameSite: "Strict" }])
      )
      assert.strictEqual(yield* fetched(page, url), `200 ${greeted("ada")}`)
      assert.strictEqual(yield* socketed(page, url, []), ` ${greeted("ada")}`)

      // The browser has the cookie for this page, too.
      yield* Effect.promise(() => page.goto(evil))
      assert.strictEqual(yield* fetched(page, url), "TypeError: Failed to fetch")
      assert.strictEqual(yield* socketed(page, url, []), "closed")
      yield* stop
      assert.include(log(), `pages of "${evil}" may not call; \`access.origins: ["${evil}"]\` would let them`)
      assert.include(log(), "`authorize` refused it: JWTExpired")
      for (const token of [ada, bob, expired]) assert.notInclude(log(), token)
    }))

  it.live("knows vscode-jsonrpc by its header, counts its calls, and ends in order", () =>
    Effect.gen(function*() {
      const { stop, url } = yield* serving([])
      const token = yield* Effect.promise(() => tokenOf("ada"))
      const headers = { authorization: `Bearer ${token}` }
      const socket = new ws.WebSocket(url.replace("http", "ws"), { headers })
      yield* Effect.promise(() => once(socket, "open"))
      const client = theirs(socket)
      const greeting = yield* Effect.promise(() => client.sendRequest("greet", { name: "code" }))
      assert.strictEqual(greeting, "Hello code, says ada")
      const metrics = yield* Effect.promise(async () => (await fetch(new URL("/metrics", url))).text())
      assert.match(metrics, /rpc_server_calls\S*rpc_method="greet"\S* 1/)
      const closed = once(socket, "close")
      yield* stop
      yield* Effect.promise(() => closed)
    }))
})
