/** Of the messages of protocol. */
import type { AcceptedSurvivors } from "../Survivor.ts"

export const messages: AcceptedSurvivors = {
  "packages/protocol/src/Message.ts": [
    {
      line: `if (typeof json !== "object" || json === null || Array.isArray(json)) return invalid(null, objectRul`,
      mutators: ["ConditionalExpression"],
      reason: "another rule is named, for the same error"
    }
  ],
  "packages/protocol/src/internal/number/rawJson.ts": [
    {
      line: "export const isRawJson = (value: unknown): value is RawJson => json.isRawJSON?.(value) === true",
      mutators: ["OptionalChaining"],
      reason: "every runtime that the tests know has JSON.rawJSON"
    }
  ],
  "packages/protocol/src/shared/RequestId.ts": [
    {
      line: "function exactUnsafe(text: string): ExactId {",
      mutators: ["BlockStatement"],
      reason: "only what makes up values for properties uses it"
    },
    {
      line: `if (json.rawJSON === undefined) throw new TypeError("this runtime has no JSON.rawJSON")`,
      mutators: ["CallExpression", "ConditionalExpression"],
      reason: "every runtime that the tests know has JSON.rawJSON"
    }
  ],
  "packages/protocol/src/internal/loose.ts": [
    {
      line: `if (typeof json !== "object" || json === null) return undefined`,
      mutators: ["ConditionalExpression"],
      reason: "what has no members has no code either"
    }
  ],
  "packages/protocol/src/internal/members.ts": [
    {
      line: `while (at < text.length && text[at] !== "]") {`,
      mutators: ["ConditionalExpression", "EqualityOperator", "LogicalOperator"],
      reason: "in a text that does not end, stepping over nothing ends the loop"
    },
    {
      line: "for (let at = start; at < text.length; at++) {",
      mutators: ["EqualityOperator"],
      reason: "in a text that does not end, stepping over nothing ends the loop"
    }
  ]
}
