/** Stdio: one message in one line. */
import { StringDecoder } from "node:string_decoder"
import { is, type Json } from "./options.ts"

/** The longest line that is read. */
const most = 8 * 1024 * 1024

/** Writes a message as one line. */
export const write = (message: unknown): void => {
  process.stdout.write(`${JSON.stringify(message, null, is("message-in-lines") ? 2 : 0)}\n`)
}

/** Reads lines until the input ends. `tooLong` is written for a line of more than 8 MiB. */
export const serve = (receive: (line: string) => void, tooLong: Json): void => {
  if (is("stdout-noise")) process.stdout.write("Specimen is listening on stdio\n")
  const decoder = new StringDecoder("utf8")
  let rest = ""
  let isSkipping = false
  process.stdin.on("data", (chunk: Buffer) => {
    const text = is("characters-cut") ? chunk.toString("utf8") : decoder.write(chunk)
    if (is("chunk-as-message")) return receive(text)
    const lines = `${rest}${text}`.split("\n")
    rest = lines.pop() ?? ""
    if (is("one-message-of-chunk")) lines.splice(1)
    for (const line of lines) {
      if (!isSkipping && line.trim() !== "") receive(line)
      isSkipping = false
    }
    if (rest.length > most) {
      if (!isSkipping) write(tooLong)
      isSkipping = true
      rest = ""
    }
  })
  // When the input has ended and the last answer is written, nothing keeps the process alive.
  if (is("end-ignored")) setInterval(() => undefined, 1000)
}
