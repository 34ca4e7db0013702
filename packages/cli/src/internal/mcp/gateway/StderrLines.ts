/**
 * The lines of a server's stderr, which comes in chunks that end anywhere.
 */

/** Characters of a line: a longer one is told in parts, as a server may never end one. */
const longest = 4_096

export class StderrLines {
  readonly #tell: (line: string) => void
  #rest = ""

  constructor(tell: (line: string) => void) {
    this.#tell = tell
  }

  add(text: string): void {
    const lines = (this.#rest + text).split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) this.#say(line)
    while (this.#rest.length > longest) {
      this.#say(this.#rest.slice(0, longest))
      this.#rest = this.#rest.slice(longest)
    }
  }

  /** The server has ended: its last line may have no end. */
  end(): void {
    this.#say(this.#rest)
    this.#rest = ""
  }

  #say(line: string): void {
    const text = line.trimEnd()
    if (text !== "") this.#tell(text)
  }
}
