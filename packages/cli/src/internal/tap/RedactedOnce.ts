/**
 * Leaves the secrets of a text out once, where it is recorded first and shown then.
 */

/** Both sides of a tap: each may come without the other. */
export interface RedactedOnce {
  /** The text without secrets, which is remembered until it is shown or the next one comes. */
  readonly recorded: (text: string) => string
  readonly shown: (text: string) => string
}

/** Remembers one text: it may be as large as a frame. */
export const make = (redact: (text: string) => string): RedactedOnce => {
  let last: { readonly text: string; readonly redacted: string } | undefined
  return {
    recorded: (text) => {
      const redacted = redact(text)
      last = { text, redacted }
      return redacted
    },
    shown: (text) => {
      if (last?.text !== text) return redact(text)
      const { redacted } = last
      last = undefined
      return redacted
    }
  }
}
