/** The borders of a conversation are narrow: what its lanes and its host offer can be held in the head. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { membersOf } from "../architecture/members.ts"

const root = join(import.meta.dirname, "../..")

/** The borders of a conversation, with what they inherit, and how many members they have together at most. */
const borders = [
  ["packages/peer/src/internal/conversation/Lane.ts", "Lane"],
  ["packages/peer/src/internal/conversation/Lane.ts", "Answers"],
  ["packages/peer/src/Correlator.ts", "CallOwner"],
  ["packages/peer/src/internal/incoming/IncomingCall.ts", "Sink"],
  ["packages/peer/src/internal/conversation/Port.ts", "Port"],
  ["packages/peer/src/internal/runtime/Host.ts", "Host"]
] as const
// Two are those by which a login reaches the handlers: `Host.holding` and `Host.hold`.
const most = 26

describe("the members of a declaration", () => {
  it("are those that others can see, each once, and those of the types in it", () => {
    const text = `
export abstract class Wide<A> extends Other {
  /** Not a member: */
  first: number | undefined = undefined
  readonly #hidden = 1
  private readonly own = 2

  constructor(first: number) {
    super()
    this.first = first
  }

  get second(): number {
    return this.first
  }

  set second(value: number) {
    this.first = value
  }

  abstract third(
    text: string
  ): number

  fourth?(call: A): void
  readonly fifth: {
    readonly inner: () => void
    readonly other: number
  }
}

interface Wider {
  readonly no: number
}
`
    const names = ["first", "second", "third", "fourth", "fifth", "fifth.inner", "fifth.other"]
    assert.deepStrictEqual(membersOf(text, "Wide"), names)
    assert.deepStrictEqual(membersOf(text, "Wider"), ["no"])
    assert.deepStrictEqual(membersOf(text, "Absent"), [])
  })
})

it("of the lanes and the host of a conversation are few", () => {
  const members = borders.flatMap(([path, name]) =>
    membersOf(readFileSync(join(root, path), "utf8"), name).map((member) => `${name}.${member}`)
  )
  for (const [, name] of borders) assert.isTrue(members.some((member) => member.startsWith(`${name}.`)), name)
  assert.isAtMost(members.length, most, members.join(", "))
  // With what it inherits: a lane knows its wire, and no rule.
  const lane = members.filter((member) => /^(?:Lane|Sink)\./.test(member))
  assert.isAtMost(lane.length, 8, lane.join(", "))
})
