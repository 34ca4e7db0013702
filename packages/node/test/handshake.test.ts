import { assert, describe, it } from "@effect/vitest"
import type { RequestRules } from "@parley/http/shared"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Peer, Router, Server } from "@parley/peer"
import * as Handshake from "@parley/transport/Handshake"
import { Listener } from "@parley/transport/Listener"
import { Context, Deferred, Effect, Layer } from "effect"
import * as http from "node:http"
import * as net from "node:net"
import * as certificates from "./support/certificates.ts"
import { as, byToken, greeting, User, watching } from "./support/handshakes.ts"
import { type Host, hosts } from "./support/httpHosts.ts"
import * as posting from "./support/posting.ts"
import { reasonOf } from "./support/reasonOf.ts"
import { listening, upgrade } from "./support/webSocketListener.ts"

const json = { "content-type": "application/json" }

const serving = (host: Host, options: RequestRules.RequestRulesOptions = { authorize: byToken }) =>
  Effect.gen(function*() {
    const { noted, router } = yield* greeting
    return { noted, url: yield* host.serve(router, options) }
  })

/** What a connection gets for these bytes, until as much has come. */
const received = (url: string, text: string, end: RegExp) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname)
    let all = ""
    socket.write(text)
    socket.on("data", (chunk) => {
      all += chunk
      if (end.test(all)) socket.destroy()
    })
    socket.on("close", () => resume(Effect.succeed(all)))
  })

/** An `authorize` that waits, and tells when it was asked and interrupted. */
const waiting = Effect.gen(function*() {
  const asked = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const authorize: Handshake.Authorize = () =>
    Deferred.succeed(asked, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
  return { authorize, asked: Deferred.await(asked), interrupted: Deferred.await(interrupted) }
})

describe.for(hosts)("authorize on $name", (host) => {
  it.live("tells handlers who has sent a request, whatever it holds", () =>
    Effect.gen(function*() {
      const { noted, url } = yield* serving(host)
      for (const id of ["ada", "bob"]) {
        for (const accept of ["application/json", "text/event-stream, application/json"]) {
          const headers = { ...json, ...as(id), accept }
          const { text } = yield* posting.post(url, { body: posting.request("whoami"), headers })
          assert.strictEqual(text, `{"jsonrpc":"2.0","id":1,"result":"${id}"}`)
        }
      }
      yield* posting.post(url, { body: `{"jsonrpc":"2.0","method":"note"}`, headers: { ...json, ...as("cyd") } })
      assert.strictEqual(yield* noted, "cyd")
    }))

  it.live("refuses strangers before their body is read, with what they have to show", () => {
    const { lines, watch } = watching()
    return watch(Effect.gen(function*() {
      const { url } = yield* serving(host)
      // No byte of the body comes.
      const { answer, request } = yield* posting.begin(url, { headers: { ...json, "content-length": "100" } })
      request.flushHeaders()
      const { headers, status, text } = yield* answer
      assert.deepStrictEqual([status, text], [401, "This server does not know who you are."])
      assert.strictEqual(headers["www-authenticate"], "Bearer")
      // A Web handler has the log of no program.
      if (host.name === "HttpRoute.toWebHandler") return
      assert.match(lines.join(), /^Warn Refused a request from .* to "\/" with 401: `authorize` refused it$/)
    }))
  })

  it.live("that dies is 500, and logged", () => {
    const { lines, watch } = watching()
    return watch(Effect.gen(function*() {
      const { url } = yield* serving(host, { authorize: () => Effect.die(new Error("no database")) })
      assert.strictEqual((yield* posting.post(url, { body: "{}" })).status, 500)
      if (host.name !== "HttpRoute.toWebHandler") assert.strictEqual(lines.join(), "Error `authorize` died")
    }))
  })

  it.live("is interrupted when the client leaves, and in time when it stays", () =>
    Effect.gen(function*() {
      const one = yield* waiting
      const { url } = yield* serving(host, { authorize: one.authorize })
      const { request } = yield* posting.begin(url)
      request.end("{}")
      yield* one.asked
      request.destroy()
      yield* one.interrupted
      const two = yield* waiting
      const slow = yield* serving(host, { authorize: two.authorize, limits: { handshake: 50 } })
      const { headers, status } = yield* posting.post(slow.url, { body: "{}" })
      assert.deepStrictEqual([status, headers["retry-after"]], [503, "1"])
    }).pipe(watching().watch))

  it.live("lets the pages of listed origins call, and read that they are refused", () =>
    Effect.gen(function*() {
      const origin = "https://app.example"
      const cors = { origins: [origin], credentials: true, exposedHeaders: ["www-authenticate"] }
      const { url } = yield* serving(host, { authorize: byToken, cors })
      const asked = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization"
      }
      const preflight = yield* posting.post(url, { method: "OPTIONS", headers: asked })
      assert.deepStrictEqual([preflight.status, preflight.text], [204, ""])
      assert.strictEqual(preflight.headers["access-control-allow-headers"], "authorization")
      for (const headers of [as("ada"), {}, { ...as("ada"), "content-type": "text/plain" }]) {
        const answer = yield* posting.post(url, {
          body: posting.request("whoami"),
          headers: { ...json, origin, ...headers }
        })
        assert.strictEqual(answer.headers["access-control-allow-origin"], origin)
        assert.strictEqual(answer.headers["access-control-allow-credentials"], "true")
        assert.strictEqual(answer.headers["access-control-expose-headers"], "www-authenticate")
        assert.strictEqual(answer.headers.vary, "Origin")
      }
      const evil = { ...json, ...as("ada"), origin: "https://evil.example" }
      const refused = yield* posting.post(url, { body: posting.request("whoami"), headers: evil })
      assert.strictEqual(refused.status, 403)
      assert.notProperty(refused.headers, "access-control-allow-origin")
      const other = yield* posting.post(url, {
        method: "OPTIONS",
        headers: { ...asked, origin: "https://evil.example" }
      })
      assert.strictEqual(other.status, 405)
      assert.notProperty(other.headers, "access-control-allow-origin")
    }).pipe(watching().watch))

  it.live("is not needed: the head is there without it, and no page may call", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      yield* router.add("head", () => Effect.map(Handshake.Current, (current) => current?.head.method ?? null))
      const url = yield* host.serve(router)
      const { text } = yield* posting.post(url, { body: posting.request("head") })
      assert.strictEqual(text, `{"jsonrpc":"2.0","id":1,"result":"POST"}`)
      const preflight = { origin: "https://app.example", "access-control-request-method": "POST" }
      assert.strictEqual((yield* posting.post(url, { method: "OPTIONS", headers: preflight })).status, 405)
    }).pipe(watching().watch))
})

describe("authorize on NodeHttp", () => {
  it.live("is asked before the client is told to send its body", () =>
    Effect.gen(function*() {
      const { url } = yield* serving(hosts[0]!)
      const text = posting.request("whoami")
      const head = (lines: string) =>
        `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n` +
        `Expect: 100-continue\r\n${lines}\r\n`
      assert.match(yield* received(url, head(""), /\r\n\r\n/), /^HTTP\/1\.1 401 /)
      const known = head("Authorization: Bearer ada\r\n")
      assert.match(yield* received(url, known, /\r\n\r\n/), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
      assert.include(yield* received(url, known + text, /"ada"/), `"result":"ada"`)
    }).pipe(watching().watch))

  it.live("sees the certificate of the client", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      yield* router.add("whoami", () =>
        Effect.map(Handshake.Current, (current) => {
          const { fingerprint = "", isTrusted = false, name = null } = current?.head.certificate ?? {}
          return [name, fingerprint.length, isTrusted]
        }))
      const tls = { ...certificates.server, ca: certificates.ca, requestCert: true, rejectUnauthorized: false }
      const { address } = yield* Effect.provideService(NodeHttp.serveRouter({ port: 0, tls }), Router.Router, router)
      const whoami = (tls: typeof certificates.trusting) =>
        Effect.flatMap(NodeHttp.makeCaller({ url: address, tls }), (caller) => caller.request("whoami"))
      assert.deepStrictEqual(yield* whoami(certificates.known), ["client", 95, true])
      assert.deepStrictEqual(yield* whoami({ ...certificates.trusting, ...certificates.stranger }), [
        "localhost",
        95,
        false
      ])
      assert.deepStrictEqual(yield* whoami(certificates.trusting), [null, 0, false])
    }))
})

/** The status of a request to upgrade. */
const statusOf = (url: string, headers: http.OutgoingHttpHeaders) =>
  Effect.callback<http.IncomingMessage>((resume) => {
    const request = http.request(url.replace(/^ws/, "http"), { headers: { ...upgrade, ...headers }, agent: false })
    const answer = (response: http.IncomingMessage) => {
      response.destroy()
      resume(Effect.succeed(response))
    }
    request.on("response", answer)
    request.on("upgrade", answer)
    request.on("error", (error) => resume(Effect.die(error)))
    request.end()
  })

describe("authorize on NodeWebSocket", () => {
  const serve = (options: Partial<NodeWebSocket.WebSocketListenerOptions>) =>
    Effect.gen(function*() {
      const { noted, router } = yield* greeting
      const listener = yield* NodeWebSocket.makeListener({ port: 0, ...options })
      yield* Effect.forkScoped(Server.run.pipe(
        Effect.provideService(Listener, listener),
        Effect.provideService(Router.Router, router)
      ))
      return { noted, url: listener.address }
    })

  const connect = (url: string, headers: Readonly<Record<string, string>>) =>
    Effect.flatMap(NodeWebSocket.makeTransport({ url, headers }), (transport) => Peer.make(transport))

  it.live("tells handlers who has connected, those of notifications too", () =>
    Effect.gen(function*() {
      const { noted, url } = yield* serve({ authorize: byToken })
      const [ada, bob] = [yield* connect(url, as("ada")), yield* connect(url, as("bob"))]
      const calls = [ada.request("whoami"), bob.request("whoami"), ada.request("whoami")]
      assert.deepStrictEqual(yield* Effect.all(calls), ["ada", "bob", "ada"])
      yield* bob.notify("note")
      assert.strictEqual(yield* noted, "bob")
    }))

  it.live("shows the whole head", () =>
    Effect.gen(function*() {
      const seen = yield* Deferred.make<Handshake.Head>()
      const { url } = yield* serve({
        path: "/rpc",
        protocols: ["parley"],
        authorize: (head) => Effect.as(Deferred.succeed(seen, head), Context.empty())
      })
      const headers = { cookie: "token=abc", "sec-websocket-protocol": "parley, bearer.abc" }
      const response = yield* statusOf(`${url}?room=1`, headers)
      assert.deepStrictEqual([response.statusCode, response.headers["sec-websocket-protocol"]], [101, "parley"])
      const head = yield* Deferred.await(seen)
      assert.deepStrictEqual(
        [head.method, Handshake.pathOf(head), Handshake.queryOf(head).get("room"), head.address],
        ["GET", "/rpc", "1", "127.0.0.1"]
      )
      assert.strictEqual(Handshake.cookiesOf(head).get("token"), "abc")
      assert.deepStrictEqual(Handshake.protocolsOf(head), ["parley", "bearer.abc"])
    }))

  it.live("refuses strangers before there is a connection", () => {
    const { lines, watch } = watching()
    return watch(Effect.gen(function*() {
      let connections = 0
      const url = yield* listening({ authorize: byToken }, () => Effect.sync(() => connections++))
      const refused = yield* statusOf(url, {})
      assert.deepStrictEqual([refused.statusCode, refused.headers["www-authenticate"]], [401, "Bearer"])
      assert.strictEqual(connections, 0)
      assert.deepStrictEqual(lines, [
        "Warn Refused a WebSocket from 127.0.0.1 to \"/\" with 401: `authorize` refused it"
      ])
      assert.strictEqual((yield* statusOf(url, as("ada"))).statusCode, 101)
    }))
  })

  it.live("cannot be made to write a header of the client's", () =>
    Effect.gen(function*() {
      const challenge = "Bearer\r\nset-cookie: a=1"
      const url = yield* listening({ authorize: () => Effect.fail(Handshake.unauthenticated(challenge)) })
      const refused = yield* statusOf(url, {})
      assert.strictEqual(refused.statusCode, 401)
      assert.notProperty(refused.headers, "set-cookie")
    }).pipe(watching().watch))

  it.live("that dies is 500, and one that takes too long 503", () =>
    Effect.gen(function*() {
      const dying = yield* listening({ authorize: () => Effect.die(new Error("no database")) })
      assert.strictEqual((yield* statusOf(dying, {})).statusCode, 500)
      const slow = yield* listening({ authorize: () => Effect.never, limits: { handshake: 50 } })
      assert.strictEqual((yield* statusOf(slow, {})).statusCode, 503)
    }).pipe(watching().watch))

  it.live("is interrupted when the client leaves, in order or not, and holds its place until then", () =>
    Effect.gen(function*() {
      for (const leave of ["end", "destroy"] as const) {
        const { asked, authorize, interrupted } = yield* waiting
        const url = yield* listening({ authorize, limits: { connections: 1 } })
        const request = http.request(url.replace(/^ws/, "http"), { headers: upgrade, agent: false })
        request.on("error", () => {})
        const tcp = yield* Effect.callback<net.Socket>((resume) => {
          request.on("socket", (tcp) => resume(Effect.succeed(tcp)))
          request.end()
        })
        yield* asked
        const full = yield* reasonOf(NodeWebSocket.makeTransport({ url }))
        assert.match(full._tag === "Open" ? String(full.cause) : full._tag, /503/)
        tcp[leave]()
        yield* interrupted
        tcp.destroy()
      }
    }).pipe(watching().watch))

  it.live("loses nothing that the client sends while it is asked", () =>
    Effect.gen(function*() {
      const [asked, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const url = yield* listening({
        authorize: () =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.andThen(Deferred.await(go)),
            Effect.as(Context.make(User, { id: "ada" }))
          )
      })
      const { hostname, port } = new URL(url)
      const tcp = yield* Effect.acquireRelease(
        Effect.sync(() => net.connect(Number(port), hostname)),
        (tcp) => Effect.sync(() => tcp.destroy())
      )
      const lines = Object.entries({ host: "localhost", ...upgrade }).map(([name, value]) => `${name}: ${value}\r\n`)
      tcp.write(`GET / HTTP/1.1\r\n${lines.join("")}\r\n`)
      yield* Deferred.await(asked)
      // "ZZ", masked with zeros, and once more in a read of its own.
      const text = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x5a, 0x5a])
      tcp.write(text)
      // It has read them when it answers another client.
      for (const _ of [1, 2]) yield* posting.post(url.replace("ws", "http"), { method: "GET" })
      tcp.write(text)
      const echoed = yield* Effect.callback<string>((resume) => {
        let all = ""
        tcp.on("data", (chunk) => {
          all += chunk.toString("latin1")
          if (/ZZ.*ZZ/s.test(all)) resume(Effect.succeed(all))
        })
        Deferred.doneUnsafe(go, Effect.void)
      })
      assert.match(echoed, /^HTTP\/1\.1 101 /)
    }))
})

describe("a handler that asks for a principal", () => {
  it.live("refuses calls of a connection that has none, and the log says what is missing", () => {
    const { lines, watch } = watching()
    return watch(Effect.gen(function*() {
      const { router } = yield* greeting
      const listener = yield* NodeWebSocket.makeListener({ port: 0 })
      const context = yield* Layer.build(Layer.mergeAll(
        Layer.succeed(Listener, listener),
        Layer.succeed(Router.Router, router)
      ))
      yield* Effect.forkScoped(Effect.provideContext(Server.run, context))
      const peer = yield* Effect.flatMap(NodeWebSocket.makeTransport({ url: listener.address }), Peer.make)
      for (const _ of [1, 2]) {
        assert.deepInclude(yield* Effect.flip(peer.request("whoami")), { code: -32003, text: "Unauthenticated" })
      }
      assert.deepStrictEqual(lines.filter((line) => line.includes("principal")), [
        "Warn whoami needs the principal User, and its connection has none: " +
        "give its listener or HTTP host an `authorize` that makes one, or let its client log in first"
      ])
    }))
  })
})
