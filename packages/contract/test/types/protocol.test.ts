/** What the types of a protocol and of progress infer. The compiler checks this file. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { Caller, ErrorResponse, Peer, Router } from "@parley/peer"
import type { Listener, Transport } from "@parley/transport"
import { Context, Effect, type Layer, Schema, type Scope, Stream } from "effect"
import { Contract, ContractPair, Method, Notification, Subscription } from "../../src/index.ts"

const Editor = Contract.make("Editor", {
  ask: Method.make({ params: { question: Schema.String }, result: Schema.String }),
  show: Notification.make({ params: { text: Schema.String } })
})

const Language = Contract.make("Language", {
  rename: Method.make({ params: { to: Schema.String }, result: Schema.String }),
  symbols: Subscription.make({ item: Schema.String })
})

const Lsp = ContractPair.make({ client: Editor, server: Language })

class Files extends Context.Service<Files, { readonly rename: (to: string) => Effect.Effect<string> }>()("Files") {}

class Screen
  extends Context.Service<Screen, { readonly ask: (question: string) => Effect.Effect<string> }>()("Screen")
{}

const editor = { ask: () => Effect.succeed(""), show: () => Effect.void }

const language = { rename: () => Effect.succeed(""), symbols: () => Stream.empty }

describe("a protocol", () => {
  it("gives each side the client of the other, and asks for what its own handlers require", () => {
    expectTypeOf(Lsp.layerClient(editor)).toEqualTypeOf<
      Layer.Layer<
        Contract.ClientId<"Language"> | Peer.PeerService | Caller.Caller,
        Router.MethodTaken,
        Transport.Transport
      >
    >()
    const server = Lsp.layerServer({ ...language, rename: ({ to }) => Files.use((files) => files.rename(to)) })
    expectTypeOf(server).toEqualTypeOf<
      Layer.Layer<
        Contract.ClientId<"Editor"> | Peer.PeerService | Caller.Caller,
        Router.MethodTaken,
        Transport.Transport | Files
      >
    >()
  })

  it("serves its server side, and asks for what runs beside a connection", () => {
    expectTypeOf(Lsp.serve(language)).toEqualTypeOf<
      Effect.Effect<never, Transport.TransportError | Router.MethodTaken, Listener.Listener>
    >()
    const beside = Lsp.serve({ ...language, rename: ({ to }) => Files.use((files) => files.rename(to)) }, {
      onConnection: () => Effect.andThen(Effect.addFinalizer(() => Effect.void), Screen.use((screen) => screen.ask("")))
    })
    expectTypeOf(beside).toEqualTypeOf<
      Effect.Effect<
        never,
        Transport.TransportError | Router.MethodTaken,
        Listener.Listener | Files | Screen
      >
    >()
  })

  it("keeps its directions", () => {
    // @ts-expect-error the client side serves what the client serves
    Lsp.layerClient(language)
    // @ts-expect-error the server side serves what the server serves
    Lsp.layerServer(editor)
    // @ts-expect-error so does every connection
    Lsp.serve(editor)
    // @ts-expect-error a handler is missing
    Lsp.layerClient({ ask: editor.ask })
    // @ts-expect-error a handler is misspelt
    Lsp.layerClient({ ...editor, aks: editor.ask })
    // @ts-expect-error a handler gives something else
    Lsp.layerServer({ ...language, rename: () => Effect.succeed(1) })
    // @ts-expect-error the dialect is the protocol's
    Lsp.layerClient(editor, { dialect: Lsp.dialect })
    expectTypeOf(Lsp.client).toEqualTypeOf<typeof Editor>()
    expectTypeOf(Lsp.server).toEqualTypeOf<typeof Language>()
  })

  it("may have a side that serves nothing", () => {
    const oneWay = ContractPair.make({ client: Contract.make("Nobody", {}), server: Language })
    expectTypeOf(oneWay.layerClient({})).toEqualTypeOf<
      Layer.Layer<
        Contract.ClientId<"Language"> | Peer.PeerService | Caller.Caller,
        Router.MethodTaken,
        Transport.Transport
      >
    >()
    // @ts-expect-error nothing is to be served
    oneWay.layerClient({ any: () => Effect.void })
  })
})

describe("progress", () => {
  it("has the result of its call beside it", () => {
    const running = Contract.progress((onProgress) =>
      Effect.flatMap(Language.Client, (language) => language.rename({ to: "" }, { onProgress }))
    )
    type Running = Effect.Success<typeof running>
    expectTypeOf<Running["progress"]>().toEqualTypeOf<Stream.Stream<Schema.Json, Contract.Lagged>>()
    expectTypeOf<Running["result"]>().toEqualTypeOf<Effect.Effect<string, Contract.ClientError>>()
    expectTypeOf<Effect.Services<typeof running>>().toEqualTypeOf<Contract.ClientId<"Language"> | Scope.Scope>()
    expectTypeOf<Effect.Error<typeof running>>().toEqualTypeOf<never>()
    // @ts-expect-error progress holds back nothing, so that nothing can be suspended
    Contract.progress(() => Effect.void, { strategy: "suspend" })
  })
})

describe("the items of a subscription", () => {
  it("may be given by a stream, or by an Effect that fails instead", () => {
    type Given = ReturnType<Contract.Handlers<typeof Language.members>["symbols"]>
    expectTypeOf<Stream.Stream<string, ErrorResponse.ErrorResponse, Files>>().toExtend<Given>()
    expectTypeOf<Effect.Effect<Stream.Stream<string>, ErrorResponse.ErrorResponse, Files>>().toExtend<Given>()
    expectTypeOf<Effect.Effect<string>>().not.toExtend<Given>()
  })
})
