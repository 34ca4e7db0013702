import { assert, describe, it } from "@effect/vitest"
import { Authorization } from "@parley/http/shared"
import { Handshake } from "@parley/transport"
import { Context, Deferred, Effect, Exit, Fiber, Logger, Option, References } from "effect"
import { TestClock } from "effect/testing"

class User extends Context.Service<User, { readonly id: string }>()("User") {}

const headOf = (url: string, headers: Readonly<Record<string, string>> = {}): Handshake.Head => ({
  method: "GET",
  url,
  address: "127.0.0.1",
  header: (name) => headers[name]
})

const head = headOf("/")

const run = (authorize: Handshake.Authorize) => Effect.result(Authorization.run(authorize, head, 1_000))

describe("an authorize", () => {
  it.effect("gives the principal as a service, and its name", () =>
    Effect.gen(function*() {
      const authorize = Handshake.authorize(User, () => Effect.succeed({ id: "ada" }), ({ id }) => id)
      const handshake = yield* Authorization.run(authorize, head, 1_000)
      assert.strictEqual(handshake.head, head)
      assert.strictEqual(Handshake.nameOf(handshake), "ada")
      const within = Effect.provideService(Handshake.principal(User), Handshake.Current, handshake)
      assert.deepStrictEqual(yield* within, Option.some({ id: "ada" }))
      assert.deepStrictEqual(yield* Handshake.principal(User), Option.none())
      const nameless = yield* Authorization.run(
        Handshake.authorize(User, () => Effect.succeed({ id: "ada" })),
        head,
        1_000
      )
      assert.isUndefined(Handshake.nameOf(nameless))
    }))

  it.effect("refuses with a text for the client and a reason for the log", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* run(() => Effect.fail(Handshake.unauthenticated("Bearer", "it has expired"))), {
        failure: {
          status: 401,
          text: "This server does not know who you are.",
          headers: { "www-authenticate": "Bearer" },
          reason: "`authorize` refused it: it has expired"
        }
      })
      assert.deepInclude(yield* run(() => Effect.fail(Handshake.forbidden())), {
        failure: {
          status: 403,
          text: "You may not use this server.",
          headers: {},
          reason: "`authorize` refused it"
        }
      })
      // A reason may quote the client: no line of it is forged.
      assert.deepNestedInclude(yield* run(() => Effect.fail(Handshake.forbidden("bad\r\n\u001b[2J"))), {
        "failure.reason": "`authorize` refused it: bad\\u000d\\u000a\\u001b[2J"
      })
    }))

  it.effect("refuses with headers of its own, and for now", () =>
    Effect.gen(function*() {
      const refused = new Handshake.Refused({
        status: 401,
        message: "No.",
        challenge: "DPoP",
        headers: { "dpop-nonce": "n" }
      })
      assert.deepNestedInclude(yield* run(() => Effect.fail(refused)), {
        "failure.headers": { "dpop-nonce": "n", "www-authenticate": "DPoP" }
      })
      assert.deepInclude(yield* run(() => Effect.fail(Handshake.unavailable("no keys"))), {
        failure: {
          status: 503,
          text: "This server cannot tell who you are now; try again later.",
          headers: { "retry-after": "5" },
          reason: "`authorize` refused it: no keys"
        }
      })
    }))

  it.effect("keeps credentials from what runs", () =>
    Effect.gen(function*() {
      const headers = { authorization: "Bearer s3cret", "x-tag": "a" }
      const sent: Handshake.Head = { ...headOf("/rpc?a", headers), names: () => Object.keys(headers) }
      const principal = Context.make(Handshake.Credentials, ["authorization"])
      const { head } = yield* Authorization.run(() => Effect.succeed(principal), sent, 1_000)
      const { header, names } = head
      assert.deepStrictEqual([header("authorization"), header("x-tag")], [undefined, "a"])
      assert.deepStrictEqual(names?.(), ["x-tag"])
      // Heads of Web requests give a header whatever the case of its name.
      const web: Handshake.Head = { ...headOf("/rpc"), header: (name) => sent.header(name.toLowerCase()) }
      const handshake = yield* Authorization.run(() => Effect.succeed(principal), web, 1_000)
      assert.deepStrictEqual(["Authorization", "AUTHORIZATION", "X-Tag"].map(handshake.head.header), [
        undefined,
        undefined,
        "a"
      ])
      assert.isUndefined(handshake.head.names)
      assert.deepStrictEqual(
        [head.method, head.url, head.address, head.certificate],
        [sent.method, sent.url, sent.address, undefined]
      )
    }))

  it.effect("has so many milliseconds", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const forever = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      const running = yield* Effect.forkChild(run(() => forever), { startImmediately: true })
      yield* TestClock.adjust(999)
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust(1)
      const denied = yield* Fiber.join(running)
      assert.deepInclude(denied, {
        failure: {
          status: 503,
          text: "The server is busy; try again later.",
          headers: { "retry-after": "1" },
          reason: "`authorize` took longer than 1000 ms, the limit `handshake`"
        }
      })
      yield* Deferred.await(interrupted)
    }))

  it.effect("that dies is 500, and in the log once", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ cause, logLevel, message }) => {
        lines.push(`${logLevel} ${message} ${cause.reasons.length}`)
      })
      const dying: ReadonlyArray<Handshake.Authorize> = [
        () => Effect.die(new Error("no database")),
        () => {
          throw new Error("no database")
        }
      ]
      for (const authorize of dying) {
        const denied = yield* run(authorize).pipe(Effect.provideService(References.CurrentLoggers, new Set([logger])))
        assert.deepInclude(denied, {
          failure: { status: 500, text: "The server failed to answer.", headers: {}, reason: undefined }
        })
      }
      assert.deepStrictEqual(lines, ["Error `authorize` died 1", "Error `authorize` died 1"])
    }))

  it.effect("stays interrupted where it is interrupted", () =>
    Effect.gen(function*() {
      const running = yield* Effect.forkChild(run(() => Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(running)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(running)))
    }))
})
