/**
 * Uses and results of tools in a conversation with a model (2025-11-25, sampling, "Message Content Constraints"): each
 * message of the model that uses tools is followed by one of the user that has the result of each use, and nothing else.
 */
import { blocks, type SampleMessage } from "../../payload/Sampling.ts"
import * as WireIssue from "../../wire/WireIssue.ts"

/** The first breach of the balance, with its place in the messages. */
export const imbalanceOf = (messages: ReadonlyArray<SampleMessage>): WireIssue.WireIssue | undefined => {
  let uses: ReadonlySet<string> = new Set()
  for (const [index, message] of messages.entries()) {
    const rule = ruleOf(message, uses)
    if (rule !== undefined) return WireIssue.make(rule, ["messages", index])
    uses = new Set(blocks(message).flatMap((block) => block.type === "tool_use" ? [block.id] : []))
  }
  return uses.size === 0 ? undefined : WireIssue.make(`${missing(uses)}, and no message follows`, ["messages"])
}

/** The rule that a message breaks after one that uses these tools. */
const ruleOf = (message: SampleMessage, uses: ReadonlySet<string>): string | undefined => {
  const all = blocks(message)
  const results = all.flatMap((block) => block.type === "tool_result" ? [block.toolUseId] : [])
  const own = all.flatMap((block) => block.type === "tool_use" ? [block.id] : [])
  if (own.length > 0 && message.role !== "assistant") return "only the assistant uses tools"
  if (new Set(own).size < own.length) return "two uses of tools have one id"
  if (results.length > 0 && message.role !== "user") return "only the user has results of tools"
  if (results.length > 0 && results.length < all.length) return "results of tools are mixed with other content"
  const left = new Set(uses)
  const foreign = results.find((id) => !left.delete(id))
  if (foreign !== undefined) return `the result ${JSON.stringify(foreign)} is of no use of a tool in the message before`
  return left.size > 0 ? missing(left) : undefined
}

const missing = (ids: ReadonlySet<string>): string =>
  `the result of the tool use ${JSON.stringify([...ids][0])} is missing`
