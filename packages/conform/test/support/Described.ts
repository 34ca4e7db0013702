/** Servers of a few methods that OpenRPC describes, in this process. They check arguments by `ajv`. */
import type { Target } from "@parley/conform/Target"
import { MemoryTransport } from "@parley/transport"
import { Ajv, type ValidateFunction } from "ajv"
import { type Duration, Effect, type Schema } from "effect"

/** A method: its description, and what it does. */
export interface Method {
  readonly description: Schema.JsonObject & {
    readonly name: string
    readonly params: ReadonlyArray<Schema.JsonObject & { readonly name: string; readonly schema: Schema.Json }>
  }
  readonly run: (args: Record<string, Schema.Json>) => Schema.Json
  /** How long an answer takes. */
  readonly takes?: Duration.Input
  /** Whether arguments are not checked. */
  readonly isLax?: boolean
  /** Whether params by name are not read. */
  readonly isByPosition?: boolean
}

/** The refusal of a method. */
export class Refusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

interface Request {
  readonly id?: Schema.Json
  readonly method: string
  readonly params?: unknown
}

/** A target that serves the methods, and says so by `rpc.discover`. */
export const serve = (methods: ReadonlyArray<Method>): Target => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const checks = new Map<string, ValidateFunction>()
  const byName = new Map(methods.map((method) => [method.description.name, method]))
  const document = {
    openrpc: "1.3.2",
    info: { title: "Described", version: "1.0.0" },
    methods: methods.map(({ description }) => description)
  }

  const call = (name: string, params: unknown): Schema.Json => {
    if (name === "rpc.discover") return document
    const method = byName.get(name)
    if (method === undefined) throw new Refusal(-32601, "Method not found")
    const args = method.isByPosition === true && !Array.isArray(params) ? {} : argumentsOf(method, params)
    if (method.isLax !== true && !checkOf(method)(args)) throw new Refusal(-32602, "Invalid params")
    return method.run(args)
  }

  const checkOf = ({ description: { name, params } }: Method): ValidateFunction => {
    let check = checks.get(name)
    if (check === undefined) {
      const properties = Object.fromEntries(params.map(({ name, schema }) => [name, schema]))
      const required = params.filter((param) => param["required"] === true).map(({ name }) => name)
      checks.set(name, check = ajv.compile({ type: "object", properties, required, additionalProperties: false }))
    }
    return check
  }

  const answer = ({ id, method, params }: Request): string | undefined => {
    try {
      return JSON.stringify({ jsonrpc: "2.0", id, result: call(method, params) })
    } catch (error) {
      if (error === silence) return undefined
      if (error === death) throw error
      const code = error instanceof Refusal ? error.code : -32603
      return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: String(error) } })
    }
  }

  return {
    _tag: "Duplex",
    name: "described",
    isProcess: false,
    connect: Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const serving = Effect.gen(function*() {
        while (true) {
          for (const text of yield* far.receive) {
            const request: Request = JSON.parse(String(text))
            yield* Effect.sleep(byName.get(request.method)?.takes ?? 0)
            const reply = answer(request)
            if (reply !== undefined) yield* far.send([reply])
          }
        }
      })
      yield* Effect.forkScoped(Effect.ignore(Effect.catchDefect(serving, () => far.close)))
      return near
    })
  }
}

const argumentsOf = ({ description }: Method, params: unknown): Record<string, Schema.Json> =>
  Array.isArray(params)
    ? Object.fromEntries(params.map((value: Schema.Json, at) => [description.params[at]?.name ?? `extra${at}`, value]))
    // The tests give what `JSON.parse` has made.
    : { ...params as Record<string, Schema.Json> }

/** Thrown by a method that never answers. */
export const silence = new Error("no answer")

/** Thrown by a method that ends the connection. */
export const death = new Error("the end")
