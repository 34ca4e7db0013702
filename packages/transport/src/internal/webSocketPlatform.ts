/**
 * The common interface of WebSockets of different makers, and the parts that only some have.
 *
 * Browsers, Deno and Node.js have the standard interface. The `ws` package, and
 * those like it, can also pause, ping and terminate, and report when a message was
 * written. Each of these members is checked before it is used.
 */
import type * as Socket from "effect/socket/Socket"

/** A WebSocket with the members that some platforms have beyond the standard interface. */
export interface Platform extends Socket.WebSocketLike {
  readonly bufferedAmount?: number
  readonly isPaused?: boolean
  binaryType?: string
  pause?(): void
  resume?(): void
  ping?(): void
  terminate?(): void
  on?(event: string, listener: Listener): unknown
  off?(event: string, listener: Listener): unknown
  send(data: string | Uint8Array<ArrayBuffer>, written?: (error?: unknown) => void): void
}

type Listener = (first?: unknown, second?: unknown) => void

// `Platform` only adds optional members.
export const platformOf = (socket: Socket.WebSocketLike): Platform => socket as Platform

/** `readyState`, of the standard interface. */
export const states = { connecting: 0, open: 1, closed: 3 } as const

/** The events of a WebSocket. */
export interface Events {
  readonly onOpen: () => void
  /** A text, with its size in bytes if that is known; bytes; or another value. */
  readonly onMessage: (data: unknown, bytes?: number) => void
  /** A ping or a pong: the other side is there. */
  readonly onHeard: () => void
  readonly onError: (cause: unknown) => void
  readonly onClose: (code: number, text: string) => void
}

/** Calls the events from now on. Returns how to stop that. */
export const listen = (socket: Platform, events: Events): () => void => {
  const { off, on } = socket
  return on === undefined || off === undefined
    ? listenStandard(socket, events)
    : listenEmitter(socket, on.bind(socket), off.bind(socket), events)
}

const listenStandard = (socket: Platform, events: Events): () => void => {
  if (socket.binaryType !== undefined) socket.binaryType = "arraybuffer"
  const onOpen = () => events.onOpen()
  const onMessage = ({ data }: Socket.WebSocketEvent) =>
    events.onMessage(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
  const onError = (event: Socket.WebSocketEvent) => events.onError(causeOf(event))
  const onClose = ({ code, reason }: Socket.WebSocketEvent) => events.onClose(code ?? 1006, reason ?? "")
  socket.addEventListener("open", onOpen)
  socket.addEventListener("message", onMessage)
  socket.addEventListener("error", onError)
  socket.addEventListener("close", onClose)
  return () => {
    socket.removeEventListener("open", onOpen)
    socket.removeEventListener("message", onMessage)
    socket.removeEventListener("error", onError)
    socket.removeEventListener("close", onClose)
  }
}

/** `ws` has the standard events, too, but they cost an object per message and leave out pongs. */
const listenEmitter = (
  socket: Platform,
  on: (event: string, listener: Listener) => unknown,
  off: (event: string, listener: Listener) => unknown,
  events: Events
): () => void => {
  if (socket.binaryType !== undefined) socket.binaryType = "nodebuffer"
  const listeners: Readonly<Record<string, Listener>> = {
    open: events.onOpen,
    message: (data, isBinary) => {
      if (isBinary === true || !(data instanceof Uint8Array)) events.onMessage(data)
      // The buffer of a text, found to be UTF-8 already.
      else events.onMessage(data.toString(), data.length)
    },
    ping: () => events.onHeard(),
    pong: () => events.onHeard(),
    error: events.onError,
    close: (code, text) => events.onClose(typeof code === "number" ? code : 1006, String(text ?? ""))
  }
  for (const [event, listener] of Object.entries(listeners)) on(event, listener)
  return () => {
    for (const [event, listener] of Object.entries(listeners)) off(event, listener)
  }
}

/** Node.js gives a cause with an error; browsers give none. */
const causeOf = (event: Socket.WebSocketEvent): unknown => {
  if ("error" in event && event.error !== undefined && event.error !== null) return event.error
  if ("message" in event && typeof event.message === "string" && event.message !== "") return new Error(event.message)
  return new Error("the WebSocket failed, and the platform gives no reason")
}

/** `ws` refuses a message by the length in its header, and closes with code 1009. */
export const isTooLarge = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
