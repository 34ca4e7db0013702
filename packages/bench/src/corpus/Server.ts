/** A server that is asked with a text, and gives what it answers, or nothing. */
export interface Server {
  readonly ask: (text: string) => Promise<string | undefined>
  readonly close: () => unknown
}
