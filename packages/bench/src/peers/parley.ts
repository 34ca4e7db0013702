/**
 * Parley, as its users run it: default limits, a deadline of 30 seconds on each call, interruption that cancels on
 * the other side.
 *
 * Callers are fibers that call again and again, except where the name says `promise`. A handler is an exit already
 * (`Effect.succeed`), except where it says `fiber`.
 */
import * as Contract from "@parley/contract/Contract"
import * as Method from "@parley/contract/Method"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import type { Caller } from "@parley/peer/Caller"
import type * as Handler from "@parley/peer/Handler"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import * as Framing from "@parley/protocol/Framing"
import * as Listener from "@parley/transport/Listener"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Transport } from "@parley/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Client, Command, Payload, Subject } from "../Subject.ts"

const Small = Schema.Struct({
  user: Schema.String,
  op: Schema.String,
  key: Schema.String,
  n: Schema.Finite,
  flags: Schema.Array(Schema.Finite),
  note: Schema.String
})

const Echo = Contract.make("Echo", { echo: Method.make({ params: Small, result: Small }) })

/** What the untyped echo answers: it is JSON that it was sent. */
const handlers = {
  exit: ({ params }) => Effect.succeed(params ?? null),
  fiber: ({ params }) => Effect.sync(() => params ?? null)
} satisfies { readonly [name: string]: Handler.Handler }

const contracts = {
  exit: Echo.toLayer({ echo: (params) => Effect.succeed(params) }),
  fiber: Echo.toLayer({ echo: (params) => Effect.sync(() => params) })
}

type Call = (caller: Caller) => (params: Payload) => Effect.Effect<unknown, unknown>

const untyped: Call = (caller) => (params) => caller.request("echo", params)

const typed: Call = (caller) => {
  const { echo } = Echo.client(caller)
  // Large payloads, which are of another type, have no turn here.
  return (params) => echo(params as typeof Small.Type)
}

export interface Variant {
  readonly name: string
  readonly handler?: keyof typeof handlers
  /** With the contract on both sides. */
  readonly schema?: boolean
  readonly promise?: boolean
  readonly timeout?: Duration.Duration
  readonly framing?: Framing.Framing
}

export const variants: ReadonlyArray<Variant> = [
  { name: "parley" },
  { name: "parley-fiber", handler: "fiber" },
  { name: "parley-promise", promise: true },
  { name: "parley-no-deadline", timeout: Duration.infinity },
  { name: "parley-schema", schema: true },
  { name: "parley-schema-fiber", handler: "fiber", schema: true }
]

/** Framings are of streams. */
const framed: ReadonlyArray<Variant> = [
  { name: "parley-cl", framing: Framing.contentLength },
  { name: "parley-concatenated", framing: Framing.concatenated }
]

export const router = ({ handler = "exit", schema = false }: Variant) =>
  Effect.tap(Router.make(), (router) =>
    schema
      ? Effect.provideService(Layer.build(contracts[handler]), Router.Router, router)
      : router.addAll({ echo: handlers[handler] }))

type Open<A> = Effect.Effect<A, unknown, Scope.Scope>

/** The client of a caller. */
export const clientOf = async (
  { promise = false, schema = false }: Variant,
  open: Open<Caller>
): Promise<Client> => {
  const scope = Scope.makeUnsafe()
  const echo = (schema ? typed : untyped)(await Effect.runPromise(Scope.provide(open, scope)))
  return {
    call: (params) => Effect.runPromise(echo(params)),
    callEffect: promise ? undefined : echo,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** The client of a peer over a transport. */
export const peerOf = (variant: Variant, open: Open<Transport>): Promise<Client> =>
  clientOf(variant, Effect.flatMap(open, (transport) => Peer.make(transport, { timeout: variant.timeout })))

/** Runs a server, as soon as it listens gives its address. */
export const serve = (variant: Variant, open: Open<Listener.Listener>): Promise<string> =>
  new Promise((resolve) => {
    Effect.runFork(Effect.scoped(Effect.gen(function*() {
      const listener = yield* open
      resolve(listener.address)
      yield* Server.run.pipe(
        Effect.provideService(Listener.Listener, listener),
        Effect.provideService(Router.Router, yield* router(variant))
      )
    })))
  })

/** Answers over the one transport that this process has. */
export const answer = (variant: Variant, open: Open<Transport>): void => {
  Effect.runFork(Effect.scoped(Effect.gen(function*() {
    const peer = yield* Peer.make(yield* open, { router: yield* router(variant) })
    yield* peer.closed
  })))
}

export const portOf = (address: string): number => Number(new URL(address).port)

const openMemory = (variant: Variant) => () =>
  peerOf(
    variant,
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(far, { router: yield* router(variant) })
      return near
    })
  )

const overStreams = (variant: Variant): ReadonlyArray<Subject> => {
  const { framing, name } = variant
  return [
    {
      name: `tcp/${name}`,
      wire: "tcp",
      serve: () => serve(variant, NodeTcp.makeListener({ port: 0, framing })).then(portOf),
      connect: (port) => peerOf(variant, NodeTcp.makeTransport({ port, framing }))
    },
    {
      name: `stdio/${name}`,
      wire: "stdio",
      serve: () => answer(variant, NodeStdio.makeTransport({ framing })),
      connect: (command: Command) => peerOf(variant, NodeChildProcess.makeTransport({ ...command, framing }))
    }
  ]
}

const overUnix = (variant: Variant): Subject => {
  const { framing, name } = variant
  return {
    name: `unix/${name}`,
    wire: "unix",
    serve: (path) => serve(variant, NodeUnix.makeListener({ path, framing })),
    connect: (path) => peerOf(variant, NodeUnix.makeTransport({ path, framing }))
  }
}

/** Over messages, as over TCP: only that a deadline costs nothing was seen there. */
export const full = variants.filter(({ name }) => name !== "parley-no-deadline" && name !== "parley-schema-fiber")

/** Beyond TCP and stdio the others would only say again what those say. */
export const brief = variants.filter(({ name }) => name === "parley" || name === "parley-schema")

export const parley: ReadonlyArray<Subject> = [
  ...variants.map((variant): Subject => ({ name: `mem/${variant.name}`, wire: "mem", open: openMemory(variant) })),
  ...variants.flatMap(overStreams),
  ...framed.flatMap(overStreams),
  ...brief.map(overUnix),
  ...framed.slice(0, 1).map(overUnix)
]
