/**
 * One field of a form, as its JSON Schema describes it, and the prompt for it.
 */
import type { ElicitForm, FieldValue } from "@parley/mcp/payload/Elicitation"
import { ExactNumber, Relayed } from "@parley/protocol/shared"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Terminal from "effect/Terminal"
import { printableLine } from "../../terminal/output.ts"
import { isObject } from "../offer/ToolShape.ts"

/** A value to choose, and what it is called. */
export interface Choice {
  readonly value: string
  readonly title: string
}

export interface Field {
  readonly name: string
  readonly schema: Schema.JsonObject
  readonly isRequired: boolean
}

/** The fields of a form, in their order. */
export const fieldsOf = (schema: ElicitForm["requestedSchema"]): ReadonlyArray<Field> => {
  const required = schema["required"]
  return Object.entries(objectOr(schema["properties"])).map(([name, field]) => ({
    name,
    schema: objectOr(field),
    isRequired: Array.isArray(required) && required.includes(name)
  }))
}

/** Asks for the value; nothing, where it may be left out and was. */
export const prompt = (
  field: Field
): Effect.Effect<FieldValue | undefined, Terminal.QuitError, Prompt.Environment> => {
  const { isRequired, schema } = field
  const message = printableLine(labelOf(field))
  const items = choicesOf(objectOr(schema["items"]))
  if (schema["type"] === "array" && items !== undefined) return several(message, schema, items, isRequired)
  const choices = choicesOf(schema)
  if (choices !== undefined) return one(message, schema, choices, isRequired)
  if (schema["type"] === "boolean") {
    return Prompt.Confirm({ message, initial: schema["default"] === true })
  }
  return Effect.map(
    Prompt.String({
      message,
      ...usualOf(schema),
      validate: (text) => Effect.as(Effect.fromResult(read(field, text)), text)
    }),
    (text) => Result.getOrUndefined(read(field, text))
  )
}

/** The text that enter gives: none where it hides something, and a number with all of its digits, which are checked then. */
const usualOf = (schema: Schema.JsonObject): { readonly default?: string } => {
  const usual = schema["default"]
  if (typeof usual === "number") return { default: Relayed.textOf(schema, "default") ?? String(usual) }
  return typeof usual === "string" && printableLine(usual) === usual ? { default: usual } : {}
}

/** The label of a field, with its description. */
const labelOf = ({ isRequired, name, schema }: Field): string => {
  const { description, format, title } = schema
  const notes = [
    ...typeof description === "string" ? [description] : [],
    ...typeof format === "string" ? [format] : [],
    ...isRequired || schema["type"] === "boolean" ? [] : ["may be left out"]
  ]
  return `${typeof title === "string" ? title : name}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`
}

/** None at all leaves the field out, where it may be. */
const several = (
  message: string,
  schema: Schema.JsonObject,
  choices: ReadonlyArray<Choice>,
  isRequired: boolean
): Effect.Effect<ReadonlyArray<string> | undefined, Terminal.QuitError, Prompt.Environment> => {
  const { default: usual, maxItems, minItems } = schema
  const least = typeof minItems === "number" ? minItems : 0
  const asked = Prompt.MultiSelect({
    message: least > 0 && !isRequired ? `${message}: none, or ${least} and more` : message,
    choices: choices.map(({ title, value }) => ({
      title: printableLine(title),
      value,
      selected: Array.isArray(usual) && usual.includes(value)
    })),
    ...isRequired && { min: least },
    ...typeof maxItems === "number" && { max: maxItems }
  })
  return Effect.flatMap(asked, (values) => {
    if (values.length === 0 && !isRequired) return Effect.undefined
    return values.length < least ? several(message, schema, choices, isRequired) : Effect.succeed(values)
  })
}

const one = (
  message: string,
  schema: Schema.JsonObject,
  choices: ReadonlyArray<Choice>,
  isRequired: boolean
): Prompt.Prompt<string | undefined> => {
  const usual = schema["default"]
  // The first is the one that is chosen already.
  const sorted = [...choices.filter(({ value }) => value === usual), ...choices.filter(({ value }) => value !== usual)]
  return Prompt.Select<string | undefined>({
    message,
    choices: [
      ...sorted.map(({ title, value }) => ({ title: printableLine(title), value })),
      ...isRequired ? [] : [{ title: "(nothing)", value: undefined }]
    ]
  })
}

/** The values that a schema lists, in each of the ways there are. */
export const choicesOf = (schema: Schema.JsonObject): ReadonlyArray<Choice> | undefined => {
  const values = schema["enum"]
  const names = schema["enumNames"]
  if (Array.isArray(values)) {
    return values.map((value, at) => {
      const name = Array.isArray(names) ? names[at] : undefined
      return { value: String(value), title: typeof name === "string" ? name : String(value) }
    })
  }
  const titled = schema["oneOf"] ?? schema["anyOf"]
  if (!Array.isArray(titled)) return undefined
  return titled.map((one) => {
    const { const: value, title } = objectOr(one)
    return { value: String(value), title: typeof title === "string" ? title : String(value) }
  })
}

/** The value of what was typed, or what it should be. */
export const read = (
  { isRequired, schema }: Field,
  text: string
): Result.Result<FieldValue | undefined, string> => {
  if (text === "" && !isRequired) return Result.succeed(undefined)
  const type = schema["type"]
  return type === "number" || type === "integer"
    ? numberOf(schema, text)
    : textOf(schema, text)
}

const numberOf = (schema: Schema.JsonObject, text: string): Result.Result<number, string> => {
  const value = text.trim() === "" ? NaN : Number(text)
  const { maximum, minimum } = schema
  if (!Number.isFinite(value)) return Result.fail("it should be a number")
  if (!isHeld(text.trim())) return Result.fail(`it has more digits than this program keeps: it would be ${value}`)
  if (schema["type"] === "integer" && !Number.isInteger(value)) return Result.fail("it should be a whole number")
  if (typeof minimum === "number" && value < minimum) return Result.fail(`it should be at least ${minimum}`)
  return typeof maximum === "number" && value > maximum
    ? Result.fail(`it should be at most ${maximum}`)
    : Result.succeed(value)
}

/** Whether a number is the double that is made of it. A text that is no number of JSON has few digits. */
const isHeld = (text: string): boolean => {
  const exact = Result.try(() => ExactNumber.fromTextUnsafe(text))
  return Result.isFailure(exact) || typeof ExactNumber.roundedIfEqual(exact.success) === "number"
}

const textOf = (schema: Schema.JsonObject, text: string): Result.Result<string, string> => {
  const { maxLength, minLength } = schema
  const { length } = Array.from(text)
  if (typeof minLength === "number" && length < minLength) {
    return Result.fail(`it should have ${minLength} characters or more`)
  }
  return typeof maxLength === "number" && length > maxLength
    ? Result.fail(`it should have ${maxLength} characters or fewer`)
    : Result.succeed(text)
}

const objectOr = (value: Schema.Json | undefined): Schema.JsonObject => isObject(value) ? value : {}
