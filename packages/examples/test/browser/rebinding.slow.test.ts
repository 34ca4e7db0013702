/**
 * A page whose name changes its address, in Debian's Chromium: it is loaded from a server of its own, and then speaks to
 * ours under the same name and port, so that nothing of what it sends is foreign to its origin.
 */
import { assert, describe, it } from "@effect/vitest"
import { NodeTcp } from "@parley/node"
import { Router, Server } from "@parley/peer"
import { Framing } from "@parley/protocol"
import { Listener } from "@parley/transport/Listener"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { hasBrowser, isThere, newPage } from "./browser.ts"

/** A page, loaded from a server that is gone when this is done; and the port that it had. */
const loaded = Effect.gen(function*() {
  const site = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html", connection: "close" })
    response.end("<title>rebinding</title><iframe name=sink></iframe>")
  })
  yield* Effect.promise(() => new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve)))
  const { port } = site.address() as AddressInfo // It listens at a port.
  const page = yield* newPage("--host-resolver-rules=MAP rebinding.test 127.0.0.1")
  yield* Effect.promise(() => page.goto(`http://rebinding.test:${port}/`))
  yield* Effect.promise(() =>
    new Promise<void>((resolve) => {
      site.close(() => resolve())
      site.closeAllConnections()
    })
  )
  return { page, port }
})

/** The requests of a page, as scripts. Each gives up after a moment, because no response may come. */
const attempts = async ({ lines, port }: { readonly lines: string; readonly port: number }) => {
  const here = `http://rebinding.test:${port}/`
  const other = `http://127.0.0.1:${port}/`
  const patience = { signal: AbortSignal.timeout(10_000) }
  const bodies = [lines, new Blob([lines]), new Blob(["\ufeff", lines])]
  for (const method of ["FOO", "patch", "POST", "PUT", "DELETE", "OPTIONS", "QUERY", "PROPFIND", "m", "1", "true"]) {
    for (const body of bodies) await fetch(here, { method, body, ...patience }).catch(() => undefined)
  }
  for (const body of bodies) {
    await fetch(other, { method: "POST", mode: "no-cors", body, ...patience }).catch(() => undefined)
    navigator.sendBeacon(other, body)
    navigator.sendBeacon(here, body)
  }
  await fetch(`${here}${"x".repeat(200_000)}`, { method: "FOO", body: lines, ...patience }).catch(() => undefined)
  await new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.onloadend = resolve
    request.open("BAR", here)
    request.setRequestHeader("content-type", "application/json")
    request.send(lines)
  })
  await new Promise((resolve) => {
    const socket = new WebSocket(here.replace("http", "ws"))
    socket.onclose = resolve
  })
  const sink = document.getElementsByTagName("iframe")[0]!
  for (const action of [here, other]) {
    for (const enctype of ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"]) {
      const form = document.createElement("form")
      Object.assign(form, { action, enctype, method: "post", target: "sink" })
      const field = document.createElement("textarea")
      field.name = lines
      field.value = lines
      form.append(field)
      document.body.append(form)
      await new Promise((resolve) => {
        sink.onload = resolve
        form.submit()
      })
    }
  }
}

const call = `{"jsonrpc":"2.0","id":1,"method":"run","params":[]}`

/** The call as every framing has it. */
const lines = `\n${call}\n\nContent-Length: ${call.length}\r\n\r\n${call}\n`

describe("a page of another site in Chromium", () => {
  hasBrowser()

  for (const framing of [Framing.line, Framing.contentLength, Framing.concatenated]) {
    it.live(`promise 6: a foreign protocol is closed and runs nothing: a page that is rebound to a server of ${framing.name}`, () =>
      Effect.gen(function*() {
        if (!isThere) return
        const { page, port } = yield* loaded
        let runs = 0
        let connections = 0
        const router = yield* Router.make()
        yield* router.add("run", () => Effect.sync(() => ++runs))
        const listener = yield* NodeTcp.makeListener({ host: "127.0.0.1", port, framing })
        const counting: typeof listener = {
          address: listener.address,
          run: (handler) =>
            listener.run((transport) => {
              connections++
              return handler(transport)
            })
        }
        yield* Effect.forkScoped(
          Server.run.pipe(
            Effect.provideService(Listener, counting),
            Effect.provideService(Router.Router, router)
          )
        )
        yield* Effect.promise(() => page.evaluate(attempts, { lines, port }))
        assert.isAbove(connections, 30)
        assert.strictEqual(runs, 0)
        // The server still serves who speaks its protocol.
        const client = yield* NodeTcp.makeTransport({ host: "127.0.0.1", port, framing })
        yield* client.send([call])
        assert.deepStrictEqual(yield* client.receive, [`{"jsonrpc":"2.0","id":1,"result":1}`])
      }))
  }
})
