/** Large answers, over each host. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import { Deferred, Effect, Option } from "effect"
import type { IncomingMessage } from "node:http"
import { hosts } from "../support/httpHosts.ts"
import * as posting from "../support/posting.ts"

const MiB = 1024 * 1024

/** More than what the two systems keep of a connection. */
const large = "ä".repeat(6 * MiB)

/** Answers each POST with the same text, and each HEAD with its head. */
const endpointOf = (text: string, options: HttpEndpoint.JsonRpcEndpointOptions = {}): HttpEndpoint.HttpEndpoint =>
  HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.some(text)), { ...options, methods: ["POST", "HEAD"] })

/** An endpoint, and its end with nothing on the budget of its requests. */
const watched = (endpoint: HttpEndpoint.HttpEndpoint) => {
  const free = Deferred.makeUnsafe<void>()
  const admit = (head: RequestRules.Head) => {
    const admission = endpoint.admit(head)
    if (admission instanceof RequestRules.Refusal) return admission
    const { budget } = admission
    const checking = (giveBack: () => void) => () => {
      giveBack()
      if (budget.taken() === 0) Deferred.doneUnsafe(free, Effect.void)
    }
    const share = budget.share.bind(budget)
    Object.assign(budget, {
      share: () => {
        const own = share()
        return Object.assign(own, { close: checking(own.close.bind(own)) })
      }
    })
    return Object.assign(admission, { release: checking(admission.release.bind(admission)) })
  }
  return { endpoint: { ...endpoint, admit }, free: Deferred.await(free) }
}

/** Reads an answer that it has not read before, and gives it if it is whole. */
const readOn = (answer: IncomingMessage) =>
  Effect.promise(async () => {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of answer) chunks.push(chunk)
    } catch {
      return undefined
    }
    return Buffer.concat(chunks).toString()
  })

/** An answer of which nothing is read. */
const unread = (url: string) =>
  Effect.gen(function*() {
    const { request } = yield* posting.begin(url)
    return yield* Effect.callback<IncomingMessage>((resume) => {
      request.removeAllListeners("response")
      request.on("response", (response) => resume(Effect.succeed(response)))
      request.end("{}")
    })
  })

for (const host of hosts) {
  describe(`a large answer over ${host.name}`, () => {
    it.live.each([65_536, 65_537, 200_000])(
      "of %s characters arrives byte for byte, with its length",
      (size) =>
        Effect.gen(function*() {
          for (const text of ["x".repeat(size), "ä€".repeat(size / 2)]) {
            const url = yield* host.serveEndpoint(endpointOf(text))
            const { headers, status, text: answer } = yield* posting.post(url, { body: "{}" })
            assert.deepStrictEqual([status, answer === text], [200, true])
            assert.deepInclude(headers, {
              "content-length": String(Buffer.byteLength(text)),
              "content-type": "application/json"
            })
            assert.notProperty(headers, "transfer-encoding")
            const head = yield* posting.post(url, { method: "HEAD" })
            assert.deepStrictEqual([head.headers["content-length"], head.text], [headers["content-length"], ""])
          }
        })
    )

    it.live("ends the heaviest where those that are not read spend the budget, and its room comes back", () =>
      Effect.gen(function*() {
        const url = yield* host.serveEndpoint(endpointOf(large, { limits: { budget: 32 * MiB } }))
        for (let round = 0; round < 2; round++) {
          const answers = yield* Effect.replicateEffect(unread(url), 3)
          const texts = yield* Effect.forEach(answers, readOn)
          assert.deepStrictEqual(texts.map((text) => text === large), [false, true, true])
        }
      }))

    it.live("promise 8: an interrupted or timed-out call leaves nothing behind: who goes away before reading it frees its room", () =>
      Effect.gen(function*() {
        const { endpoint, free } = watched(endpointOf(large))
        const answer = yield* unread(yield* host.serveEndpoint(endpoint))
        answer.destroy()
        yield* free
      }))

    it.live("that is an event among others arrives whole", () =>
      Effect.gen(function*() {
        const texts = ["a", large, "b", large]
        const endpoint: HttpEndpoint.HttpEndpoint = {
          ...endpointOf(""),
          answer: (_head, _text, responder) =>
            responder.start(200, {}).pipe(
              Effect.andThen(Effect.forEach(texts, (text) => responder.write(text), { concurrency: "unbounded" })),
              Effect.as({ status: 200, headers: {}, body: large })
            )
        }
        const { text } = yield* posting.post(yield* host.serveEndpoint(endpoint), { body: "{}" })
        assert.isTrue(text === [...texts, large].join(""))
      }))
  })
}
