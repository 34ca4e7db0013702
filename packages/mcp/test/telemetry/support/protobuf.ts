/**
 * The part of OTLP that the tests look at, from protobuf to the names that it has in JSON.
 *
 * The numbers are those of `opentelemetry/proto` 1.x: `trace.proto`, `metrics.proto`, `common.proto`, `resource.proto`.
 */
type Read = (bytes: Buffer) => unknown

interface Field {
  readonly name: string
  readonly isMany?: boolean
  /** From the bytes of the field; a number of the wire is its own value. */
  readonly read?: Read
}

type Fields = Readonly<Record<number, Field>>

/** The wire types of protobuf: a number of seven bits a byte, eight or four bytes, bytes with their length before them. */
const varint = 0
const fixed64 = 1
const delimited = 2
const fixed32 = 5

const widths: Readonly<Record<number, number>> = { [fixed64]: 8, [fixed32]: 4 }

const text: Read = (bytes) => bytes.toString()
const hex: Read = (bytes) => bytes.toString("hex")

const doubles: Read = (bytes) => Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readDoubleLE(index * 8))

const message = (fields: Fields): Read => (bytes) => {
  const found: Record<string, unknown> = {}
  let at = 0
  const number = () => {
    let value = 0n
    for (let shift = 0n;; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return Number(BigInt.asIntN(64, value))
    }
  }
  const value = (wireType: number): number | Buffer => {
    if (wireType === varint) return number()
    const length = wireType === delimited ? number() : widths[wireType]
    if (length === undefined) throw new Error(`the wire type ${wireType} is not of OTLP`)
    at += length
    const field = bytes.subarray(at - length, at)
    if (wireType === fixed64) return Number(field.readBigUInt64LE())
    return wireType === fixed32 ? field.readUInt32LE() : field
  }
  while (at < bytes.length) {
    const tag = number()
    const raw = value(tag & 7)
    const field = fields[tag >> 3]
    if (field === undefined) continue
    const { isMany, name, read } = field
    const one = read !== undefined && Buffer.isBuffer(raw) ? read(raw) : raw
    found[name] = isMany === true ? [...(found[name] as Array<unknown> | undefined) ?? [], one] : one
  }
  return found
}

const anyValue = message({
  1: { name: "stringValue", read: text },
  2: { name: "boolValue" },
  3: { name: "intValue" }
})

const keyValue = message({ 1: { name: "key", read: text }, 2: { name: "value", read: anyValue } })

const attributes: Field = { name: "attributes", isMany: true, read: keyValue }

const resource: Field = { name: "resource", read: message({ 1: attributes }) }

const span = message({
  1: { name: "traceId", read: hex },
  2: { name: "spanId", read: hex },
  4: { name: "parentSpanId", read: hex },
  5: { name: "name", read: text },
  6: { name: "kind" },
  9: attributes,
  15: { name: "status", read: message({ 2: { name: "message", read: text }, 3: { name: "code" } }) }
})

const point = message({
  4: { name: "count" },
  7: { name: "explicitBounds", read: doubles },
  9: attributes
})

const histogram = message({ 1: { name: "dataPoints", isMany: true, read: point } })

const metric = message({
  1: { name: "name", read: text },
  3: { name: "unit", read: text },
  9: { name: "histogram", read: histogram }
})

/** An export: groups by resource, in each the scopes, in each the items. */
const exportOf = (group: string, scope: string, items: string, item: Read): Read =>
  message({
    1: {
      name: group,
      isMany: true,
      read: message({
        1: resource,
        2: { name: scope, isMany: true, read: message({ 2: { name: items, isMany: true, read: item } }) }
      })
    }
  })

export const traces = exportOf("resourceSpans", "scopeSpans", "spans", span)
export const metrics = exportOf("resourceMetrics", "scopeMetrics", "metrics", metric)
