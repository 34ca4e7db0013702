/**
 * A raw client over TCP, in a process of its own: `node raw.ts PORT`. It is told `{ count, milliseconds }`, writes so
 * many requests at once, reads all answers, does that again until the time is over, and says how many answers came.
 */
import { connect } from "node:net"
import { small } from "../Subject.ts"

/** What it is told. */
export interface Ask {
  readonly count: number
  readonly milliseconds: number
}

const newline = 10

const socket = connect(Number(process.argv[2]), "127.0.0.1")
let missing = 0
let done: (() => void) | undefined

socket.on("data", (bytes: Uint8Array) => {
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) missing--
  if (missing === 0) done?.()
})
socket.on("close", () => process.exit())
socket.on("error", () => process.exit())
process.on("disconnect", () => process.exit())

const texts = new Map<number, string>()

const textOf = (count: number): string => {
  const known = texts.get(count)
  if (known !== undefined) return known
  const lines = Array.from(
    { length: count },
    (_, id) => JSON.stringify({ jsonrpc: "2.0", id: id + 1, method: "rest", params: small }) + "\n"
  )
  const text = lines.join("")
  texts.set(count, text)
  return text
}

const round = (count: number): Promise<void> =>
  new Promise((resolve) => {
    done = resolve
    missing = count
    socket.write(textOf(count))
  })

process.on("message", ({ count, milliseconds }: Ask) => {
  const all = async () => {
    const end = performance.now() + milliseconds
    let answered = 0
    do {
      await round(count)
      answered += count
    } while (performance.now() < end)
    return answered
  }
  void all().then((answered) => process.send?.(answered))
})
socket.on("connect", () => process.send?.("ready"))
