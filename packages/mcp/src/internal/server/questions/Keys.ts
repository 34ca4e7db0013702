/** The keys of one call. Each names one question or one `once`, so that an answer can have one meaning only. */
export class Keys {
  private readonly taken = new Set<string>()

  /** Throws where the key is taken: a handler that runs again would find the first answer under the second question. */
  take(key: string): void {
    if (this.taken.has(key)) {
      throw new Error(
        `the key ${JSON.stringify(key)} is used twice in one call: each question and each once needs its own`
      )
    }
    this.taken.add(key)
  }

  /** What failed, or was given up, may be tried again. */
  release(key: string): void {
    this.taken.delete(key)
  }
}
