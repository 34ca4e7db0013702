/**
 * The subjects to which replies may go. Callers choose them.
 */
import type { Msg } from "@nats-io/transport-node"
import { Excerpt } from "@parley/protocol/shared"
import { BoundedLog } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import * as Status from "./Status.ts"

/** The option of services and conversations. */
export interface Options {
  /** The subjects to which replies may go, with the wildcards of NATS; any but those below `$` by default. */
  readonly replies?: string | ReadonlyArray<string> | undefined
}

export interface Replies {
  /** Where the reply of a message goes; `undefined` for nowhere, and `refused` where it wants one that is not allowed. */
  readonly of: (message: Pick<Msg, "reply">) => { readonly subject: string } | undefined | "refused"
  /** Writes that a message was refused, so many times in a minute at most. */
  readonly tell: (at: string, message: Pick<Msg, "reply">) => Effect.Effect<void>
}

export const make = ({ replies }: Options): Replies => {
  const patterns = replies === undefined ? undefined : typeof replies === "string" ? [replies] : replies
  const line = BoundedLog.make()
  return {
    of: (message) => {
      const subject = Status.replyOf(message)
      if (patterns === undefined) return subject === undefined ? undefined : { subject }
      const { reply = "" } = message
      if (reply === "") return undefined
      return subject !== undefined && patterns.some((pattern) => matches(pattern, subject)) ? { subject } : "refused"
    },
    tell: (at, { reply = "" }) =>
      line((others) =>
        Effect.logWarning(
          // escaped: `others` is ours
          `Refused a message on ${Excerpt.line(at)} that wants its reply at ${
            Excerpt.quoted(reply)
          }, which the option replies does not allow${others}`
        )
      )
  }
}

/** Whether a subject without wildcards matches a pattern: `*` is one token, and `>` at the end is one or more. */
const matches = (pattern: string, subject: string): boolean => {
  const wanted = pattern.split(".")
  const tokens = subject.split(".")
  if (tokens.some((token) => token === "" || token === "*" || token === ">")) return false
  return wanted.at(-1) === ">"
    ? tokens.length >= wanted.length && wanted.slice(0, -1).every((token, index) => isToken(token, tokens[index]))
    : tokens.length === wanted.length && wanted.every((token, index) => isToken(token, tokens[index]))
}

const isToken = (wanted: string, token: string | undefined): boolean => wanted === "*" || wanted === token
