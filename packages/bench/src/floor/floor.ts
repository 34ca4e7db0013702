/**
 * The floor: what a hand-written program does that knows nothing but the happy path.
 *
 * `JSON.parse` and `JSON.stringify`, a Map of promises, one write per turn. Ratios refer to this code, so it must not
 * change.
 */
import { Buffer } from "node:buffer"

/** Methods of Node's buffers that their types do not show. */
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string
    utf8Slice(start?: number, end?: number): string
  }
}

type On = (text: string) => void

export const lines = (on: On): On => {
  let buf = ""
  return (s) => {
    buf = buf === "" ? s : buf + s
    let i
    let p = 0
    while ((i = buf.indexOf("\n", p)) >= 0) {
      on(buf.slice(p, i))
      p = i + 1
    }
    buf = buf.slice(p)
  }
}

/** Content-Length deframer (Buffer based, chunk list; linear). */
export const clDeframe = (on: On): (b: Buffer) => void => {
  let chunks: Array<Buffer> = []
  let size = 0
  let need = -1
  return (b) => {
    chunks.push(b)
    size += b.length
    for (;;) {
      if (need < 0) {
        const buf = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
        chunks = [buf]
        const i = buf.indexOf("\r\n\r\n")
        if (i < 0) return
        const h = buf.latin1Slice(0, i)
        const k = h.indexOf("Content-Length: ")
        need = parseInt(h.slice(k + 16), 10)
        chunks = [buf.subarray(i + 4)]
        size = buf.length - i - 4
      }
      if (size < need) return
      const buf = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      on(buf.utf8Slice(0, need))
      chunks = [buf.subarray(need)]
      size = buf.length - need
      need = -1
      if (size === 0) {
        chunks = []
        return
      }
    }
  }
}

export const floorServer = (write: On): On => (t) => {
  const m = JSON.parse(t)
  write(JSON.stringify({ jsonrpc: "2.0", result: m.params, id: m.id }))
}

interface Pending {
  readonly res: (value: unknown) => void
  readonly rej: (error: unknown) => void
}

export const floorClient = (write: On) => {
  let n = 0
  const pend = new Map<unknown, Pending>()
  return {
    pend,
    call: (p: unknown) =>
      new Promise((res, rej) => {
        const id = ++n
        pend.set(id, { res, rej })
        write(JSON.stringify({ jsonrpc: "2.0", method: "echo", params: p, id }))
      }),
    recv: (t: string) => {
      const m = JSON.parse(t)
      const e = pend.get(m.id)
      pend.delete(m.id)
      if (e) {
        if (m.error) e.rej(m.error)
        else e.res(m.result)
      }
    }
  }
}

/** Corking writer: one socket.write per macrotask turn. */
export const batched = (w: On): On => {
  let q = ""
  let sched = false
  return (s) => {
    q += s
    if (!sched) {
      sched = true
      setImmediate(() => {
        sched = false
        const x = q
        q = ""
        w(x)
      })
    }
  }
}

export const withHeader = (t: string): string => `Content-Length: ${Buffer.byteLength(t)}\r\n\r\n${t}`

/** In memory a text crosses by a microtask. */
export const q = (f: On): On => (t) => queueMicrotask(() => f(t))
