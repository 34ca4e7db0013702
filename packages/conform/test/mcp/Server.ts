/** A server of MCP that is right in all but what a test changes, in memory and over HTTP. */
import type * as Target from "@parley/conform/Target"
import { HttpFetcher } from "@parley/http/shared/client"
import { McpHttp, McpPrompt, McpResource, McpServer, McpTool } from "@parley/mcp"
import type { Revision } from "@parley/mcp/wire/Revision"
import { MemoryTransport, Transport } from "@parley/transport"
import { Effect, Layer, Logger, Schema, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"

/** A message, as it travels. */
export type Message = Record<string, unknown>

/** The faults of a server. */
export interface Fault {
  /** The values that are sent in place of a message, with the request that it answers; texts are sent as they are. */
  readonly say?: (message: Message, request: Message | undefined) => ReadonlyArray<Message | string>
  /** The values that are sent for a message of the client, which the server then does not hear. */
  readonly hear?: (message: Message) => ReadonlyArray<Message> | undefined
  /** The answer of HTTP in place of the server's. */
  readonly respond?: (request: Request, body: string, right: () => Promise<Response>) => Promise<Response>
  /** Ends the process at such a message. */
  readonly dies?: (message: Message) => boolean
}

const reads = { readOnlyHint: true }

const features = [
  McpTool.make(
    "add",
    { params: { a: Schema.Int, b: Schema.Int }, result: Schema.Struct({ sum: Schema.Int }), annotations: reads },
    ({ a, b }) => Effect.succeed({ sum: a + b })
  ),
  McpTool.make(
    "count",
    { annotations: reads },
    (_, call) =>
      Effect.as(
        Effect.forEach(
          [1, 2, 3, 4],
          (progress) => Effect.andThen(Effect.sleep("50 millis"), call.progress({ progress, total: 4 })),
          { discard: true }
        ),
        "counted"
      )
  ),
  McpTool.make("erase", { annotations: { destructiveHint: true } }, () => Effect.die(new Error("a probe has written"))),
  McpResource.make("note://welcome", { name: "welcome" }, () => Effect.succeed("Welcome")),
  McpResource.template("note://{id}", { name: "note" }, ({ id }) => Effect.succeed(id)),
  McpPrompt.make("greet", { params: { name: Schema.String } }, ({ name }) => Effect.succeed(`Greet ${name}`))
]

/** The server as it is. */
const served = (protocolVersions?: ReadonlyArray<Revision>) =>
  McpServer.make({
    name: "right",
    version: "1.0.0",
    features,
    protocolVersions,
    pageSize: 2,
    // Nothing is logged or changes: the rules about both look at servers that say so.
    capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } }
  })

const parse = (text: string): Message => {
  const json: unknown = JSON.parse(text)
  // Both sides write objects.
  return json as Message
}

/** Changes what passes between a server and its client. */
const faulty = ({ dies = () => false, hear = () => undefined, say = (message) => [message] }: Fault) => {
  const requests = new Map<unknown, Message>()
  return {
    hear: (text: string) => {
      const message = parse(text)
      if ("method" in message && "id" in message) requests.set(message["id"], message)
      return dies(message) ? "death" as const : hear(message)?.map((one) => JSON.stringify(one))
    },
    say: (text: string) => {
      const message = parse(text)
      const request = "method" in message ? undefined : requests.get(message["id"])
      return say(message, request).map((one) => typeof one === "string" ? one : JSON.stringify(one))
    }
  }
}

/** The server in memory, each connection a process of its own. */
export const memory = (
  fault: Fault = {},
  protocolVersions?: ReadonlyArray<Revision>
): Effect.Effect<Target.Duplex, never, Scope.Scope> =>
  Effect.map(served(protocolVersions), (server) => ({
    _tag: "Duplex",
    name: "memory",
    isProcess: true,
    connect: Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const wires = faulty(fault)
      const receive: typeof far.receive = Effect.gen(function*() {
        while (true) {
          const heard: Array<string> = []
          for (const text of yield* far.receive) {
            const answers = typeof text === "string" ? wires.hear(text) : undefined
            if (answers === "death") {
              yield* far.close
              return yield* Effect.never
            }
            if (answers === undefined) heard.push(String(text))
            else for (const answer of answers) yield* far.send([answer])
          }
          const [first, ...others] = heard
          if (first !== undefined) return [first, ...others]
        }
      })
      const send: typeof far.send = (texts) => {
        const [first, ...others] = texts.flatMap(wires.say)
        return first === undefined ? Effect.void : far.send([first, ...others])
      }
      yield* Effect.forkScoped(
        McpServer.serve.pipe(
          Effect.provideService(McpServer.McpServer, server),
          Effect.provideService(Transport.Transport, { ...far, receive, send }),
          Effect.provide(Logger.layer([]))
        )
      )
      return near
    })
  }))

/** The server over HTTP, without a socket. */
export const http = (
  fault: Fault = {},
  { headers = {}, ...options }: McpHttp.McpHttpOptions & { readonly headers?: Record<string, string> } = {}
): Effect.Effect<Target.Http, never, Scope.Scope> =>
  Effect.gen(function*() {
    const handler = yield* McpHttp.makeWebHandler(yield* served(), options)
    let isDead = false
    const answer = async (request: Request): Promise<Response> => {
      const body = await request.clone().text()
      const wires = faulty(fault)
      const right = async () => {
        const answers = body === "" ? undefined : wires.hear(body)
        isDead ||= answers === "death"
        if (isDead || answers === "death") throw new Error("the server has ended")
        if (answers !== undefined) return streamOf(answers)
        const response = await handler(request)
        return fault.say === undefined ? response : changed(response, wires.say)
      }
      return fault.respond === undefined ? right() : fault.respond(request, body, right)
    }
    const fetch: typeof globalThis.fetch = (url, init) => answer(new Request(url, init))
    const fetcher = yield* Effect.provide(
      HttpFetcher.make(),
      Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch)(fetch))
    )
    return { _tag: "Http", name: "http", url: "http://127.0.0.1/mcp", headers, fetcher }
  })

const event = (text: string) => `data: ${text}\n\n`

const streamOf = (texts: ReadonlyArray<string>) =>
  texts.length === 0
    ? new Response(null, { status: 202 })
    : new Response(texts.map(event).join(""), { headers: { "content-type": "text/event-stream" } })

/** Changes each message of a body, and keeps the head. */
const changed = async (response: Response, say: (text: string) => ReadonlyArray<string>): Promise<Response> => {
  const { headers, status } = response
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true
  if (isStream) {
    let rest = ""
    const change = new TransformStream<string, string>({
      transform: (chunk, controller) => {
        const events = (rest + chunk).split("\n\n")
        rest = events.pop() ?? ""
        for (const one of events) {
          const [, data] = /^data: (.+)$/m.exec(one) ?? []
          controller.enqueue(data === undefined ? `${one}\n\n` : say(data).map(event).join(""))
        }
      }
    })
    const body = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(change)
    return new Response(body?.pipeThrough(new TextEncoderStream()), { headers, status })
  }
  const text = await response.text()
  if (text === "") return new Response(null, { headers, status })
  const texts = say(text)
  if (texts.length === 1) return new Response(texts[0], { headers, status })
  const streamed = new Headers(headers)
  streamed.set("content-type", "text/event-stream")
  return new Response(texts.map(event).join(""), { headers: streamed, status })
}
