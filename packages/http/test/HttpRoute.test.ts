/** What concerns handlers of Web requests alone; `packages/node` tests them beside the other hosts. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Fiber, Option } from "effect"
import * as HttpEffect from "effect/http/HttpEffect"
import { fromWeb, HttpServerRequest } from "effect/http/HttpServerRequest"
import { onTestFinished, vi } from "vitest"

const request = (init: RequestInit = {}) =>
  new Request("http://localhost/rpc?a=b", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "[]",
    ...init
  })

/** An endpoint that fails, for pages of one origin. */
const failing = HttpEndpoint.jsonRpcWith(() => Effect.die(new Error("no")), {
  cors: { origins: ["https://app.example"] }
})

const foreign = () => request({ headers: { "content-type": "application/json", "origin": "https://app.example" } })

it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: a request that is given up before its body has come keeps no place", () =>
  Effect.gen(function*() {
    const endpoint = HttpEndpoint.jsonRpc(() => Effect.succeed(Option.none()))
    let isFree = true
    const counting: HttpEndpoint.HttpEndpoint = {
      ...endpoint,
      admit: (head) => {
        const admission = endpoint.admit(head)
        if (!("push" in admission)) return admission
        isFree = false
        return {
          budget: admission.budget,
          push: (chunk) => admission.push(chunk),
          text: () => admission.text(),
          hold: (bytes, end) => admission.hold(bytes, end),
          toStream: () => admission.toStream(),
          release: () => {
            isFree = true
          }
        }
      }
    }
    const init = { body: new ReadableStream(), duplex: "half" }
    const slow = fromWeb(request({ headers: { "content-type": "application/json", "content-length": "2" }, ...init }))
    const serving = yield* Effect.forkChild(
      Effect.scoped(Effect.provideService(HttpRoute.handler(counting), HttpServerRequest, slow)),
      { startImmediately: true }
    )
    assert.isFalse(isFree)
    yield* Fiber.interrupt(serving)
    assert.isTrue(isFree)
  }))

it.effect("a page may read that the answer to it has failed, and the log has no query", () =>
  Effect.promise(async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    const handlers = [HttpRoute.webHandler(failing), HttpEffect.toWebHandler(HttpRoute.handler(failing))]
    for (const handle of handlers) {
      const answer = await handle(foreign())
      assert.deepStrictEqual(
        [answer.status, answer.headers.get("access-control-allow-origin")],
        [500, "https://app.example"]
      )
    }
    const logged = log.mock.calls.join()
    assert.include(logged, "The answer to POST /rpc failed")
    assert.notInclude(logged, "a=b")
  }))

it.effect("a body that is taken in one piece is no stream: making one takes longer than the rest of a request", () =>
  Effect.gen(function*() {
    let streams = 0
    const headers = { "content-type": "application/json", "content-length": "2" }
    const short = fromWeb(request({ headers }))
    const seen: HttpServerRequest = Object.create(short, {
      stream: {
        get: () => {
          streams++
          return short.stream
        }
      }
    })
    const endpoint = HttpEndpoint.jsonRpc(() => Effect.succeed(Option.some("\"pong\"")))
    const { status } = yield* Effect.scoped(
      Effect.provideService(HttpRoute.handler(endpoint), HttpServerRequest, seen)
    )
    assert.deepStrictEqual([status, streams], [200, 0])
  }))

/** Answers each request so, without a header. */
const plain = (
  body: string,
  seeing: (responder: HttpEndpoint.Responder) => void = () => {}
): HttpEndpoint.HttpEndpoint => ({
  ...HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.none())),
  answer: (_head, _text, responder) =>
    Effect.sync(() => {
      seeing(responder)
      return { status: 200, headers: {}, body }
    })
})

const sizes = [["small", 10], ["large", 100_000]] as const

it.effect.each(sizes)("a %s answer that names no type is text", ([_, size]) =>
  Effect.promise(async () => {
    const endpoint = plain("x".repeat(size))
    for (const handle of [HttpRoute.webHandler(endpoint), HttpEffect.toWebHandler(HttpRoute.handler(endpoint))]) {
      const answer = await handle(request())
      assert.strictEqual(answer.headers.get("content-type"), "text/plain; charset=utf-8")
      assert.lengthOf(await answer.text(), size)
    }
  }))

it.effect.each([["x", 0], ["漢", 3 * 65_536]] as const)(
  "an answer counts by its bytes: 65,536 times %s",
  ([text, bytes]) =>
    Effect.promise(async () => {
      let budget: HttpEndpoint.Responder["budget"]
      const endpoint = plain(text.repeat(65_536), (responder) => {
        budget = responder.budget
      })
      const answer = await HttpRoute.webHandler(endpoint)(request())
      assert.strictEqual(budget?.taken(), bytes)
      await answer.text()
      assert.strictEqual(budget?.taken(), 0)
    })
)

describe("a handler of Web requests", () => {
  it.effect("says how many bytes an answer has", () =>
    Effect.promise(async () => {
      const handle = HttpRoute.webHandler(HttpEndpoint.jsonRpc(() => Effect.succeed(Option.some("\"ä\""))))
      const answer = await handle(request())
      assert.strictEqual(answer.headers.get("content-length"), "4")
      assert.strictEqual(await answer.text(), "\"ä\"")
    }))

  it.effect("serves nobody whose signal has aborted before", () =>
    Effect.promise(async () => {
      let isAsked = false
      const endpoint = HttpEndpoint.jsonRpc(() =>
        Effect.sync(() => {
          isAsked = true
          return Option.none()
        })
      )
      const answer = await HttpRoute.webHandler(endpoint)(request({ signal: AbortSignal.abort() }))
      assert.deepStrictEqual([answer.status, isAsked], [500, false])
    }))

  it.effect("takes the body that its host has read, and asks for it in the log", () =>
    Effect.promise(async () => {
      const log = vi.spyOn(console, "log").mockImplementation(() => {})
      onTestFinished(() => log.mockRestore())
      const { handle } = HttpRoute.webHandler(HttpEndpoint.jsonRpc((text) => Effect.succeed(Option.some(text))))
      const answers = []
      for (const context of [{ body: { id: 1 } }, { body: "[2]" }, {}]) {
        const read = request()
        await read.text()
        const answer = await handle(read, context)
        answers.push([answer.status, await answer.text()])
      }
      assert.deepStrictEqual(answers, [
        [200, `{"id":1}`],
        [200, "[2]"],
        [500, "The server failed to answer."]
      ])
      assert.include(String(log.mock.calls), "give it as `body` to `handle`")
    }))

  it.effect("takes a principal by `handle` alone: hosts give other arguments", () =>
    Effect.promise(async () => {
      const name = Effect.map(Handshake.Current, (current) =>
        Option.some(JSON.stringify(current && Handshake.nameOf(current) || "nobody")))
      const handler = HttpRoute.webHandler(HttpEndpoint.jsonRpc(() =>
        name
      ))
      const context = { principal: Context.make(Handshake.Name, "ada") }
      assert.strictEqual(await (await handler.handle(request(), context)).text(), `"ada"`)
      const other: Response = await Reflect.apply(handler, undefined, [request(), context])
      assert.strictEqual(await other.text(), `"nobody"`)
    }))

  it.effect("gives the place of a request back whose endpoint throws", () =>
    Effect.promise(async () => {
      const handle = HttpRoute.webHandler({
        ...HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.none()), { limits: { connections: 1 } }),
        authorize: () => {
          throw new Error("failed")
        }
      })
      const answers = [await handle(request()), await handle(request())]
      assert.deepStrictEqual(answers.map(({ status }) => status), [500, 500])
    }))

  it.effect("ends the answer whose stream its host cancels", () =>
    Effect.promise(async () => {
      const ended = Promise.withResolvers<void>()
      const endpoint: HttpEndpoint.HttpEndpoint = {
        ...HttpEndpoint.jsonRpc(() => Effect.succeed(Option.none())),
        answer: (_head, _text, responder) =>
          Effect.andThen(responder.start(200, {}), Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => ended.resolve()))
          )
      }
      const answer = await HttpRoute.webHandler(endpoint)(request())
      await answer.body?.cancel()
      await ended.promise
    }))
})

const bounded = HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.none()), { limits: { frame: 1_000 } })

const webHosts = [
  ["a handler of Web requests", () => HttpRoute.webHandler(bounded)],
  ["a route of Effect's Web handler", () => HttpEffect.toWebHandler(HttpRoute.handler(bounded))]
] as const

describe.each(webHosts)("%s", (_, make) => {
  it.effect.each([["no number", ""], ["a lie", "10"]] as const)(
    "promise 5: a frame beyond its limit is never buffered: of a body whose announced length is %s",
    ([, length]) =>
      Effect.promise(async () => {
        let pulled = 0
        let isCancelled = false
        const body = new ReadableStream({
          pull: (controller) => {
            if (++pulled > 1_000) controller.close()
            else controller.enqueue(new Uint8Array(100))
          },
          cancel: () => {
            isCancelled = true
          }
        })
        const headers = { "content-type": "application/json", "content-length": length }
        const init = { headers, body, duplex: "half" }
        const { status } = await make()(request(init))
        assert.include([400, 413], status)
        assert.isBelow(pulled, 100)
        assert.isTrue(isCancelled)
      })
  )
})
