/** The options that a specimen was started with, and the code that all of its parts share. */
import { parseArgs } from "node:util"

export type Json = Record<string, unknown>

export const { values: options } = parseArgs({
  options: {
    /** Serves HTTP, and prints the address. */
    http: { type: "boolean", default: false },
    /** Has resources beside the tools. */
    resources: { type: "boolean", default: false },
    /** Speaks 2025-03-26, too, the revision with batches. */
    batches: { type: "boolean", default: false },
    /** Has tasks in 2025-11-25. */
    tasks: { type: "boolean", default: false },
    /** Breaks the specification in one way. */
    mutant: { type: "string" }
  }
})

/** Tells whether this process is the named mutant. */
export const is = (mutant: string): boolean => options.mutant === mutant

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An error that the client is told. */
export class Failure extends Error {
  readonly code: number
  readonly data: Json | undefined
  constructor(code: number, message: string, data?: Json) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** A text for the client, and the mutants that tell more than they should. */
export const told = (message: string): string =>
  is("stack-in-error")
    ? `${message}\n${new Error("at").stack}`
    : is("path-in-error")
    ? `${message} (in /home/deploy/service/src/handlers.ts)`
    : is("secret-in-error")
    ? `${message} (DATABASE_URL=postgres://admin:hunter2-prod@db.internal/notes)`
    : message

export const errorOf = (code: number, message: string, data?: Json): { readonly error: Json } => ({
  error: {
    code: is("error-code-string") ? String(code) : is("error-code-fraction") ? code + 0.5 : code,
    ...(!is("error-message-missing") && { message: told(message) }),
    ...(data !== undefined && { data })
  }
})

/** The texts that answer a request, and the mutants that spoil each of them. */
export const responsesOf = (
  id: unknown,
  outcome: { readonly result: unknown } | { readonly error: Json }
): Array<Json> => {
  const response: Json = { jsonrpc: "2.0", ...(id !== undefined && { id }), ...outcome }
  if (is("id-as-string") && typeof id === "number") response["id"] = String(id)
  if (is("id-missing")) delete response["id"]
  if (is("jsonrpc-missing")) delete response["jsonrpc"]
  if (is("result-and-error")) {
    response["result"] ??= {}
    response["error"] ??= { code: 0, message: "No error" }
  }
  return is("answered-twice") ? [response, response] : [response]
}

/** Looks how deep a value is, and does not survive when the stack ends before the value does. */
export const fallAtDepth = (value: unknown): void => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
  try {
    depthOf(value)
  } catch {
    process.exit(1)
  }
}
