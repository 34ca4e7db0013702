/** Foreign names: subjects, replies and addresses. */
import { assert, describe, it } from "@effect/vitest"
import type { Msg } from "@nats-io/transport-node"
import { isSubject, placeOf } from "../../src/internal/connection/Dial.ts"
import { replyOf } from "../../src/internal/Status.ts"

describe("what others name", () => {
  it("is a subject only where all of its tokens are some", () => {
    for (const subject of ["a", "a.b", "a.*.b", "a.>", ">", "*", "a>.b", "ä", "$SYS.a"]) {
      assert.isTrue(isSubject(subject), subject)
    }
    for (const subject of ["", ".", "a.", ".a", "a..b", "a b", "a\tb", "a\r\nPUB b", ">.a", "a.>.b"]) {
      assert.isFalse(isSubject(subject), subject)
    }
  })

  it("is no place for answers where the server itself listens", () => {
    const of = (reply?: string) => replyOf({ reply } as Msg)
    assert.strictEqual(of("_INBOX.a.$b"), "_INBOX.a.$b")
    for (const reply of [undefined, "", "$JS.API.STREAM.DELETE.a", "$SYS.REQ.a"]) assert.isUndefined(of(reply))
  })

  it("is told without passwords", () => {
    assert.strictEqual(placeOf("nats://user:pass@host:4222"), "nats://host:4222")
    assert.strictEqual(placeOf(["host:1", "user:p@ss@host:2", "tls://token@[::1]:3"]), "host:1,host:2,tls://[::1]:3")
  })
})
