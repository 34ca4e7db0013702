/**
 * Holds what came for a text of the corpus against what has to come, for a server whose methods nobody knows: its results
 * and its own errors are any, and responses are told by their ids.
 */
import * as Batch from "@parley/protocol/Batch"
import { RequestId } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as Json from "../../probe/Json.ts"
import type { Usage } from "../../protocol/Protocol.ts"

/** A response that has to come. */
interface Expected {
  readonly id: RequestId.RequestId
  /** The code of its error, where the specification names one; anything may come otherwise. */
  readonly codes: ReadonlyArray<number> | undefined
}

/** The texts that have to come: nothing, one response, or the responses of a batch in any order. */
export type Reply =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "One"; readonly member: Expected }
  | { readonly _tag: "Many"; readonly members: ReadonlyArray<Expected> }

/** How exactly a rule looks. */
export interface Leniency {
  /** Whether an error may have the id null although the id could be read. */
  readonly nullId?: boolean
  /** Codes that do as well. */
  readonly codes?: ReadonlyArray<number>
  /** Whether any code does: another rule looks at codes. */
  readonly anyCode?: boolean
}

/** The codes that a server gives whatever its methods are (section 5.1). */
const named: ReadonlySet<number> = new Set([-32700, -32600, -32601])

/** The reply that the corpus asks for. */
export const replyOf = (text: string | undefined, { anyCode = false, codes = [] }: Leniency = {}): Reply => {
  if (text === undefined) return { _tag: "Nothing" }
  const batch = Batch.decode(text)
  const members = (Batch.isMembers(batch) ? batch : [batch]).map((decoded): Expected => {
    const message = Result.getOrThrow(decoded)
    if (message._tag !== "Success" && message._tag !== "Failure") throw new TypeError(`${text} is no reply`)
    const code = message._tag === "Failure" ? message.error.code : undefined
    return { id: message.id, codes: !anyCode && code !== undefined && named.has(code) ? [code, ...codes] : undefined }
  })
  const [first] = members
  return Batch.isMembers(batch) || first === undefined ? { _tag: "Many", members } : { _tag: "One", member: first }
}

/** Tells whether silence is right. */
export const isSilent = (reply: Reply, { unreadable }: Usage): boolean =>
  reply._tag === "Nothing" || unreadable === "silent" && membersOf(reply).every(isGeneral)

/** Tells whether nothing more is waited for. */
export const isEnough = (texts: ReadonlyArray<string>): boolean => texts.some((text) => !isOwn(text))

const membersOf = (reply: Exclude<Reply, { readonly _tag: "Nothing" }>): ReadonlyArray<Expected> =>
  reply._tag === "One" ? [reply.member] : reply.members

/** Says what is wrong with the texts that came, or gives `undefined`. */
export const judge = (
  reply: Reply,
  texts: ReadonlyArray<string>,
  usage: Usage,
  leniency: Leniency = {}
): string | undefined => {
  const answers = texts.filter((text) => !isOwn(text))
  const what = answers.length === 0 ? "nothing came" : answers.join("\n")
  if (reply._tag === "Nothing") return answers.length === 0 ? undefined : what
  const [answer] = answers
  // Where a protocol has no way to say it, silence is right.
  if (answer === undefined) return isSilent(reply, usage) ? undefined : what
  const members = membersOf(reply)
  if (answers.length > 1) return `${answers.length} texts came:\n${what}`
  const batch = Batch.decode(usage.unreadable === "null" ? answer : withId(answer))
  if (reply._tag === "One" && Batch.isMembers(batch)) return `an array came: ${what}`
  if (reply._tag === "Many" && !Batch.isMembers(batch)) return `no array came: ${what}`
  const came = Batch.isMembers(batch) ? [...batch] : [batch]
  if (came.length !== members.length) return `${came.length} responses came: ${what}`
  const isMissing = (member: Expected, leniency: Leniency): boolean => {
    const at = came.findIndex((decoded) => fits(decoded, member, leniency))
    if (at >= 0) came.splice(at, 1)
    return at < 0
  }
  // An error with the id null is first that of a member without an id: responses have any order.
  const others = members.filter((member) => isMissing(member, { ...leniency, nullId: false }))
  return others.some((member) => isMissing(member, leniency)) ? what : undefined
}

/** Says in words which reply a rule expects. */
export const describe = (reply: Reply): string => {
  switch (reply._tag) {
    case "Nothing":
      return "no answer"
    case "One":
      return describeMember(reply.member)
    case "Many":
      return `one array, in any order: ${reply.members.slice(0, 10).map(describeMember).join("; ")}`
  }
}

const describeMember = ({ codes, id }: Expected): string =>
  `${codes === undefined ? "a response" : `error ${codes.join(" or ")}`} with id ${RequestId.toText(id).slice(0, 60)}`

/** A request or a notification of the server itself. */
const isOwn = (text: string): boolean => {
  const message = Json.objectOf(text)
  return message !== undefined && Object.hasOwn(message, "method")
}

/** An error that names no request. */
const isGeneral = ({ codes, id }: Expected): boolean => id === null && codes !== undefined

const fits = (decoded: Batch.Decoded, expected: Expected, { nullId = false }: Leniency): boolean => {
  if (Result.isFailure(decoded)) return false
  const message = decoded.success
  if (message._tag === "Success") return expected.codes === undefined && isSame(message.id, expected.id)
  if (message._tag !== "Failure") return false
  const isRight = isSame(message.id, expected.id) || nullId && message.id === null
  return isRight && (expected.codes === undefined || expected.codes.includes(message.error.code))
}

const isSame = (one: RequestId.RequestId, other: RequestId.RequestId): boolean =>
  RequestId.keyOf(one) === RequestId.keyOf(other)

/** An error without an id, as MCP writes it since 2025-11-25, with the id null. */
const withId = (text: string): string => {
  const message = Json.objectOf(text)
  return message === undefined || Object.hasOwn(message, "id") || !Object.hasOwn(message, "error")
    ? text
    : JSON.stringify({ id: null, ...message })
}
