/** The work that both servers can do: add, count down, and keep notes. */
import { randomUUID } from "node:crypto"
import { is, isObject, type Json } from "./options.ts"

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json
  readonly outputSchema?: Json
  /** Whether it changes nothing. */
  readonly isReadOnly: boolean
  /** Whether it may be a task, where the server has those. */
  readonly isTask?: boolean
  readonly run: (
    input: Json,
    step: (progress: number, total: number) => void,
    signal: AbortSignal
  ) => Json | Promise<Json>
}

const object = (properties: Json, required = Object.keys(properties)): Json => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})
const addend = { type: "integer", minimum: -1000000, maximum: 1000000 }
const text = { type: "string", minLength: 1, maxLength: 200 }

const notes = new Map<string, string>()
const noteOf = (id: string): string => {
  const note = notes.get(id)
  if (note === undefined) throw new Error(`There is no note ${JSON.stringify(id)}`)
  return note
}

export const tools: Array<Tool> = [
  {
    name: "add",
    description: "Adds two integers.",
    inputSchema: is("input-schema-invalid")
      ? { type: "object", properties: { a: { type: "integr" }, b: { type: "integr" } } }
      : is("input-schema-array")
      ? { type: "array" }
      : object({ a: addend, b: addend }),
    outputSchema: object({ sum: { type: "integer" } }),
    isReadOnly: true,
    run: ({ a, b }) => ({ sum: is("result-unfit") ? `${Number(a) + Number(b)}` : Number(a) + Number(b) })
  },
  {
    name: "count_down",
    description: "Counts down, and tells its progress.",
    inputSchema: object({ from: { type: "integer", minimum: 1, maximum: 5, default: 5 } }, []),
    isReadOnly: true,
    isTask: true,
    run: async ({ from = 5 }, step, signal) => {
      const total = Number(from)
      for (let progress = 1; progress <= total && !signal.aborted; progress++) {
        if (is("call-blocks")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
        else await new Promise((done) => setTimeout(done, 80))
        step(progress, total)
      }
      return { text: "Lift-off" }
    }
  },
  {
    name: "create_note",
    description: "Keeps a note, and gives its id.",
    inputSchema: object({ text }),
    outputSchema: object({ id: text }),
    isReadOnly: false,
    run: ({ text }) => {
      const id = randomUUID()
      // A stranger may create only so much.
      if (notes.size > 10_000) throw new Error("There are too many notes")
      notes.set(id, String(text))
      return { id }
    }
  },
  {
    name: "read_note",
    description: "Reads a note.",
    inputSchema: object({ id: text }),
    outputSchema: object({ id: text, text }),
    isReadOnly: true,
    run: ({ id }) => ({ id, text: noteOf(String(id)) })
  },
  {
    name: "delete_note",
    description: "Deletes a note.",
    inputSchema: object({ id: text }),
    outputSchema: object({ id: text }),
    isReadOnly: false,
    run: ({ id }) => {
      noteOf(String(id))
      if (!is("deletion-forgotten")) notes.delete(String(id))
      return { id }
    }
  }
]

/** Says why a value does not fit, for the keywords that the tools use. */
export const misfit = (schema: Json, value: unknown, at = "the input"): string | undefined => {
  const { minimum, maximum, minLength, maxLength } = schema as Record<string, number>
  if (schema["type"] === "integer") {
    if (typeof value !== "number" || !Number.isInteger(value)) return `${at} is no integer`
    return value < minimum! || value > maximum! ? `${at} is not from ${minimum} to ${maximum}` : undefined
  }
  if (schema["type"] === "string") {
    if (typeof value !== "string") return `${at} is no string`
    const length = [...value].length
    return length < minLength! || length > maxLength!
      ? `${at} has not from ${minLength} to ${maxLength} characters`
      : undefined
  }
  if (!isObject(value)) return `${at} is no object`
  for (const name of schema["required"] as Array<string>) if (!Object.hasOwn(value, name)) return `${at} has no ${name}`
  const properties = schema["properties"] as Record<string, Json>
  for (const [name, member] of Object.entries(value)) {
    if (!Object.hasOwn(properties, name)) return `${at} has a member that is not known`
    const reason = misfit(properties[name]!, member, `${at}.${name}`)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Whether a mutant lets any input pass. */
export const isUnchecked = is("schema-ignored") || is("input-schema-invalid") || is("input-schema-array")
