/** WebSockets in the hands of the test: what happens on them happens when the test says so. */
import type { Socket } from "effect/socket"

type Listener = (event: Socket.WebSocketEvent) => void

/** The standard interface, as a browser has it. */
export class Standard implements Socket.WebSocketLike {
  readyState: number
  bufferedAmount = 0
  binaryType = "blob"
  readonly sent: Array<string | Uint8Array> = []
  readonly closings: Array<readonly [number | undefined, string | undefined]> = []
  /** Whether a closing is answered at once. */
  answers = true
  private readonly listeners = new Map<string, Set<Listener>>()

  constructor(readyState = 1) {
    this.readyState = readyState
  }

  get listening(): number {
    let count = 0
    for (const listeners of this.listeners.values()) count += listeners.size
    return count
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.listeners.get(type)
    if (listeners === undefined) this.listeners.set(type, new Set([listener]))
    else listeners.add(listener)
  }

  removeEventListener(type: string, listener: Listener): void {
    this.listeners.get(type)?.delete(listener)
  }

  send(data: string | Uint8Array): void {
    if (this.readyState === 1) this.sent.push(data)
  }

  close(code?: number, text?: string): void {
    if (code !== undefined && code !== 1000 && (code < 3000 || code > 4999)) throw new Error("InvalidAccessError")
    if (this.readyState >= 2) return
    this.closings.push([code, text])
    this.readyState = 2
    if (this.answers) this.end(code ?? 1005)
  }

  open(): void {
    this.readyState = 1
    this.happen("open", {})
  }

  message(...messages: ReadonlyArray<unknown>): void {
    for (const data of messages) this.happen("message", { data })
  }

  fail(event: object = {}): void {
    this.happen("error", event)
  }

  end(code: number, reason = ""): void {
    this.readyState = 3
    this.happen("close", { code, reason })
  }

  private happen(type: string, event: Socket.WebSocketEvent): void {
    for (const listener of [...this.listeners.get(type) ?? []]) listener(event)
  }
}

/** The same with what `ws` has beyond it. */
export class Extended extends Standard {
  isPaused = false
  pings = 0
  terminated = false
  private readonly emitted = new Map<string, (first?: unknown, second?: unknown) => void>()

  override get listening(): number {
    return this.emitted.size
  }

  on(event: string, listener: (first?: unknown, second?: unknown) => void): void {
    this.emitted.set(event, listener)
  }

  off(event: string): void {
    this.emitted.delete(event)
  }

  emit(event: string, first?: unknown, second?: unknown): void {
    this.emitted.get(event)?.(first, second)
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  ping(): void {
    this.pings++
  }

  terminate(): void {
    this.terminated = true
    this.end(1006)
  }

  override message(...messages: ReadonlyArray<string>): void {
    for (const text of messages) this.emit("message", new Text(text), false)
  }

  override end(code: number, reason = ""): void {
    this.readyState = 3
    this.emit("close", code, reason)
  }
}

/** Bytes that are read as their text, as a `Buffer` is. */
class Text extends Uint8Array {
  constructor(text: string) {
    super(new TextEncoder().encode(text))
  }

  override toString(): string {
    return new TextDecoder().decode(this)
  }
}
