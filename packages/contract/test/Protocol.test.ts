/** Both directions of a protocol. */
import { assert, describe, it } from "@effect/vitest"
import { Caller, Peer } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Listener, MemoryTransport, Transport } from "@parley/transport"
import { Context, Deferred, Effect, Fiber, Layer, Schema, Scope, Stream } from "effect"
import { Contract, ContractPair, Method, Notification, Subscription } from "../src/index.ts"
import { parsed, request, settle, started } from "./wire.ts"

const Editor = Contract.make("Editor", {
  "window/ask": Method.make({ params: { question: Schema.String }, result: Schema.String }),
  "window/show": Notification.make({ params: { text: Schema.String } })
})

const Language = Contract.make("Language", {
  rename: Method.make({ params: { to: Schema.String }, result: Schema.String }),
  symbols: Subscription.make({ params: { query: Schema.String }, item: Schema.String }),
  wait: Method.make({ result: Schema.String })
})

const dialect = Dialect.make({ ...Dialect.lsp, name: "test", overloadCode: -1 })

const Lsp = ContractPair.make({ client: Editor, server: Language, dialect })

class Answers extends Context.Service<Answers, { readonly of: (question: string) => string }>()("Answers") {}

const answers = Layer.succeed(Answers, { of: (question) => `${question} Yes.` })

const editor = (shown: Array<string>) =>
  Editor.of({
    "window/ask": ({ question }) => Answers.useSync((answers) => answers.of(question)),
    "window/show": ({ text }) => Effect.sync(() => shown.push(text))
  })

/** What the server side serves: it asks the editor back. */
const language = {
  rename: ({ to }: { readonly to: string }, call: { readonly peer: Caller.Caller }) =>
    Effect.gen(function*() {
      const editor = Lsp.client.client(call.peer)
      yield* editor["window/show"]({ text: `renaming to ${to}` })
      return yield* editor["window/ask"]({ question: `Rename to ${to}?` })
    }).pipe(Effect.orDie),
  symbols: ({ query }: { readonly query: string }) => Stream.make(`${query}1`, `${query}2`),
  wait: () => Effect.never
}

const options = { limits: { drain: 0 } }

const over = (transport: Transport.Transport) => Layer.succeed(Transport.Transport, transport)

describe("a protocol", () => {
  it.effect("is spoken by both sides over one connection", () =>
    Effect.gen(function*() {
      const [left, right] = yield* MemoryTransport.makePair()
      const shown: Array<string> = []
      const server = Lsp.layerServer(language, options)
      const asked = yield* Layer.build(Layer.provide(server, over(right)))
      const client = Lsp.layerClient(editor(shown), options)
      const context = yield* Layer.build(Layer.provide(client, [over(left), answers]))
      const lsp = Context.get(context, Language.Client)
      assert.strictEqual(yield* lsp.rename({ to: "x" }), "Rename to x? Yes.")
      assert.deepStrictEqual(shown, ["renaming to x"])
      assert.deepStrictEqual(yield* Stream.runCollect(lsp.symbols({ query: "s" })), ["s1", "s2"])
      const back = Context.get(asked, Editor.Client)
      assert.strictEqual(yield* back["window/ask"]({ question: "Sure?" }), "Sure? Yes.")
      assert.strictEqual(Context.get(context, Peer.Peer).request, Context.get(context, Caller.Caller).request)
    }))

  it.effect("speaks its dialect on both sides", () =>
    Effect.gen(function*() {
      const quiet = ContractPair.make({
        client: Editor,
        server: Language,
        dialect: Dialect.make({ name: "quiet", batches: "refuse", cancellation: undefined, partialResults: undefined })
      })
      assert.strictEqual(quiet.dialect.name, "quiet")
      assert.strictEqual(ContractPair.make({ client: Editor, server: Language }).dialect, Dialect.jsonRpc)
      const [left, right] = yield* MemoryTransport.makePair()
      const noEditor = { "window/ask": () => Effect.succeed(""), "window/show": () => Effect.void }
      const context = yield* Layer.build(Layer.provide(quiet.layerClient(noEditor, options), over(left)))
      const lsp = Context.get(context, Language.Client)
      const symbols = yield* started(Stream.runCollect(lsp.symbols({ query: "s" })))
      const wait = yield* started(lsp.wait())
      const batch = yield* started(Language.batch(lsp, (calls) => [calls.wait(), calls.wait()]))
      yield* settle
      const fibers: ReadonlyArray<Fiber.Fiber<unknown, unknown>> = [symbols, wait, batch]
      yield* Effect.forEach(fibers, (fiber) => Fiber.interrupt(fiber))
      yield* settle
      const texts = (yield* right.receive).map((text) => parsed(String(text)))
      // No token, no array, and no cancellation.
      assert.deepStrictEqual(texts, [
        parsed(request(1, "symbols", { query: "s" })),
        parsed(request(2, "wait")),
        parsed(request(3, "wait")),
        parsed(request(4, "wait"))
      ])
    }))

  it.effect("answers at both sides as its dialect says", () =>
    Effect.gen(function*() {
      const [left, right] = yield* MemoryTransport.makePair()
      const served = Lsp.layerServer(language, { limits: { drain: 0, inFlight: 1, inbox: 1, batch: 1, budget: 5_000 } })
      const context = yield* Layer.build(Layer.provide(served, over(right)))
      const editor = Context.get(context, Editor.Client)
      yield* Effect.forkChild(Effect.ignore(editor["window/ask"]({ question: "" })), { startImmediately: true })
      yield* settle
      yield* left.receive
      yield* Effect.orDie(left.send([1, 2, 3].map((id) => request(id, "wait")) as [string, string, string]))
      yield* settle
      assert.deepStrictEqual((yield* left.receive).map((text) => parsed(String(text))), [
        { jsonrpc: "2.0", id: 3, error: { code: -1, message: "Overloaded" } }
      ])
      yield* Effect.orDie(left.send([`[${request(4, "wait")}]`]))
      yield* settle
      assert.strictEqual(Object(parsed(String((yield* left.receive)[0]))).error.code, -32600)
    }))

  it.effect("is served to every connection, each of which may be called back", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      const greeted = yield* Deferred.make<string>()
      const serving = Lsp.serve(language, {
        ...options,
        onConnection: (peer) =>
          Effect.flatMap(Effect.orDie(Editor.client(peer)["window/ask"]({ question: "Who?" })), (answer) =>
            Deferred.succeed(greeted, answer))
      })
      const scope = yield* Scope.make()
      yield* Effect.forkIn(Effect.provideService(serving, Listener.Listener, listener), scope)
      const shown: Array<string> = []
      const clients = yield* Effect.forEach([1, 2], () =>
        Effect.gen(function*() {
          const handlers = {
            "window/ask": ({ question }: { readonly question: string }) =>
              Effect.succeed(`${question} Me.`),
            "window/show": ({ text }: { readonly text: string }) => Effect.sync(() => shown.push(text))
          }
          const transport = over(yield* connect)
          return Context.get(
            yield* Layer.build(Layer.provide(Lsp.layerClient(handlers, options), transport)),
            Language.Client
          )
        }))
      assert.strictEqual(yield* Deferred.await(greeted), "Who? Me.")
      for (const lsp of clients) assert.strictEqual(yield* lsp.rename({ to: "y" }), "Rename to y? Me.")
      assert.strictEqual(shown.length, 2)
    }))

  it.effect("without members on one side serves nothing there", () =>
    Effect.gen(function*() {
      const Silent = Contract.make("Silent", {})
      const oneWay = ContractPair.make({ client: Silent, server: Language })
      const [left, right] = yield* MemoryTransport.makePair()
      yield* Layer.build(Layer.provide(oneWay.layerServer(language, options), over(right)))
      const context = yield* Layer.build(Layer.provide(oneWay.layerClient({}, options), over(left)))
      assert.deepStrictEqual(yield* Stream.runCollect(Context.get(context, Language.Client).symbols({ query: "s" })), [
        "s1",
        "s2"
      ])
    }))

  it.effect("made twice in one program is two connections", () =>
    Effect.gen(function*() {
      const Named = Contract.make("Named", { name: Method.make({ result: Schema.String }) })
      const named = ContractPair.make({ client: Contract.make("Nobody", {}), server: Named })
      const connect = (name: string) =>
        Effect.gen(function*() {
          const [left, right] = yield* MemoryTransport.makePair()
          const server = Layer.provide(named.layerServer({ name: () => Effect.succeed(name) }, options), over(right))
          return { server, client: Layer.provide(named.layerClient({}, options), over(left)) }
        })
      const [one, other] = [yield* connect("one"), yield* connect("other")]
      yield* Layer.build(Layer.mergeAll(one.server, other.server))
      const nameOf = ({ client }: typeof one) => Effect.provide(Effect.flatMap(Named.Client, (c) => c.name()), client)
      assert.deepStrictEqual(yield* Effect.all([nameOf(one), nameOf(other)], { concurrency: 2 }), ["one", "other"])
    }))
})
