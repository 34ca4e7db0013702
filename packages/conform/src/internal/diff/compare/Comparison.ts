/** Two contracts side by side: what their schemas contain of each other, and the changes that were found. */
import { Excerpt } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import * as Values from "../../values/Values.ts"
import { Containment } from "../containment/Containment.ts"
import { followed } from "../containment/equality.ts"
import { type Answer, found } from "../containment/Goal.ts"
import { fits, type SchemaNode } from "../containment/SchemaNode.ts"
import type { Surface } from "../Surface.ts"
import type { Change, RuleId, ValueDirection } from "./Change.ts"

/** Where a comparison stands: the operation, the place in it, and who sends the values there. */
export interface Place {
  readonly operation: string
  readonly path: string
  readonly direction: ValueDirection
  /** The first word of rules about it. */
  readonly subject: "param" | "result" | "error"
}

/** The parts of a change. */
export interface Found extends Pick<Change, "message" | "verdict"> {
  readonly rule: RuleId
  readonly place: Place
  readonly witness?: Schema.Json | undefined
  readonly reason?: string | undefined
  readonly before?: SchemaNode | undefined
  readonly after?: SchemaNode | undefined
}

export class Comparison {
  readonly before: Surface
  readonly after: Surface
  readonly #old: Containment
  readonly #new: Containment

  constructor(before: Surface, after: Surface, isStrict: boolean) {
    this.before = before
    this.after = after
    this.#old = new Containment(before.nodes, isStrict)
    this.#new = new Containment(after.nodes, isStrict)
  }

  /** The containment for the side that sends the values of a node. */
  #of(node: SchemaNode): Containment {
    return node.document === this.before.nodes ? this.#old : this.#new
  }

  /** A value that is sent and not accepted. Where that is not found out, values that are sent are tried. */
  counterexample(sent: SchemaNode, accepted: SchemaNode): Answer {
    const answer = this.#of(sent).counterexample([sent], accepted)
    if (answer._tag !== "Unknown") return answer
    const value = Values.make(sent.document.standalone(sent)).edges.find((value) => fits(accepted, value) === false)
    return value === undefined ? answer : found(value)
  }

  /** A value that is sent and fits the others, too. */
  example(sent: SchemaNode, ...others: ReadonlyArray<SchemaNode>): Answer {
    return this.#of(sent).example(sent, ...others)
  }

  areEqual(before: SchemaNode, after: SchemaNode): boolean {
    return this.#old.areEqual(before, after)
  }
}

/** A change as it is reported. */
export const changeOf = ({ after, before, message, place, reason, rule, verdict, witness }: Found): Change => ({
  rule,
  verdict,
  direction: place.direction,
  operation: place.operation,
  others: [],
  place: place.path,
  message,
  ...witness !== undefined && { witness },
  ...reason !== undefined && { reason },
  ...before !== undefined && after !== undefined
    && { schemas: { before: followed(before).pointer, after: followed(after).pointer } }
})

/** The name of a member in a place: in quotes where the place could not be read otherwise. */
export const nameOf = (key: string): string =>
  /^[^\s.[\]"]+$/.test(key) ? Excerpt.line(key, longestName) : Excerpt.quoted(key, longestName)

const longestName = 128

/** Why a schema refuses a value. */
export const refusal = (node: SchemaNode, value: Schema.Json): string | undefined => {
  const issue = node.document.issueOf(node, value)
  if (issue === undefined) return undefined
  const path = issue.path.map((key) => typeof key === "number" ? `[${key}]` : `.${nameOf(key)}`).join("")
  return path === "" ? issue.rule : `${path.replace(/^\./, "")}: ${issue.rule}`
}
