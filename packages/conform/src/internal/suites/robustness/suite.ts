/** The suite `robustness`: whatever a client sends, the server goes on serving. */
import * as Corpus from "@parley/conformance/Corpus"
import { Mutation } from "@parley/conformance/shared"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Suite from "../../../Suite.ts"
import * as Json from "../../probe/Json.ts"
import type { Answer, Line } from "../../probe/Line.ts"
import { startOf } from "../../probe/Patience.ts"
import type { Run } from "../../protocol/Protocol.ts"

/** How large and how many, without and with `aggressive`. */
const sizes = (isAggressive: boolean) =>
  isAggressive
    ? { malformed: 2_000, large: 32 * 1024 * 1024, many: 5_000, deep: 1_000_000 }
    : { malformed: 150, large: 1024 * 1024, many: 200, deep: 100_000 }

/** The same in words, for the rules of a run that send them. */
export const bounds = (isAggressive: boolean, has: (id: string) => boolean): ReadonlyArray<string> => {
  const { deep, large, malformed, many } = sizes(isAggressive)
  const parts: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    [`${malformed} malformed messages`, ["robustness/malformed"]],
    [`${many} requests at once`, ["robustness/many"]],
    [`${large / 1024 / 1024} MiB in a message`, ["robustness/large", "robustness/large-answered"]],
    [`${deep} levels`, ["robustness/deep"]]
  ]
  return parts.flatMap(([words, ids]) => ids.some(has) ? [words] : [])
}

const request = (id: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "parley.conform.robustness", params })

/** Says why the server does not serve any more. A socket may be closed for what was sent; the next one has to serve. */
const lostBy = Effect.fnUntraced(function*(run: Run, line: Line) {
  const isProcess = run.target._tag === "Duplex" && run.target.isProcess
  const before = line.ended()
  if (before !== undefined && isProcess) return before
  const why = yield* silence(run)
  // A process may die of what was sent just before another one is asked.
  const after = line.ended()
  if (isProcess && after !== undefined) return after
  // The connection may have ended for what was sent just after it was asked for.
  return why === undefined || isProcess ? why : yield* silence(run)
})

/** Says why a request that follows is not answered. */
const silence = Effect.fnUntraced(function*(run: Run) {
  let isAnswered = Json.hasResponse
  const asked = Effect.flatMap(run.shared, (line) => {
    if (losing.has(run)) return line.ask(request("alive"), Json.hasResponse, run.patience.answer)
    const id = `alive-${line.passed().length}`
    // A server that is about to end may still answer an earlier text.
    isAnswered = (texts) => texts.some((text) => Json.isResponse(text) && Json.idOf(text) === JSON.stringify(id))
    return line.ask(request(id), isAnswered, run.patience.answer)
  })
  // Where no conversation can be opened any more, the server is not there either.
  const answer = yield* Effect.catchTag(asked, "Unverified", unanswered)
  if (isAnswered(answer.texts)) return undefined
  // A server that loses only the request behind a text goes on serving: that is for the next rule.
  const again = answer.ended === undefined ? yield* Effect.catchTag(asked, "Unverified", unanswered) : answer
  if (isAnswered(again.texts)) return undefined
  // A server that changes ids is told by other rules.
  if (answer.ended === undefined && Json.hasResponse(answer.texts)) {
    losing.add(run)
    return undefined
  }
  yield* run.renew
  return answer.ended ?? "a request that followed was not answered"
})

/** Runs whose server answers with other ids than it is asked with: it is not waited for each time. */
const losing = new WeakSet<Run>()

const unanswered = ({ reason }: Suite.Unverified): Effect.Effect<Pick<Answer, "ended" | "texts">> =>
  Effect.succeed({ ended: reason, texts: [] })

/** Sends texts without waiting, and gives the one that the server does not survive. */
const survives = Effect.fnUntraced(function*(run: Run, texts: ReadonlyArray<string>) {
  const [first] = texts
  if (first === undefined) return undefined
  const line = yield* run.shared
  // A text that cannot be sent, because the other side has left, is looked at below.
  yield* Effect.ignore(Effect.forEach(texts, (text) => line.send(text), { discard: true }))
  const why = yield* lostBy(run, line)
  return why === undefined ? undefined : { text: first, why }
})

/** Finds the text that the server does not survive: all of them at once first, then each by itself. */
const fatal = Effect.fnUntraced(function*(run: Run, texts: ReadonlyArray<string>) {
  for (let at = 0; at < texts.length; at += groupSize) {
    const group = texts.slice(at, at + groupSize)
    const lost = yield* survives(run, group)
    if (lost === undefined) continue
    for (const text of group) {
      // A server that is not started again cannot be asked which of the texts it was.
      const alone = yield* Effect.catchTag(survives(run, [text]), "Unverified", () => Effect.succeed(undefined))
      if (alone !== undefined) return [found(alone.text, alone.why)]
    }
    return [{
      ...found(lost.text, lost.why),
      exchange: group.map((text) => ({ direction: "sent" as const, text: cut(text) }))
    }]
  }
  return []
})

const groupSize = 25

const found = (text: string, why: string): Suite.Finding => ({
  expected: "the server goes on serving",
  received: why,
  exchange: [{ direction: "sent", text: cut(text) }]
})

/** No JSON, and JSON that is no request. None is cut off: in a stream without frames, the next text would belong to it. */
const malformed = [
  "]",
  "no JSON",
  "{\"jsonrpc\":\"2.0\",\"id\":7}",
  "[]",
  "1",
  "{\"jsonrpc\":\"2.0\",\"method\":1,\"id\":null}"
]

/** Whether a text is an error that names no request. One for a method that nobody has is for a request, whatever its id is. */
const isGeneral = (text: string): boolean => {
  const { error, id = null } = Json.objectOf(text) ?? {}
  const code = JsonObject.member(error, "code")
  return id === null && (code === ErrorCode.ParseError || code === ErrorCode.InvalidRequest)
}

const large = (run: Run): string => request("large", { text: "x".repeat(sizes(run.aggressive).large) })

/** The beginning and the end of a long text: the seed makes it again. */
const cut = (text: string): string =>
  text.length <= 4_096 ? text : `${text.slice(0, 2_048)}… (${text.length} characters) …${text.slice(-256)}`

const carried = (run: Run, texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  run.target._tag === "Http"
    ? texts
    : texts.filter((input) => Corpus.isLine({ name: "", section: "", input, reply: undefined }))

const rules: ReadonlyArray<Suite.Rule<Run>> = [
  {
    id: "robustness/malformed",
    title: "Malformed messages do not stop the server",
    level: "must",
    section: "https://cwe.mitre.org/data/definitions/248.html",
    check: (run) =>
      Effect.gen(function*() {
        const texts = yield* Effect.orDie(
          Arbitrary.sampleEffect(Mutation.text, { count: sizes(run.aggressive).malformed, seed: run.seed })
        )
        return yield* fatal(run, carried(run, texts))
      })
  },
  {
    id: "robustness/next",
    title: "A request behind a malformed message is answered",
    level: "must",
    section: "https://www.jsonrpc.org/specification#response_object",
    check: (run) =>
      Effect.gen(function*() {
        const line = yield* run.spoken.open
        yield* line.ask(request("ready"), Json.hasResponse)
        for (const text of carried(run, malformed)) {
          const at = line.passed().length
          const isNext = (text: string): boolean => Json.isResponse(text) && !isGeneral(text)
          yield* line.send(text, request("next"))
          if ((yield* line.until(isNext, run.patience.answer, at)) !== undefined) continue
          // A server that ends for it, or is silent from then on, is told by the rule before.
          const asked = line.ask(request("later"), (texts) => texts.some(isNext), run.patience.answer)
          const later = yield* Effect.option(asked)
          return Option.exists(later, ({ texts }) => texts.some(isNext))
            ? [{
              expected: "a response to the request behind a malformed message",
              received: "only a later request was answered",
              exchange: line.passed().slice(at)
            }]
            : []
        }
        return []
      })
  },
  {
    id: "robustness/deep",
    title: "Deeply nested JSON does not stop the server",
    level: "must",
    section: "https://cwe.mitre.org/data/definitions/674.html",
    check: (run) => {
      const { deep } = sizes(run.aggressive)
      return fatal(run, [
        "[".repeat(deep),
        "{\"a\":".repeat(deep),
        `{"jsonrpc":"2.0","id":"deep","method":"parley.conform.deep","params":{"a":${"[".repeat(deep)}${
          "]".repeat(deep)
        }}}`
      ])
    }
  },
  {
    id: "robustness/large",
    title: "A large message does not stop the server",
    level: "must",
    section: "https://cwe.mitre.org/data/definitions/400.html",
    check: (run) => fatal(run, [large(run)])
  },
  {
    id: "robustness/large-answered",
    title: "A large message is answered, be it that it is too large, or ends its connection",
    level: "must",
    section: "https://www.jsonrpc.org/specification#response_object",
    check: (run) =>
      Effect.gen(function*() {
        const line = yield* run.spoken.open
        const text = large(run)
        const answer = yield* Effect.catchTag(line.ask(text, (texts) => texts.length > 0), "Unverified", unanswered)
        // Over HTTP any status is an answer.
        const isAnswered = answer.texts.length > 0 ||
          (run.target._tag === "Http" ? answer.ended === undefined : answer.ended !== undefined)
        return isAnswered
          ? []
          : [{ ...found(text, answer.ended ?? "nothing came"), expected: "an answer, or the end of the connection" }]
      })
  },
  {
    id: "robustness/many",
    title: "Many requests at once are each answered",
    level: "must",
    section: "https://www.jsonrpc.org/specification#response_object",
    check: (run) =>
      Effect.gen(function*() {
        const { many } = sizes(run.aggressive)
        const line = yield* run.spoken.open
        // So that the time of a start does not count.
        yield* line.ask(request("ready"), Json.hasResponse)
        const texts = Array.from({ length: many }, (_, at) => request(`many-${at}`))
        yield* Effect.forEach(texts, (text) => line.send(text), {
          discard: true,
          concurrency: run.target._tag === "Http" ? 20 : 1
        })
        const missing = new Set(Array.from({ length: many }, (_, at) => JSON.stringify(`many-${at}`)))
        let read = 0
        const isEnough = (came: ReadonlyArray<string>): boolean => {
          for (const text of came.slice(read)) if (Json.isResponse(text)) missing.delete(Json.idOf(text) ?? "")
          read = came.length
          return missing.size === 0
        }
        // As long as answers come, the server is only slow.
        for (let before = many + 1; missing.size < before && missing.size > 0;) {
          before = missing.size
          isEnough(yield* line.gather(isEnough))
        }
        const [first] = missing
        return first === undefined ? [] : [{
          expected: `a response to each of ${many} requests`,
          received: `${many - missing.size} responses, and none with the id ${first}${
            line.ended() === undefined ? "" : `; ${line.ended()}`
          }`,
          exchange: []
        }]
      })
  },
  {
    id: "robustness/end-of-input",
    title: "A process ends by itself when its input has ended",
    level: "should",
    section: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio",
    check: ({ patience, target }) =>
      Effect.gen(function*() {
        if (target._tag === "Http" || target.ending === undefined) {
          return yield* new Suite.NotApplicable({ reason: "the server is no process that its client starts" })
        }
        const { connect, grace } = target.ending
        const transport = yield* Effect.mapError(
          connect,
          ({ message }) => new Suite.Unverified({ reason: `no connection: ${message}` })
        )
        yield* Effect.ignore(transport.send([request("end")]))
        // A server that has answered has come so far that it reads.
        yield* Effect.timeoutOption(Effect.ignore(transport.receive), startOf(target, patience))
        const [time] = yield* Effect.timed(transport.close)
        return Duration.isLessThan(time, grace) ? [] : [{
          expected: `the end of the process within ${Duration.format(grace)} after that of its input`,
          received: "it had to be ended by a signal",
          exchange: []
        }]
      })
  },
  {
    id: "robustness/abandoned",
    title: "A connection that ends within a message harms no other",
    level: "must",
    section: "https://cwe.mitre.org/data/definitions/248.html",
    check: (run) =>
      Effect.gen(function*() {
        const { target } = run
        if (target._tag === "Http" || target.isProcess || target.stream === undefined) {
          return yield* new Suite.NotApplicable({ reason: "there are no connections beside each other" })
        }
        const half = request("half").slice(0, 30)
        const { connect } = target.stream
        yield* Effect.ignore(Effect.scoped(Effect.flatMap(connect, (transport) => transport.send([half]))))
        // The server hears of the end a moment later.
        yield* Effect.sleep(run.patience.silence)
        const why = yield* lostBy(run, yield* run.shared)
        return why === undefined ? [] : [found(half, why)]
      })
  }
]

export const robustness: Suite.Suite<Run> = Suite.make({
  name: "robustness",
  title: "Whatever a client sends, the server goes on serving",
  prepare: (run: Run) => Effect.succeed(run),
  rules
})
