/** A stream of JetStream, as far as engines and journals need it. */

export interface FakeMessage {
  readonly seq: number
  readonly subject: string
  readonly data: Uint8Array
  readonly headers: string
  readonly micros: number
}

export interface FakeConfig {
  readonly name: string
  readonly subjects: ReadonlyArray<string>
  readonly max_msgs_per_subject: number
  /** Nanoseconds. */
  readonly max_age: number
}

/** Whether a subject is one of a pattern. */
export const matches = (pattern: string, subject: string): boolean => {
  const [wanted, tokens] = [pattern.split("."), subject.split(".")]
  if (wanted.at(-1) === ">") {
    return tokens.length >= wanted.length &&
      wanted.slice(0, -1).every((token, at) => token === "*" || token === tokens[at])
  }
  return wanted.length === tokens.length && wanted.every((token, at) => token === "*" || token === tokens[at])
}

export class FakeStream {
  readonly config: FakeConfig
  /** Microseconds. */
  readonly created: number
  #messages: Array<FakeMessage> = []
  #last = 0

  constructor(config: FakeConfig, created: number) {
    this.config = config
    this.created = created
  }

  /** Those that are not too old. */
  messages(micros: number): ReadonlyArray<FakeMessage> {
    return this.#messages = this.#messages.filter((message) => message.micros > micros - this.config.max_age / 1_000)
  }

  /** Stores a message; the sequence that it should have followed, where that is wrong. */
  put(
    message: Omit<FakeMessage, "seq">,
    after: number | undefined
  ): { readonly seq: number } | { readonly last: number } {
    const same = this.messages(message.micros).filter(({ subject }) => subject === message.subject)
    const last = same.at(-1)?.seq ?? 0
    if (after !== undefined && after !== last) return { last }
    const stored = { ...message, seq: ++this.#last }
    this.#messages.push(stored)
    const { max_msgs_per_subject: most } = this.config
    if (most > 0 && same.length >= most) this.#messages = this.#messages.filter((message) => message !== same[0])
    return { seq: stored.seq }
  }

  purge(filter: string, before: number) {
    this.#messages = this.#messages.filter(({ seq, subject }) => seq >= before || !matches(filter, subject))
  }
}
