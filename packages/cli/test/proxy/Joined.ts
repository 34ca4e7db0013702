/** Servers, proxies and clients in this process, over real sockets. */
import * as Specimen from "@parley/conformance/Specimen"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import { Exchange } from "@parley/peer/shared"
import { Listener } from "@parley/transport/Listener"
import type { Transport } from "@parley/transport/Transport"
import { Deferred, Effect, Option } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join as joinPath } from "node:path"
import { placeOf } from "../../src/internal/commands/proxy.ts"
import * as Endpoint from "../../src/internal/Endpoint.ts"
import * as join from "../../src/internal/proxy/join.ts"
import * as Watch from "../../src/internal/tap/Watch.ts"
import type { CommandError } from "../../src/internal/terminal/CommandError.ts"
import * as connect from "../../src/internal/wire/connect.ts"
import { listen, serveHttp } from "../../src/internal/wire/listen.ts"
import * as wire from "../../src/internal/wire/Wire.ts"

/** A directory for the test alone. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(joinPath(tmpdir(), "parley-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Somewhere to listen, of this kind. */
export const place = (kind: string) =>
  kind === "unix" ? Effect.map(folder, (path) => `unix:${path}/s`) : Effect.succeed(`${kind}://127.0.0.1:0`)

/** Serves the specimen methods, and gives the address. */
export const serve = (kind: string) =>
  Effect.gen(function*() {
    const here = yield* placeOf(yield* place(kind), "line")
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(Specimen.handlers))
    if (here._tag === "Http") return yield* serveHttp(here, router.answer)
    if (here._tag === "Stdio") return yield* Effect.die("not here")
    const listener = yield* listen(here, "line")
    yield* Effect.forkScoped(
      Server.run.pipe(Effect.provideService(Listener, listener), Effect.provideService(Router.Router, router))
    )
    return listener.address
  })

/** Gives each text of each connection to `answer`, and sends what that gives. */
export const serveRaw = (kind: string, answer: (text: string) => ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const here = yield* placeOf(yield* place(kind), "line")
    if (here._tag === "Stdio") return yield* Effect.die("not here")
    if (here._tag === "Http") {
      return yield* serveHttp(here, (text) => Effect.succeed(Option.fromUndefinedOr(answer(text)[0])))
    }
    const listener = yield* listen(here, "line")
    const run = (transport: Transport) =>
      transport.receive.pipe(
        Effect.flatMap((texts) =>
          Effect.forEach(
            texts,
            (text) => Effect.forEach(typeof text === "string" ? answer(text) : [], (reply) => transport.send([reply]))
          )
        ),
        Effect.forever
      )
    yield* Effect.forkScoped(listener.run(run))
    return listener.address
  })

const wireOf = (endpoint: string) =>
  wire.fromInput(
    { endpoint, framing: "line", header: { typed: [], file: [], env: [] }, ca: Option.none() },
    "--framing"
  )

/** Joins a place with an endpoint, and gives the address of the place. */
export const proxy = (place: string, endpoint: string, watch: Watch.Watch = Watch.none) =>
  Effect.gen(function*() {
    const address = yield* Deferred.make<string, CommandError>()
    yield* join.run({
      place: yield* placeOf(place, "line"),
      framing: "line",
      wire: yield* wireOf(endpoint),
      watch,
      login: false,
      announce: (text) => Effect.asVoid(Deferred.succeed(address, text))
    }).pipe(
      Effect.catch((error) => Deferred.fail(address, error)),
      Effect.forkScoped
    )
    return yield* Deferred.await(address)
  })

/** A connection to this address. */
export const transport = (address: string) =>
  Effect.gen(function*() {
    const there = yield* wireOf(address)
    const { endpoint } = there
    if (Endpoint.isPosts(endpoint)) return yield* Effect.die("not here")
    return yield* connect.transport({ ...there, endpoint })
  })

/** A client that posts to this address. */
export const exchange = (address: string) =>
  Effect.gen(function*() {
    const there = yield* wireOf(address)
    const { endpoint } = there
    if (endpoint._tag !== "Http") return yield* Effect.die("not here")
    return yield* connect.exchange({ ...there, endpoint })
  })

/** A caller of this address, whose own method `echo` the other side may call. */
export const caller = (address: string) =>
  Effect.gen(function*() {
    if (address.startsWith("http:")) return yield* Exchange.makeCaller(yield* exchange(address))
    const router = yield* Router.make()
    yield* Effect.orDie(router.add("echo", Specimen.echo))
    return yield* Peer.make(yield* transport(address), { router })
  })

/** One text there, and the first that comes back. */
export const converse = (address: string, text: string) =>
  Effect.scoped(Effect.gen(function*() {
    if (address.startsWith("http:")) {
      const texts: Array<string> = []
      const { post } = yield* exchange(address)
      yield* post(text, (answer) => void texts.push(answer))
      return texts[0]
    }
    const opened = yield* transport(address)
    yield* opened.send([text])
    return (yield* opened.receive)[0]
  }))
