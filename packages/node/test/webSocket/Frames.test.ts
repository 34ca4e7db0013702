import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Frames } from "../../src/internal/webSocket/Frames.ts"

const sizes = [0, 1, 125, 126, 65_535, 65_536] as const

const Data = Schema.Struct({
  opcode: Schema.Literal(0),
  isLast: Schema.Boolean,
  isMasked: Schema.Boolean,
  size: Schema.Literals(sizes)
})

const Control = Schema.Struct({
  opcode: Schema.Literals([8, 9]),
  isLast: Schema.Literal(true),
  isMasked: Schema.Boolean,
  size: Schema.Literals([0, 1, 125])
})

type Spec = typeof Data.Type | typeof Control.Type

/** RFC 6455, 5.2. Control frames are short, and last. */
const bytesOf = ({ isLast, isMasked, opcode, size }: Spec): ReadonlyArray<number> => {
  const mask = isMasked ? 0x80 : 0
  const long = [24, 16, 8, 0].map((bits) => size >>> bits & 0xff)
  const length = size < 126 ? [size] : size < 65_536 ? [126, ...long.slice(2)] : [127, 0, 0, 0, 0, ...long]
  const [first = 0, ...rest] = length
  return [
    (isLast ? 0x80 : 0) | opcode,
    first | mask,
    ...rest,
    ...new Uint8Array(isMasked ? 4 : 0),
    ...new Uint8Array(size)
  ]
}

const Cut = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400_000 }))

const expected = (specs: ReadonlyArray<Spec>) => {
  let messages = 0
  let fragments = 0
  for (const { isLast, opcode, size } of specs) {
    if (opcode !== 0) continue
    if (isLast) messages++
    fragments = isLast ? 0 : fragments + (size > 0 ? 1 : 0)
  }
  return { messages, fragments, isUnfinished: fragments > 0 }
}

describe("the frames of a WebSocket", () => {
  it.prop(
    "promise 4: any way of cutting the bytes gives the same frames: of a WebSocket, with control frames in between",
    [Schema.Array(Schema.Union([Data, Control])), Schema.Array(Cut)],
    ([specs, cuts]) => {
      const bytes = Uint8Array.from(specs.flatMap(bytesOf))
      const frames = new Frames()
      const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
      ends.forEach((end, index) => frames.read(bytes.subarray(ends[index - 1] ?? 0, end)))
      const { fragments, isUnfinished, messages } = frames
      assert.deepStrictEqual({ messages, fragments, isUnfinished }, expected(specs))
    }
  )
})
