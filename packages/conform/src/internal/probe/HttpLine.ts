/** An endpoint of HTTP as a line: each text is posted, and what the answer holds has come. */
import { EventStream } from "@parley/http/shared"
import { HttpFetcher } from "@parley/http/shared/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import { type Passed, Unverified } from "../../Suite.ts"
import type { Http } from "../../Target.ts"
import * as Json from "./Json.ts"
import type { Answer, Line } from "./Line.ts"
import type { Patience } from "./Patience.ts"

/** The parts of an answer of HTTP beside its texts. */
export interface Head {
  readonly status: number
  readonly header: (name: string) => string | undefined
}

/** A request of HTTP. A header that is `undefined` is left out, whoever has set it. */
export interface Request {
  readonly method: "POST" | "GET" | "DELETE"
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
}

/** How a request is read. */
export interface Reading {
  /** Says of an event stream when no more is waited for. */
  readonly enough?: ((texts: ReadonlyArray<string>) => boolean) | undefined
  readonly patience?: Duration.Duration | undefined
}

/** The answer to a request, as far as it came. */
export interface Exchanged {
  /** `undefined` where none came. */
  readonly head: Head | undefined
  /** The body, or the data of each event. */
  readonly texts: ReadonlyArray<string>
  /** The ids of events, those of events without data included where another event follows. */
  readonly eventIds: ReadonlyArray<string>
  readonly isStream: boolean
  /** Whether the body was read to its end. */
  readonly isWhole: boolean
  /** Why it was not. */
  readonly failure: string | undefined
  readonly exchange: ReadonlyArray<Passed>
  /** The same with the heads of both sides. The headers of the target, which may be secret, are left out. */
  readonly heads: ReadonlyArray<Passed>
}

/** A line that also tells the heads of answers. */
export interface HttpLine extends Line {
  readonly post: (
    text: string,
    headers?: Readonly<Record<string, string | undefined>>
  ) => Effect.Effect<Answer & Head, Unverified>
  /** Sends a request, whatever becomes of it. */
  readonly exchange: (request: Request, reading?: Reading) => Effect.Effect<Exchanged>
  /** The texts that passed, by the exchange that carried them. Only within one do they come in the order of the server. */
  readonly exchanges: () => ReadonlyArray<ReadonlyArray<Passed>>
}

/** The behaviour of a line that no probe asks for. */
export interface Options {
  readonly patience: Patience
  /** Headers of each request, such as those of a session; the text is that of a POST. */
  readonly headers?: ((text: string | undefined) => Readonly<Record<string, string>>) | undefined
  /** The reply to a request of the server, where it needs one. It is posted. */
  readonly reply?: ((text: string) => string | undefined) | undefined
}

/** The most of an answer that is read, in bytes. */
const mostBody = 4 * 1024 * 1024

const usual = { accept: "application/json, text/event-stream" }

/** Each text is a POST of its own: nothing is opened, and nothing ends. */
export const make = (target: Http, options: Options): Effect.Effect<HttpLine, never, Scope.Scope> =>
  Effect.sync(() => new Posts(target, options))

class Posts implements HttpLine {
  readonly #target: Http
  readonly #options: Options
  readonly #passed: Array<Passed> = []
  readonly #exchanges: Array<ReadonlyArray<Passed>> = []
  #news = Latch.makeUnsafe(false)

  constructor(target: Http, options: Options) {
    this.#target = target
    this.#options = options
  }

  readonly exchange = (
    request: Request,
    { enough, patience = this.#options.patience.answer }: Reading = {}
  ): Effect.Effect<Exchanged> =>
    Effect.suspend(() => {
      const { body, method } = request
      const headers = {
        ...usual,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...this.#options.headers?.(body),
        ...request.headers
      }
      const texts: Array<string> = []
      const eventIds: Array<string> = []
      const exchange: Array<Passed> = []
      this.#exchanges.push(exchange)
      let head: HttpFetcher.Response | undefined
      let isWhole = false
      const pass = (direction: Passed["direction"], text: string) => {
        const passed: Passed = { direction, text }
        this.#passed.push(passed)
        exchange.push(passed)
      }
      const take = (text: string): Effect.Effect<void> | undefined => {
        texts.push(text)
        pass("received", text)
        this.#tell()
        const answer = this.#options.reply?.(text)
        return answer === undefined ? undefined : Effect.asVoid(this.exchange({ method: "POST", body: answer }))
      }
      const read = Effect.gen({ self: this }, function*() {
        const response = yield* this.#target.fetcher.fetch({
          method,
          url: this.#target.url,
          headers: present({ ...usual, ...this.#target.headers, ...headers }),
          body
        })
        head = response
        if (!isStream(response)) {
          const text = yield* HttpFetcher.text(response, mostBody)
          isWhole = true
          return text.trim() === "" ? undefined : yield* take(text) ?? Effect.void
        }
        const events = Effect.andThen(
          HttpFetcher.events(response, mostBody, (event) => {
            if (event._tag !== "Event") return undefined
            if (event.id !== undefined && event.id !== eventIds.at(-1)) eventIds.push(event.id)
            // Clients read messages from events of this name alone; others, such as a ping, are none.
            return event.event !== "message" || event.data === "" ? undefined : take(event.data)
          }),
          Effect.sync(() => {
            isWhole = true
          })
        )
        yield* enough === undefined ? events : Effect.raceFirst(events, this.#after(() => enough(texts)))
      })
      if (body !== undefined) pass("sent", body)
      const bounded = Effect.scoped(read).pipe(
        Effect.as(undefined),
        Effect.catch(({ message }) => Effect.succeed(message)),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.succeed(`nothing came within ${Duration.format(patience)}`)
        })
      )
      return Effect.map(bounded, (failure): Exchanged => ({
        head,
        texts,
        eventIds,
        isStream: head !== undefined && isStream(head),
        isWhole,
        failure,
        exchange,
        heads: [
          { direction: "sent", text: written(`${method} ${pathOf(this.#target.url)}`, present(headers), body) },
          ...head === undefined ? [] : [received(head, texts)]
        ]
      }))
    })

  readonly post = (
    text: string,
    headers: Readonly<Record<string, string | undefined>> = {}
  ): Effect.Effect<Answer & Head, Unverified> =>
    Effect.flatMap(
      // An event stream should end after its response, and need not.
      this.exchange({ method: "POST", body: text, headers }, { enough: (texts) => texts.some(isResponseTo(text)) }),
      ({ exchange, failure, head, isWhole, texts }) =>
        head === undefined || failure !== undefined
          ? Effect.fail(new Unverified({ reason: `the POST was not answered: ${failure}` }))
          : Effect.succeed({
            texts,
            status: head.status,
            header: head.header,
            ended: undefined,
            isWhole: isWhole || texts.some(isResponseTo(text)),
            exchange
          })
    )

  readonly send = (...texts: ReadonlyArray<string>): Effect.Effect<void, Unverified> =>
    Effect.forEach(texts, (text) => this.post(text), { discard: true })

  readonly ask = (text: string): Effect.Effect<Answer, Unverified> => this.post(text)

  readonly until = (
    predicate: (text: string) => boolean,
    patience = Duration.zero,
    from = 0
  ): Effect.Effect<string | undefined> => {
    const find = () =>
      this.#passed.slice(from).find(({ direction, text }) => direction === "received" && predicate(text))?.text
    return Effect.map(
      Effect.timeoutOption(this.#until(() => find() !== undefined), patience),
      find
    )
  }

  readonly gather = (): Effect.Effect<ReadonlyArray<string>> =>
    Effect.sync(() => this.#passed.flatMap(({ direction, text }) => direction === "received" ? [text] : []))

  readonly ended = (): undefined => undefined

  readonly passed = (): ReadonlyArray<Passed> => [...this.#passed]

  readonly exchanges = (): ReadonlyArray<ReadonlyArray<Passed>> => this.#exchanges

  #tell(): void {
    const before = this.#news
    this.#news = Latch.makeUnsafe(false)
    before.openUnsafe()
  }

  #until(isOver: () => boolean): Effect.Effect<void> {
    return Effect.suspend(() =>
      isOver() ? Effect.void : Effect.andThen(this.#news.await, Effect.suspend(() => this.#until(isOver)))
    )
  }

  /** Waits until no more is waited for, and a grace for what must not come. */
  #after(isOver: () => boolean): Effect.Effect<void> {
    return Effect.andThen(this.#until(isOver), Effect.sleep(this.#options.patience.silence))
  }
}

const isResponseTo = (text: string) => {
  const id = Json.idOf(text)
  return (answer: string): boolean => id !== undefined && Json.isResponse(answer) && Json.idOf(answer) === id
}

const isStream = ({ header }: Head): boolean => header("content-type")?.startsWith(EventStream.contentType) === true

const present = (headers: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

const pathOf = (url: string): string => {
  const { pathname } = new URL(url)
  return pathname
}

const written = (first: string, headers: Readonly<Record<string, string>>, body = ""): string =>
  [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", body].join("\n")

/** The headers of an answer that rules read. */
const shown = ["content-type", "mcp-session-id", "mcp-protocol-version", "www-authenticate", "allow"]

const received = ({ header, status }: Head, texts: ReadonlyArray<string>): Passed => ({
  direction: "received",
  text: written(
    `HTTP ${status}`,
    present(Object.fromEntries(shown.map((name) => [name, header(name)]))),
    texts.join("\n")
  )
})
