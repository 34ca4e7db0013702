/** How a call ends whose answer over HTTP holds no response: by its status, its type, and what came in it. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as NodeHttp from "@parley/node/NodeHttp"
import type { Caller } from "@parley/peer"
import { Effect, References, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import * as servers from "../support/httpServers.ts"
import { isPlain, reasons, type Spoil, spoilt } from "./messages.ts"
import { limits, named, rules, unnamed } from "./responses.ts"

/** The head of an answer, and what the error of its call says by the reason, where an id can be read and where not. */
interface Answer {
  readonly status: number
  readonly type: string
  readonly isNamed: (spoil: Spoil) => RegExp
  readonly isUnnamed?: (spoil: Spoil) => RegExp
}

const refused = () => /^HttpStatusError m \(id 1\) was answered with HTTP status 502 from http\S+: [[{]/
const isHtml = () => /^InvalidResponse .*: the content type of the answer is text\/html, not JSON; it came in [[{]/

const answers: Readonly<Record<string, Answer>> = {
  // A response under such a status counts, and so does the id of one.
  "JSON, with a status that is no success": {
    status: 502,
    type: "application/json",
    isNamed: (spoil) => spoil === "no JSON but a tab" ? /^InvalidResponse .*SyntaxError.*; it came in {/ : refused(),
    isUnnamed: refused
  },
  "a page": { status: 200, type: "text/html", isNamed: isHtml },
  "a page, with a status that is no success": { status: 502, type: "text/html", isNamed: refused },
  "events": {
    status: 200,
    type: "text/event-stream",
    isNamed: (spoil) => spoil === "too large" ? /^InvalidResponse .*: an event is larger than 400/ : rules[spoil]
  }
}

const callers: Readonly<
  Record<string, (options: HttpCaller.HttpCallerOptions) => Effect.Effect<Caller.Caller, unknown, Scope.Scope>>
> = {
  NodeHttp: NodeHttp.makeCaller,
  fetch: (options) => Effect.provide(HttpCaller.make(options), FetchHttpClient.layer)
}

const answering = (status: number, type: string, body: Uint8Array) =>
  servers.answering(servers.withBody((_, response) => {
    response.writeHead(status, { "content-type": type })
    if (type === "text/event-stream") response.end(Buffer.concat([Buffer.from("data: "), body, Buffer.from("\n\n")]))
    else response.end(body)
  }))

const failing = (make: (typeof callers)[string], url: string) =>
  Effect.map(
    Effect.flatMap(make({ url, limits }), (caller) => Effect.flip(caller.request("m"))),
    (error: Caller.CallError) => `${error._tag} ${error.message}`
  )

describe("promise 7: a call ends exactly once", () => {
  for (const [name, make] of Object.entries(callers)) {
    for (const [title, { isNamed, isUnnamed = isNamed, status, type }] of Object.entries(answers)) {
      it.live(`promise 7: a call ends exactly once, by a bad answer: ${title}, by ${name}`, () =>
        Effect.forEach(
          reasons.filter(isPlain),
          (spoil) =>
            Effect.forEach(Object.entries({ ...named, ...unnamed }), ([kind, text]) =>
              Effect.gen(function*() {
                const said = yield* failing(make, yield* answering(status, type, spoilt(text, spoil)))
                assert.match(said, kind in named ? isNamed(spoil) : isUnnamed(spoil), `${kind}: ${spoil}`)
              }).pipe(Effect.scoped))
        ).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
    }
  }
})
