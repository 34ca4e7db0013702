import { assert, describe, it } from "@effect/vitest"
import { Bytes } from "@parley/protocol/shared"

describe("the bytes of a body", () => {
  const text = "{\"é\":[1,2,3]}".repeat(2_000)
  const whole = new TextEncoder().encode(text)

  const sizes = [1, 7, 4_095, 4_096, 9_000, whole.length]
  // A body that was decompressed is longer than its head says.
  const announced = [undefined, 7, whole.length]
  const cases = sizes.flatMap((size) => announced.map((announced) => [size, announced] as const))

  it.each(cases)("are the same in chunks of %i, announced as %s", (size, announced) => {
    const bytes = new Bytes.Bytes(announced)
    for (let at = 0; at < whole.length; at += size) bytes.add(whole.slice(at, at + size))
    assert.strictEqual(bytes.size, whole.length)
    assert.strictEqual(bytes.text(), text)
  })

  it("keep neither the buffer of a single byte nor one that is much larger than its chunk", () => {
    const bytes = new Bytes.Bytes(5_001)
    const slab = new Uint8Array(1024 * 1024)
    slab.set(whole.subarray(0, 5_000))
    bytes.add(slab.subarray(0, 5_000))
    const single = new Uint8Array(64 * 1024).fill(0x20)
    bytes.add(single.subarray(0, 1))
    // What was kept is a copy: changing the source changes nothing.
    slab.fill(0)
    single.fill(0)
    assert.deepStrictEqual(bytes.join().subarray(0, 5_000), whole.subarray(0, 5_000))
    assert.strictEqual(bytes.join()[5_000], 0x20)
  })

  it("are not copied where they come in one piece", () => {
    const bytes = new Bytes.Bytes(3)
    const chunk = whole.subarray(0, 3)
    bytes.add(chunk)
    assert.strictEqual(bytes.join().buffer, chunk.buffer)
  })
})
