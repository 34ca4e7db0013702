/** A server and a client of MCP that know no JavaScript numbers: they write and read texts. */
import type { Revision } from "@parley/mcp/wire/Revision"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Transport } from "@parley/transport/Transport"
import { Effect } from "effect"
import type * as Scope from "effect/Scope"

/** Members of a payload whose numbers are given by their texts. */
export const payload = ([a, b]: readonly [string, string]): string =>
  `{"id":${a},"list":[${b},{"deep":${a}}],"plain":1,"text":"1.0"}`

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly [name: string]: unknown }
}

/** What a server has received, by the method, as texts. */
export type Heard = Array<string>

/** Answers a text with texts, of which the last is the response. Every answer has the payload wherever it can. */
export const answer = (numbers: readonly [string, string], revision: Revision) => {
  const own = payload(numbers)
  const isModern = revision >= "2026"
  const kind = isModern ? `"resultType":"complete",` : ""
  const cache = isModern ? `"ttlMs":0,"cacheScope":"private",` : ""
  const result = (id: unknown, members: string) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${kind}${members}}}`
  const capabilities = `{"tools":{},"prompts":{},"resources":{},"logging":{}}`
  const form = `{"message":"Which?","requestedSchema":{"type":"object","properties":{"n":{"type":"number","default":${
    numbers[0]
  }}}},"_meta":${own}}`
  let waiting: unknown
  return (text: string): ReadonlyArray<string> => {
    const { id, method, params } = JSON.parse(text) as Message
    // The answer to our question.
    if (id === "question" && method === undefined) return [result(waiting, `"content":[]`)]
    if (id === undefined || method === undefined) return []
    const name = params?.["name"]
    switch (method) {
      case "initialize":
        return [
          result(
            id,
            `"protocolVersion":"${revision}","capabilities":${capabilities},"serverInfo":{"name":"s","version":"1"}`
          )
        ]
      case "server/discover":
        return [result(id, `${cache}"supportedVersions":["${revision}"],"capabilities":${capabilities}`)]
      case "tools/list":
        return [
          result(
            id,
            `${cache}"tools":[{"name":"t","inputSchema":{"type":"object","default":${own}},"_meta":{"own":${own}}},` +
              `{"name":"refuse","inputSchema":{"type":"object"}},{"name":"ask","inputSchema":{"type":"object"}}]`
          )
        ]
      case "prompts/list":
        return [result(id, `${cache}"prompts":[{"name":"p"}]`)]
      case "resources/list":
        return [result(id, `${cache}"resources":[{"name":"r","uri":"test://r"}]`)]
      case "resources/templates/list":
        return [result(id, `${cache}"resourceTemplates":[]`)]
      case "prompts/get":
        return [
          result(
            id,
            `"messages":[{"role":"user","content":{"type":"text","text":"x","_meta":{"own":${own}}}}],"_meta":${own}`
          )
        ]
      case "resources/read":
        return [result(id, `${cache}"contents":[{"uri":"test://r","text":"x","_meta":${own}}],"_meta":${own}`)]
      case "tools/call": {
        if (name === "refuse") {
          return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32050,"message":"no","data":${own}}}`]
        }
        if (name === "ask" && params?.["inputResponses"] === undefined) {
          waiting = id
          if (!isModern) {
            return [
              `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${numbers[1]}}}`,
              `{"jsonrpc":"2.0","id":"question","method":"elicitation/create","params":${form}}`
            ]
          }
          const asked = `{"q":{"method":"elicitation/create","params":${form.replace("{", `{"mode":"form",`)}}}`
          return [
            `{"jsonrpc":"2.0","id":${
              JSON.stringify(id)
            },"result":{"resultType":"input_required","inputRequests":${asked}}}`
          ]
        }
        const token = Object(params?.["_meta"])["progressToken"]
        const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${
          JSON.stringify(token)
        },"progress":1}}`
        return [
          ...token === undefined ? [] : [progress],
          result(
            id,
            `"content":[{"type":"text","text":"x","_meta":${own}}],"structuredContent":${own},"_meta":${own},"more":${
              numbers[0]
            }`
          )
        ]
      }
      default:
        return [result(id, "")]
    }
  }
}

/** A transport to a server of texts, which notes what it has received. */
export const server = (
  answerOf: (text: string) => ReadonlyArray<string>,
  heard: Heard
): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const serve = Effect.flatMap(far.receive, (texts) =>
      Effect.forEach(texts, (text) => {
        if (typeof text !== "string") return Effect.void
        heard.push(text)
        const [first, ...others] = answerOf(text)
        return first === undefined ? Effect.void : far.send([first, ...others])
      }, { discard: true }))
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(serve)))
    return near
  })

/** A client of texts: sends requests, and gives the texts that come back. */
export interface Client {
  readonly ask: (method: string, params: string) => Effect.Effect<string>
}

/** The client at one end of a transport. `react` answers what it is asked. */
export const client = (
  transport: Transport,
  revision: Revision,
  react: (text: string) => string | undefined = () => undefined
): Effect.Effect<Client> =>
  Effect.gen(function*() {
    let count = 0
    const next = (id: number): Effect.Effect<string> =>
      Effect.flatMap(Effect.orDie(transport.receive), (texts) => {
        const found = texts.find((text) => typeof text === "string" && isAnswer(text, id))
        const [first, ...others] = texts.flatMap((text) =>
          typeof text === "string" && text !== found ? react(text) ?? [] : []
        )
        return Effect.andThen(
          first === undefined ? Effect.void : Effect.orDie(transport.send([first, ...others])),
          Effect.suspend(() => typeof found === "string" ? Effect.succeed(found) : next(id))
        )
      })
    const ask: Client["ask"] = (method, params) =>
      Effect.suspend(() => {
        const id = ++count
        return Effect.andThen(
          Effect.orDie(transport.send([`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`])),
          next(id)
        )
      })
    if (revision < "2026") {
      yield* ask("initialize", introduction(revision))
      yield* Effect.orDie(transport.send([`{"jsonrpc":"2.0","method":"notifications/initialized"}`]))
    }
    return { ask: (method, params) => ask(method, enveloped(revision, params)) }
  })

const offers = `{"elicitation":{"form":{}},"sampling":{}}`

const introduction = (revision: Revision) =>
  `{"protocolVersion":"${revision}","capabilities":${offers},"clientInfo":{"name":"c","version":"1"}}`

/** The params of a request with the envelope of their revision; they have a `_meta` of their own, which is not empty. */
export const enveloped = (revision: Revision, params: string): string =>
  revision < "2026" ? params : params.replace(
    `"_meta":{`,
    `"_meta":{"io.modelcontextprotocol/protocolVersion":"${revision}","io.modelcontextprotocol/clientCapabilities":${offers},`
  )

const isAnswer = (text: string, id: number): boolean => {
  const message = JSON.parse(text) as Message
  return message.id === id && message.method === undefined
}
