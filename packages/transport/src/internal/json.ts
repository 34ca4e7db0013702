/**
 * JSON texts as values, and posted values as JSON texts.
 *
 * A posted value need not be JSON: it may have dates, maps or cycles, one object in
 * a thousand places, or an array of a billion holes. This module finds all of them
 * before `JSON.stringify` changes them silently or runs out of memory. It also says
 * what kind of message such a value would be.
 */
import type { BadFrame } from "@parley/protocol/Framing"
import * as Message from "@parley/protocol/Message"
import { Envelope } from "@parley/protocol/shared"
import * as Result from "effect/Result"

/** Why a value has no JSON text. */
export interface NoText {
  readonly reason: BadFrame["reason"]
  readonly what: string
}

/** The value of a JSON text, `undefined` when it is invalid. */
export const valueOf = (text: string): { readonly json: unknown } | undefined => {
  const value = Message.parse(text, anyDepth)
  return Result.isSuccess(value) ? { json: value.success } : undefined
}

const anyDepth = { depth: Number.POSITIVE_INFINITY }

/**
 * The JSON text of a value of at most so many UTF-16 units. Members that are `undefined` are left out, as JSON does,
 * but their names count.
 */
export const textOf = (value: unknown, limit: number): string | NoText => {
  const walk = new Walk(limit)
  try {
    walk.visit(value)
    return walk.found ?? JSON.stringify(value)
  } catch {
    // Too deep for the stack, as every cycle is; or a member that throws when it is looked at.
    return { reason: "NotText", what: "(too deep, or not readable)" }
  }
}

/** The claim of a value that has no text: its id, if it has one, and the kind of message that it would be. */
export const envelopeOf = (value: unknown): Envelope.Envelope => {
  try {
    const message: unknown = Array.isArray(value) ? value[0] : value
    if (typeof message !== "object" || message === null) return {}
    const members = names.filter((name) => Object.hasOwn(message, name) && memberOf(message, name) !== undefined)
    const text = `{${
      members.map((name) => `"${name}":${name === "id" ? idText(memberOf(message, name)) : 0}`).join(",")
    }}`
    return Envelope.ofText(Array.isArray(value) ? `[${text}]` : text)
  } catch {
    // A member that throws when it is looked at.
    return {}
  }
}

const names = ["id", "method", "result", "error"] as const

const memberOf = (message: object, name: (typeof names)[number]): unknown => Reflect.get(message, name)

/** A longer id is not repeated. */
const longestId = 256

const idText = (id: unknown): string =>
  id === null || (typeof id === "string" && id.length <= longestId) || (typeof id === "number" && Number.isFinite(id))
    ? JSON.stringify(id)
    : "{}"

/** The name of a value in a log. A bigint has none of its digits, because writing them may take minutes. */
export const nameOf = (value: unknown): string => {
  if (typeof value === "bigint") return "bigint"
  return typeof value === "object" && value !== null
    ? Object.prototype.toString.call(value)
    : `${typeof value} ${String(value)}`
}

/** Visits every part of a value until one is not JSON, or until there are too many. */
class Walk {
  found: NoText | undefined
  private left: number

  constructor(limit: number) {
    this.left = limit
  }

  visit(value: unknown): void {
    switch (typeof value) {
      case "string":
        return this.count(value.length + 2)
      case "boolean":
        return this.count(4)
      case "number":
        return Number.isFinite(value) ? this.count(1) : this.refuse(value)
      case "object":
        return value === null ? this.count(4) : this.visitObject(value)
      default:
        return this.refuse(value)
    }
  }

  private visitObject(value: object): void {
    if (Array.isArray(value)) {
      // Holes count: each would be written.
      this.count(value.length + 1)
      for (let index = 0; index < value.length && this.found === undefined; index++) this.visit(value[index])
      return
    }
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && prototype !== Object.prototype) return this.refuse(value)
    this.count(2)
    for (const [key, member] of Object.entries(value)) {
      if (this.found !== undefined) return
      // Members that are left out count as well: an object in many places is visited in each of them.
      this.count(key.length + 3)
      if (member !== undefined) this.visit(member)
    }
  }

  private count(units: number): void {
    this.left -= units
    if (this.left < 0) this.found ??= { reason: "TooLarge", what: "(an object)" }
  }

  private refuse(value: unknown): void {
    this.found ??= { reason: "NotText", what: nameOf(value) }
  }
}
