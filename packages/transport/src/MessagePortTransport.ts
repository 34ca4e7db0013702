/**
 * Transports over message ports, workers and windows.
 *
 * It works on every platform: with a `MessagePort` of a browser, of Node.js or of
 * Electron, a browser's `Worker`, the `self` inside of it, and two windows. Two
 * Parley sides post texts as strings, and credits make a sender wait for a reader
 * that stalls. Other libraries post objects or do not know the credits. Then both
 * sides must agree on other values of `wire` and `flow`.
 *
 * ```ts run
 * import { MessagePortTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { port1, port2 } = new MessageChannel()
 *   const near = yield* MessagePortTransport.make(port1)
 *   const far = yield* MessagePortTransport.make(port2)
 *   yield* near.send(["hello"])
 *   console.log(yield* far.receive) // => [ 'hello' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as posted from "./internal/posted.ts"
import * as TransportError from "./internal/TransportError.ts"
import * as Listener from "./Listener.ts"
import { Transport } from "./Transport.ts"

/**
 * How texts travel.
 *
 * - `wire`: `"text"`, the default, posts strings. `"object"` posts and takes the value that `JSON.parse` makes of a
 *   text, as `vscode-jsonrpc/browser` does. Its numbers are those of JavaScript: an id beyond 2^53 loses its last
 *   digits.
 * - `flow`: `"credits"`, the default for texts, posts a few numbers beside the texts, and `null` at the end. A sender
 *   waits while more than 1 MiB of texts is on its way. `"none"`, the only choice for objects, posts texts alone:
 *   senders never wait, and the end is known only where the platform reports that a port has closed.
 * - `limits.frame` counts UTF-16 units here.
 *
 * A message that is not a string (for objects: not a JSON value) is a `BadFrame` with the reason `NotText`. A
 * connection ends with `Unread` when more than `limits.frame` and 1 MiB lie unread.
 *
 * @category models
 * @since 0.1.0
 */
export type MessagePortOptions = posted.Options

/**
 * An event of a port, with the members that matter here.
 *
 * @category models
 * @since 0.1.0
 */
export interface PortEvent {
  /** Its name: `message`, `messageerror`, `error`, `close`, `connect`. */
  readonly type: string
  /** The posted value of a `message`. */
  readonly data?: unknown
  /** The error of an `error`. */
  readonly error?: unknown
  /** The message of an `error`, where `error` is unknown. */
  readonly message?: unknown
  /** The sender of a message between windows. */
  readonly origin?: unknown
  /** The window that sent a message between windows. */
  readonly source?: unknown
  /** The ports of a `connect`. */
  readonly ports?: ReadonlyArray<Port>
}

/**
 * A source of events.
 *
 * @category models
 * @since 0.1.0
 */
export interface Target {
  /** Calls the listener for each event of this type. */
  addEventListener(type: string, listener: (event: PortEvent) => void): void
  /** Calls the listener no more. */
  removeEventListener(type: string, listener: (event: PortEvent) => void): void
}

/**
 * Posts messages to one other side: a `MessagePort`, a browser's `Worker`, the `self` of a worker.
 *
 * @category models
 * @since 0.1.0
 */
export interface Port extends Target {
  /** Posts a value to the other side. */
  postMessage(message: unknown): void
  /** Lets the messages come, where the port waits for it. */
  start?(): void
  /** Closes the port, or ends the worker. */
  close?(): void
}

/**
 * A transport over a port, closed with the Scope.
 *
 * Closing posts the end after the texts that were sent, and closes the port; inside of a browser's worker that ends the
 * worker. When the other side ends, `receive` fails with `EndOfInput` and `send` with `Lost`. An `error` event, such as
 * that of a `Worker` whose script fails, is `Lost`. Make the transport in the turn in which the worker is created or
 * its script begins, because a browser drops messages while nobody listens.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  port: Port,
  options: MessagePortOptions = {}
): Effect.Effect<Transport, never, Scope.Scope> =>
  posted.make({
    post: (value) => port.postMessage(value),
    listen: (events) => {
      const stop = listen(port, {
        message: ({ data }) => events.onMessage(data),
        messageerror: () => events.onUnreadable(),
        close: () => events.onEnd(),
        // On `self` it is any error of the script, which is not the end of it.
        ...(port === globalThis ? {} : {
          error: ({ error, message }: PortEvent) => events.onEnd({ error: error ?? new Error(String(message)) })
        })
      })
      port.start?.()
      return stop
    },
    close: () => port.close?.()
  }, options)

/**
 * The transport over a port as a Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (port: Port, options: MessagePortOptions = {}): Layer.Layer<Transport> =>
  Layer.effect(Transport, make(port, options))

/**
 * Two windows, and the origin that the other one must have.
 *
 * @category models
 * @since 0.1.0
 */
export type WindowOptions = MessagePortOptions & {
  /** The other window: `iframe.contentWindow`, `window.parent`, `window.opener`. */
  readonly target: { postMessage(message: unknown, targetOrigin: string): void }
  /** Its origin as in `https://app.example.org`: no path, no `*`. */
  readonly origin: string
  /** This window. The default is the global object. */
  readonly self?: Target | undefined
}

/**
 * A transport over `postMessage` between two windows, closed with the Scope.
 *
 * It receives only messages of the target from that origin, and sends to no other origin. Both windows must listen
 * before one sends. Fails with `Open` when `origin` is not an origin.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromWindow = (
  options: WindowOptions
): Effect.Effect<Transport, TransportError.TransportError, Scope.Scope> =>
  Effect.suspend(() => {
    const { origin, self = globalThis, target } = options
    if (!isOrigin(origin)) {
      return Effect.fail(
        TransportError.transportError({
          _tag: "Open",
          cause: new Error(
            `${JSON.stringify(origin)} is not an origin: give a scheme and a host, as in https://app.example.org`
          )
        })
      )
    }
    return posted.make({
      post: (value) => target.postMessage(value, origin),
      listen: (events) => {
        const fromTarget = (event: PortEvent) => event.source === target && event.origin === origin
        return listen(self, {
          message: (event) => fromTarget(event) ? events.onMessage(event.data) : undefined,
          messageerror: (event) => fromTarget(event) ? events.onUnreadable() : undefined
        })
      },
      close: () => undefined
    }, options)
  })

/**
 * A listener for ports that arrive: each `connect` event of a `SharedWorker`'s `self` is a connection.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = Effect.fnUntraced(function*(
  self: Target,
  options: MessagePortOptions & { readonly address?: string | undefined } = {}
): Effect.fn.Return<Listener.Listener, never, Scope.Scope> {
  const { connections } = Limits.make(options.limits)
  const arrivals = yield* Listener.arrivals(connections)
  const onPort = (port: Port) => {
    const refuse = Effect.sync(() => port.close?.())
    if (!Queue.offerUnsafe(arrivals, { open: make(port, options), refuse })) port.close?.()
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => listen(self, { connect: ({ ports = [] }) => ports.forEach(onPort) })),
    (stop) => Effect.sync(stop)
  )
  return Listener.make({ address: options.address ?? "port:", accept: Queue.take(arrivals), connections })
})

/**
 * The listener for ports that arrive as a Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (
  self: Target,
  options: MessagePortOptions & { readonly address?: string | undefined } = {}
): Layer.Layer<Listener.Listener> => Layer.effect(Listener.Listener, makeListener(self, options))

const listen = (target: Target, listeners: Readonly<Record<string, (event: PortEvent) => void>>): () => void => {
  const all = Object.entries(listeners)
  for (const [type, listener] of all) target.addEventListener(type, listener)
  return () => {
    for (const [type, listener] of all) target.removeEventListener(type, listener)
  }
}

/** Whether a browser could give this as the `origin` of an event. */
const isOrigin = (origin: string): boolean =>
  /^https?:/i.test(origin)
    ? URL.canParse(origin) && new URL(origin).origin === origin
    : /^[a-z][a-z0-9+.-]*:\/\/[^/?#*\s]+$/.test(origin)
