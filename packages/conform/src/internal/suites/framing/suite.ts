/**
 * The suite `framing`: how messages are told apart in a stream of bytes. Wires that carry whole messages have no framing.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Suite from "../../../Suite.ts"
import type * as Target from "../../../Target.ts"
import * as Json from "../../probe/Json.ts"
import { startOf } from "../../probe/Patience.ts"
import type { Run } from "../../protocol/Protocol.ts"
import * as Stream from "./Stream.ts"

interface Subject {
  readonly run: Run
  /** Fails where a request is not answered that is written whole: then nothing is known of one that is cut. */
  readonly whole: Effect.Effect<void, Suite.NotApplicable | Suite.Unverified>
  readonly target: Target.Stream
  /** The stream that rules share. */
  readonly stream: Stream.Stream
  readonly isProcess: boolean
}

/** Characters of two and of four bytes stand in the id, so that a cut can go through them. */
const ids = ["é😀-1", "é😀-2"] as const

const request = (id: string): string => JSON.stringify({ jsonrpc: "2.0", id, method: "parley.conform.framing" })

const isAnswered = (wanted: ReadonlyArray<string>) => (texts: ReadonlyArray<string>): boolean =>
  wanted.every((id) => texts.some((text) => Json.isResponse(text) && Json.objectOf(text)?.["id"] === id))

/** Writes the pieces, and finds a breach where an id is not answered. */
const answers = (
  stream: Stream.Stream,
  pieces: NonEmptyReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  how: string
) =>
  Effect.map(
    stream.exchange(pieces, isAnswered(wanted)),
    ({ ended, exchange, texts }): ReadonlyArray<Suite.Finding> =>
      isAnswered(wanted)(texts) ? [] : [{
        expected: `an answer to each request, ${how}`,
        received: [texts.length === 0 ? "nothing came" : texts.join("\n"), ended].filter((one) => one !== undefined)
          .join(
            "; "
          ),
        exchange
      }]
  )

const only = (subject: Subject, framing: Target.Stream["framing"]) =>
  subject.target.framing === framing
    ? Effect.void
    : Effect.fail(new Suite.NotApplicable({ reason: `the framing is ${subject.target.framing}` }))

const cut = (bytes: string, size: number): NonEmptyReadonlyArray<string> => {
  const [first = bytes, ...others] = Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, at) => bytes.slice(at * size, (at + 1) * size)
  )
  return [first, ...others]
}

/** Rules about how bytes become messages. */
const cutting: ReadonlyArray<Suite.Rule<Subject>> = [
  {
    id: "framing/cuts",
    title: "Messages are read however the bytes are cut, also within a character",
    level: "must",
    section: "https://www.rfc-editor.org/rfc/rfc3629#section-3",
    check: (subject) =>
      Effect.map(
        Effect.forEach([1, 7, 31], (size) =>
          answers(
            subject.stream,
            cut(Stream.framed(subject.target.framing, request(ids[0])), size),
            [ids[0]],
            `written in pieces of ${size} bytes`
          )),
        (all) => all.flat()
      )
  },
  {
    id: "framing/joined",
    title: "Messages that arrive together are each answered",
    level: "must",
    section: "https://www.jsonrpc.org/specification#response_object",
    check: (subject) =>
      answers(
        subject.stream,
        [Stream.framed(subject.target.framing, request(ids[0]), request(ids[1]))],
        ids,
        "written at once"
      )
  },
  {
    id: "framing/crlf",
    title: "A carriage return before the line feed is white space",
    level: "should",
    section: "https://www.rfc-editor.org/rfc/rfc8259#section-2",
    check: (subject) =>
      Effect.andThen(
        only(subject, "line"),
        answers(subject.stream, [Stream.bytesOf(`${request(ids[0])}\r\n`)], [ids[0]], "with CR LF behind it")
      )
  },
  {
    id: "framing/blank-lines",
    title: "Blank lines between messages are ignored",
    level: "should",
    section: "https://github.com/ndjson/ndjson-spec#31-serialization",
    check: (subject) =>
      Effect.andThen(
        only(subject, "line"),
        answers(
          subject.stream,
          [Stream.bytesOf(`\n\n${request(ids[0])}\n\n${request(ids[1])}\n`)],
          ids,
          "among blank lines"
        )
      )
  },
  {
    id: "framing/header-fields",
    title: "The names of header fields have any case, and fields besides Content-Length are ignored",
    level: "must",
    section: "https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#headerPart",
    check: (subject) =>
      Effect.andThen(only(subject, "contentLength"), () => {
        const body = Stream.bytesOf(request(ids[0]))
        const header =
          `content-length: ${body.length}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n`
        return answers(subject.stream, [header + body], [ids[0]], "behind such a header")
      })
  },
  {
    id: "framing/invalid-utf8",
    title: "Bytes that are no UTF-8 do not stop the server",
    level: "must",
    section: "https://www.rfc-editor.org/rfc/rfc3629#section-10",
    check: (subject) =>
      Effect.gen(function*() {
        const { framing } = subject.target
        const bad = Stream.framed(framing, request("?")).replace("\"?\"", "\"\xff\"")
        const pieces = [bad, Stream.framed(framing, request(ids[0]))] as const
        const own = yield* Stream.make(
          subject.target,
          subject.run.patience,
          startOf(subject.run.target, subject.run.patience)
        )
        const findings = yield* answers(own, pieces, [ids[0]], "behind a message that is no UTF-8")
        if (findings.length === 0 || subject.isProcess) return findings
        // A socket may end for it, as long as the server goes on.
        const again = yield* answers(subject.stream, [pieces[1]], [ids[0]], "in the next connection")
        return again.length === 0 ? [] : findings
      })
  },
  {
    id: "framing/foreign-http",
    title: "A request of HTTP runs nothing: a page in a browser can send one to any port of this machine",
    level: "should",
    section: "https://cwe.mitre.org/data/definitions/346.html",
    check: (subject) =>
      Effect.gen(function*() {
        if (subject.isProcess) return yield* new Suite.NotApplicable({ reason: "no browser can reach a process" })
        const { framing } = subject.target
        const body = Stream.framed(framing, request(ids[0]))
        const head =
          `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`
        const own = yield* Stream.make(
          subject.target,
          subject.run.patience,
          startOf(subject.run.target, subject.run.patience)
        )
        const { exchange, texts } = yield* own.exchange([head + body], isAnswered([ids[0]]))
        return isAnswered([ids[0]])(texts)
          ? [{ expected: "no answer to the message in the body", received: texts.join("\n"), exchange }]
          : []
      })
  }
]

const onlyMessages: Suite.Rule<Subject> = {
  id: "framing/only-messages",
  title: "The server writes nothing but messages to the stream",
  level: "must",
  section: "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio",
  check: ({ run }) =>
    Effect.gen(function*() {
      const line = yield* run.shared
      yield* Effect.ignore(line.ask(request(ids[0])))
      const other = [...run.seen(), ...(yield* line.gather(() => true))].find((text) => Option.isNone(Json.parse(text)))
      return other === undefined ? [] : [{
        expected: "JSON",
        received: other,
        exchange: [{ direction: "received", text: other }]
      }]
    })
}

export const framing: Suite.Suite<Run> = Suite.make({
  name: "framing",
  title: "How messages are told apart in a stream of bytes",
  prepare: (run: Run) =>
    Effect.gen(function*() {
      const { target } = run
      if (target._tag === "Http" || target.stream === undefined) {
        return yield* new Suite.NotApplicable({ reason: "the wire carries whole messages" })
      }
      const stream = yield* Stream.make(target.stream, run.patience, startOf(target, run.patience))
      const text = [Stream.framed(target.stream.framing, request(ids[0]))] as const
      const whole = yield* Effect.cached(Effect.flatMap(
        answers(stream, text, [ids[0]], "written whole"),
        (findings) =>
          findings.length === 0
            ? Effect.void
            : Effect.fail(new Suite.Unverified({ reason: "a request that opens a connection is not answered" }))
      ))
      return { run, whole, target: target.stream, stream, isProcess: target.isProcess }
    }),
  rules: [
    ...cutting.map((rule) => ({
      ...rule,
      check: (subject: Subject) => Effect.andThen(subject.whole, rule.check(subject))
    })),
    onlyMessages
  ]
})
