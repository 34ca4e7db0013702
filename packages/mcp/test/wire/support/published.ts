/**
 * What others publish of the revisions: the official SDK's schemas, and the specification's own where the variable
 * MCP_SCHEMAS names the folder with them.
 */
import * as Sdk from "@modelcontextprotocol/sdk/types.js"
import { specTypeSchemas } from "@modelcontextprotocol/server"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { era, type Revision } from "../../../src/wire/Revision.ts"

const folder = process.env["MCP_SCHEMAS"]

/** Whether the specification's files are here. */
export const isHere = folder !== undefined && folder !== "" && existsSync(join(folder, "2024-11-05.schema.json"))

/** What a title says about what it was checked with. */
export const source = isHere
  ? "the official SDK's schema and the specification's"
  : "the official SDK's schema (set MCP_SCHEMAS to check the specification's, too)"

type Definitions = Readonly<Record<string, Definition>>

/** What the tests read of a definition. */
export interface Definition {
  readonly anyOf?: ReadonlyArray<{ readonly $ref: string }>
  readonly properties?: {
    readonly method?: { readonly const?: string }
  }
}

interface Document {
  readonly definitions?: Definitions
  readonly $defs?: Definitions
}

const load = (revision: Revision) => {
  const document: Document = JSON.parse(readFileSync(join(folder ?? "", `${revision}.schema.json`), "utf8"))
  const ajv = document.definitions === undefined ? new Ajv2020({ strict: false }) : new Ajv({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, revision)
  const place = document.definitions === undefined ? "$defs" : "definitions"
  return { ajv, place, definitions: document[place] ?? {} }
}

const loaded = new Map<Revision, ReturnType<typeof load>>()

const of = (revision: Revision) => {
  const found = loaded.get(revision) ?? load(revision)
  loaded.set(revision, found)
  return found
}

/** The definitions of a revision's file. */
export const definitions = (revision: Revision): Definitions => of(revision).definitions

/** Why a value is not what the specification's file calls `name`, or `undefined` when it is. */
const byFile = (revision: Revision, name: string, value: unknown): string | undefined => {
  const { ajv, place } = of(revision)
  const validate = ajv.getSchema(`${revision}#/${place}/${name}`)
  if (validate === undefined) return `${revision} has no ${name}`
  return validate(value) === true ? undefined : ajv.errorsText(validate.errors)
}

interface Parser {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly error?: { readonly message: string } }
}

const legacyParsers: Readonly<Record<string, unknown>> = Sdk

const isParser = (value: unknown): value is Parser =>
  typeof value === "object" && value !== null && "safeParse" in value && typeof value.safeParse === "function"

const byLegacySdk = (name: string, value: unknown): string | undefined => {
  const parser = legacyParsers[`${name}Schema`]
  if (!isParser(parser)) return `the SDK has no ${name}Schema`
  const result = parser.safeParse(value)
  return result.success ? undefined : result.error?.message
}

interface Standard {
  readonly "~standard": {
    readonly validate: (value: unknown) => { readonly issues?: ReadonlyArray<object> | undefined } | Promise<unknown>
  }
}

const modernParsers: Readonly<Record<string, Standard | undefined>> = specTypeSchemas

const byModernSdk = (name: string, value: unknown): string | undefined => {
  const parser = modernParsers[name]
  if (parser === undefined) return `the SDK has no ${name}`
  const result = parser["~standard"].validate(value)
  if (result instanceof Promise) return "the SDK does not validate at once"
  return result.issues === undefined ? undefined : JSON.stringify(result.issues)
}

/** Why a value, once it has travelled, is not what a revision calls `name`; `undefined` when it is. */
export const fault = (
  revision: Revision,
  names: { readonly published: string; readonly sdk: string | undefined },
  value: unknown
): string | undefined => {
  const json: unknown = JSON.parse(JSON.stringify(value))
  const bySdk = era(revision) === "modern" ? byModernSdk : byLegacySdk
  return (names.sdk === undefined ? undefined : bySdk(names.sdk, json)) ??
    (isHere ? byFile(revision, names.published, json) : undefined)
}
