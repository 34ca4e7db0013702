/**
 * The methods that the corpus calls, as plain functions: each library wraps them as its documentation does.
 */

/** The error of a method that fails on purpose. */
export class Refusal extends Error {
  readonly code: number
  readonly data: { readonly detail: string } | undefined

  constructor(code: number, message: string, data?: { readonly detail: string }) {
    super(message)
    this.code = code
    this.data = data
  }
}

export type Method = (params: unknown) => unknown

const invalidParams = () => new Refusal(-32602, "Invalid params")

const isNumber = (value: unknown): value is number => typeof value === "number"

/** Positional params as they are, named ones in the order of their names; others do not fit. */
const numbersOf = (params: unknown, names: ReadonlyArray<string> = []): ReadonlyArray<number> => {
  const values = Array.isArray(params)
    ? params
    : names.length > 0 && typeof params === "object" && params !== null && Object.keys(params).length === names.length
    ? names.map((name) => Object.entries(params).find(([key]) => key === name)?.[1])
    : [undefined]
  if (!values.every(isNumber)) throw invalidParams()
  return values
}

const subtract: Method = (params) => {
  const [minuend, subtrahend, ...more] = numbersOf(params, ["minuend", "subtrahend"])
  if (minuend === undefined || subtrahend === undefined || more.length > 0) throw invalidParams()
  return minuend - subtrahend
}

const ignore: Method = () => null

export const methods: Readonly<Record<string, Method>> = {
  echo: (params) => params ?? null,
  subtract,
  sum: (params) => numbersOf(params).reduce((total, number) => total + number, 0),
  get_data: () => ["hello", 5],
  fail: () => {
    throw new Refusal(1234, "Application error", { detail: "boom" })
  },
  crash: () => {
    throw new Error("the method `crash` was called")
  },
  update: ignore,
  notify_hello: ignore,
  notify_sum: ignore
}
