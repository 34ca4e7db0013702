/** An audience keeps nothing of those who have left it. */
import { assert, describe, it } from "@effect/vitest"
import { Audience, Recipient } from "../../src/internal/broadcast/Audience.ts"
import type { Leaving } from "../../src/internal/broadcast/Change.ts"
import type { Entry } from "../../src/internal/broadcast/RecipientQueue.ts"

class Named extends Recipient<Entry, string> {
  readonly face: string
  readonly ends: Array<Leaving> = []

  constructor(audience: Audience<Entry, string>, face: string) {
    super(audience)
    this.face = face
  }

  protected take(): boolean {
    return true
  }

  left(reason: Leaving): void {
    this.ends.push(reason)
  }
}

const make = () => {
  const audience = new Audience<Entry, string>({ messages: 8, bytes: 8, changes: 8, groups: 8, slow: "sliding" })
  const ada = new Named(audience, "Ada")
  const bob = new Named(audience, "Bob")
  for (const recipient of [ada, bob]) {
    audience.enter(recipient)
    audience.enter(recipient, "room")
  }
  return { audience, ada, bob }
}

describe("an audience", () => {
  it("forgets a group when the last one has gone out of it, or has ended", () => {
    const { ada, audience, bob } = make()
    audience.exit(ada, "room")
    assert.deepStrictEqual(audience.facesOf("room"), ["Bob"])
    audience.remove(bob, "ended")
    assert.isUndefined(audience.find("room"))
    assert.deepStrictEqual([audience.facesOf(undefined), ada.ends, bob.ends], [["Ada"], [], ["ended"]])
  })

  it("forgets who has watched, and a group that was only watched", () => {
    const { ada, audience } = make()
    const heard: Array<string> = []
    const watch = { hear: (face: string) => heard.push(face), end: () => heard.push("end") }
    const [room, empty] = [audience.watch("room", watch), audience.watch("empty", watch)]
    audience.exit(ada, "room")
    room()
    empty()
    audience.enter(ada, "room")
    audience.close()
    assert.deepStrictEqual(heard, ["Ada"])
    assert.isUndefined(audience.find("empty"))
  })
})
