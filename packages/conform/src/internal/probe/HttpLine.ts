/** An endpoint of HTTP as a line: each text is posted, and what the answer holds has come. */
import { HttpFetcher } from "@parley/http/shared/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Passed, Unverified } from "../../Suite.ts"
import type { Http } from "../../Target.ts"
import type { Answer, Line, Patience } from "./Line.ts"

/** What an answer of HTTP says beside its texts. */
export interface Head {
  readonly status: number
  readonly header: (name: string) => string | undefined
}

/** A line that also tells the heads of answers. */
export interface HttpLine extends Line {
  readonly post: (
    text: string,
    headers?: Readonly<Record<string, string | undefined>>
  ) => Effect.Effect<Answer & Head, Unverified>
}

/** What a line does by itself. */
export interface Options {
  readonly patience: Patience
  /** Headers of each request, such as those of a session. */
  readonly headers?: () => Readonly<Record<string, string>>
}

/** The most of an answer that is read, in bytes. */
const mostBody = 4 * 1024 * 1024

const usual = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** Each text is a POST of its own: nothing is opened, and nothing ends. */
export const make = (
  { fetcher, headers: own, url }: Http,
  { headers = () => ({}), patience }: Options
): Effect.Effect<HttpLine, never, Scope.Scope> =>
  Effect.sync(() => {
    const passed: Array<Passed> = []
    const post: HttpLine["post"] = (text, more = {}) =>
      Effect.gen(function*() {
        const at = passed.length
        passed.push({ direction: "sent", text })
        const all = { ...usual, ...own, ...headers(), ...more }
        const response = yield* fetcher.fetch({
          method: "POST",
          url,
          headers: Object.fromEntries(
            Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
          ),
          body: text
        })
        const texts: Array<string> = []
        const take = (text: string) => {
          texts.push(text)
          passed.push({ direction: "received", text })
        }
        if (response.header("content-type")?.startsWith("text/event-stream") === true) {
          yield* HttpFetcher.events(response, mostBody, (event) => {
            if (event._tag === "Event" && event.data !== "") take(event.data)
            return undefined
          })
        } else {
          const body = yield* HttpFetcher.text(response, mostBody)
          if (body.trim() !== "") take(body)
        }
        return {
          texts,
          status: response.status,
          header: response.header,
          ended: undefined,
          isWhole: true,
          exchange: passed.slice(at)
        }
      }).pipe(
        Effect.scoped,
        Effect.mapError((error) => new Unverified({ reason: `the POST was not answered: ${error.message}` })),
        Effect.timeoutOrElse({
          duration: patience.answer,
          orElse: () =>
            Effect.fail(
              new Unverified({ reason: `the POST was not answered within ${Duration.format(patience.answer)}` })
            )
        })
      )
    return {
      post,
      send: (text) => Effect.asVoid(post(text)),
      ask: (text) => post(text),
      until: (predicate) => Effect.sync(() => passed.find(({ text }) => predicate(text))?.text),
      gather: () => Effect.sync(() => passed.flatMap(({ direction, text }) => direction === "received" ? [text] : [])),
      ended: () => undefined,
      passed: () => [...passed]
    }
  })
